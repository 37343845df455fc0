"""The detail classifier: its features by hand, its SVM against scikit-learn, its file against damage."""

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from topiccrawler.errors import LinksFileError, ModelError
from topiccrawler.files import folder
from topiccrawler.pages.parse import parse
from topiccrawler.relevance.detail import DetailClassifier, features, load_detail, save_detail
from topiccrawler.relevance.training.from_files import Kind, across_webs, train_detail


def test_the_figures_by_hand() -> None:
    """Outside links 8 + 4 Han characters and one Latin word in blocks of 5 and 2 words, 4 characters in two links."""
    page = parse(
        "<p>基金净值今日上涨 news</p><p>风险提示</p><ul><li><a href=/a>首页</a><li><a href=/b>更多</a></ul>"
    )
    text, links, gathered = features(page)
    assert text == pytest.approx(math.log2((7 + 1) / 100))
    assert links == pytest.approx(math.log2((2 + 1) / (9 + 1)))
    assert gathered == pytest.approx((25 + 4) / 49)


def test_a_page_without_text_has_finite_figures() -> None:
    assert features(parse("")) == (pytest.approx(math.log2(1 / 100)), 0.0, 0.0)


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
    svm, held_out, test = train_detail(kinds)
    assert held_out.f1 >= 0.95
    assert (test(svm).f1 >= 0.95, test(svm).samples) == (True, held_out.samples)
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


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    svm, _, _ = train_detail(pages())
    (tmp_path / "page_classifiers").mkdir()
    save_detail(svm, tmp_path / "page_classifiers" / "detail.json")
    again = load_detail(tmp_path)
    for of_page, _, _ in pages():
        assert again.score(of_page) == pytest.approx(svm.score(of_page), abs=1e-3)
    assert again.training["pages"] == 120
    assert again.scores == svm.scores


def good() -> dict[str, Any]:
    return {
        "format": "topiccrawler detail classifier", "version": 1, "gamma": 0.5, "bias": 0.25,
        "means": [0, 0, 0], "deviations": [1, 1, 1], "vectors": [[2.0, 0, 0, 0]],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 9}, "detail.* 1"),
        ({"vectors": []}, r"\b1 to "),
        ({"vectors": [[1, 2]]}, " 4 "),
        ({"vectors": [[float("nan"), 0, 0, 0]]}, " 4 "),
        ({"means": None}, " 3 "),
        ({"deviations": [1, 0, 1]}, " 0"),
        ({"gamma": -1}, " 0"),
        ({"bias": "x"}, " 2 "),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    place = tmp_path / "page_classifiers" / "detail.json"
    place.parent.mkdir()
    place.write_text(json.dumps(good()), encoding="utf-8")
    assert load_detail(tmp_path).score((1.0, 0.0, 0.0)) == pytest.approx(2 * math.exp(-0.5) + 0.25)
    place.write_text(json.dumps({**good(), **change}), encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        load_detail(tmp_path)


def test_a_missing_file_names_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="scrapy train detail --page-classifier detail"):
        load_detail(tmp_path)


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


def shipped() -> DetailClassifier:
    return load_detail(folder("models"))


def test_the_shipped_svm_separates_an_article_from_a_list_of_links() -> None:
    text = "沪深两市今日高开低走，券商和银行股领跌，分析师认为投资者情绪趋于谨慎。" * 12
    article = f"<a href=/>首页</a><h1>两市收跌</h1><div><p>{text}</p></div><a href=/more>更多</a>"
    hub = "<ul>" + "".join(f"<li><a href=/{n}>两市收跌券商领跌{n}</a>" for n in range(80)) + "</ul>"
    assert shipped().is_detail(parse(article))
    assert not shipped().is_detail(parse(hub))
