"""The detail classifier is trained by a program of its own: its SVM against scikit-learn, on hosts and webs it has not seen."""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from topiccrawler.errors import LinksFileError
from topiccrawler.lab.training.detail_model import Kind, across_webs, main, train_detail
from topiccrawler.relevance.detail import load_detail


def pages(count: int = 60) -> list[Kind]:
    chance = random.Random(5)
    found: list[Kind] = []
    for number in range(count):
        host = f"h{number % 9}.example"
        found.append(((chance.gauss(1.5, 0.6), chance.gauss(-5, 0.8), chance.uniform(0.1, 0.9)), True, host))
        found.append(
            ((chance.gauss(-1.5, 0.6), chance.gauss(-2, 0.8), chance.uniform(0.0, 0.6)), False, host)
        )
    return found


def test_the_svm_scores_as_scikit_learn_does() -> None:
    kinds = pages()
    svm, held_out = train_detail(kinds)
    assert held_out.f1 >= 0.95
    kinds.sort()
    table, truths = np.array([of_page for of_page, _, _ in kinds]), [detail for _, detail, _ in kinds]
    scaler = StandardScaler().fit(table)
    costs = (1.0, 10.0, 100.0)
    oracles = [
        SVC(kernel="rbf", gamma=svm.gamma, C=cost, class_weight="balanced").fit(
            scaler.transform(table), truths
        )
        for cost in costs
    ]
    wanted = [oracle.decision_function(scaler.transform(table)) for oracle in oracles]
    scores = np.array([svm.score(of_page) for of_page, _, _ in kinds])
    assert min(float(np.abs(scores - row).max()) for row in wanted) < 1e-9


def test_pages_of_one_kind_teach_nothing() -> None:
    with pytest.raises(LinksFileError, match=r"60 .* 0 .* 9"):
        train_detail([page for page in pages() if page[1]])


@pytest.mark.slow
def test_each_web_is_classified_by_what_the_others_taught_on_hosts_they_lack() -> None:
    """The second web calls every page the opposite: what the first teaches is wrong there, and the reverse."""
    first = pages()
    second = [(of_page, not detail, f"other-{host}") for of_page, detail, host in first]
    second += [(of_page, detail, "h0.example") for of_page, detail, _ in first]  # a host both have
    found = across_webs({"first": first, "second": second})
    assert list(found) == ["first", "second"]
    assert found["second"].samples == len(first)
    assert found["second"].f1 <= 0.05
    agreeing = [(of_page, detail, f"other-{host}") for of_page, detail, host in first]
    assert across_webs({"first": first, "second": agreeing})["second"].f1 >= 0.95
    assert across_webs({"first": first}) == {}


def test_the_kinds_of_labelled_pages_are_learned_and_written(
    record: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web, rows = {}, ["#url\ttopics\thow\tkind", "http://gone.example/\t\tplan\thub"]
    for number in range(24):
        text, links = f"<p>{'茶叶和水的温度。' * (20 + number)}</p>", "<a href=/x>链接</a>" * (30 + number)
        for name, body, kind in (("a", text, "content"), ("b", links, "hub")):
            url = f"http://h{number % 8}.example/{name}{number}"
            web[url] = f"<title>{name}</title>{body}"
            rows.append(f"{url}\t\tplan\t{kind}")
    labels = tmp_path / "labels.tsv"
    labels.write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = ["--pages", record(web), "--labels", labels, "--out", tmp_path]
    with mock.patch.object(sys, "argv", ["detail_model", *map(str, words)]):
        main()
    made = load_detail(tmp_path)
    assert {name: made.training[name] for name in ("pages", "details", "hosts")} == {
        "pages": 48, "details": 24, "hosts": 8,
    }  # fmt: skip
    assert [file["file"] for file in made.training["files"]] == [Path(words[1]).name, "labels.tsv"]
    assert made.scores["hosts held out"]["f1"] == 1.0
    assert "detail.json: " in capsys.readouterr().out
