"""`scrapy train` as users run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.commands.train import _better_in_use, _save
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.link_model.counts import Counts
from topiccrawler.link_model.model_file import load, save
from topiccrawler.link_model.training.train import Trained

ROWS = [
    {
        "url": f"http://t{n}.example/",
        "anchor": word,
        "left": word,
        "right": "",
        "source_url": f"http://h{n % 6}.example/",
        "label": label,
    }
    for n, (word, label) in enumerate(
        [("基金行情", 1), ("足球比赛", 0), ("股票债券", 1), ("旅游酒店", 0)] * 12
    )
]


@pytest.fixture
def links(tmp_path: Path) -> Path:
    path = tmp_path / "links.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    return path


def test_training_prints_the_table_and_saves_model_and_report(
    scrapy: Callable[..., Any], links: Path, tmp_path: Path
) -> None:
    out = tmp_path / "models"
    lexicon = tmp_path / "words.txt"
    lexicon.write_text("基金\t7\n股票\n", encoding="utf-8")
    ran = scrapy(
        "train", "财经", "--links", str(links), "--lexicon", str(lexicon), "--out", str(out), "--seed", "2"
    )
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].split() == ["held", "out:", "rows", "P", "R", "F1", "best", "F1", "at", "samples"]
    assert [line[:20].strip() for line in lines if line.startswith(("links", "hosts"))] == [
        "links: group 1", "links: group 2", "links: dictionary", "links: model",
        "hosts: group 1", "hosts: group 2", "hosts: dictionary", "hosts: model",
    ]  # fmt: skip
    assert sorted(file.name for file in out.iterdir()) == ["finance.json", "finance.txt"]
    assert load(out / "finance.json").lexicon.entries == ("基金", "股票")
    report = (out / "finance.txt").read_text(encoding="utf-8")
    assert report.startswith("Link model of topic finance\n")
    assert "links.jsonl  sha256 " in report
    assert "Field anchor" in report


def test_json_is_one_object_that_holds_the_scores(
    command: Callable[..., Any], links: Path, tmp_path: Path
) -> None:
    ran = command(
        "train", "finance", "--links", str(links), "--out", str(tmp_path), "--event", "multinomial", "--json"
    )
    found = json.loads(ran.out)
    assert (ran.code, found["topic"], found["model"]) == (0, "finance", str(tmp_path / "finance.json"))
    assert set(found["scores"]["hosts: model"]) == {
        "precision",
        "recall",
        "f1",
        "best_f1",
        "best_threshold",
        "samples",
    }
    assert load(tmp_path / "finance.json").event == "multinomial"


def test_recorded_pages_without_a_page_classifier_are_no_use(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    ran = command("train", "travel", "--pages", "web.warc", "--headlines", "h.tsv", "--out", str(tmp_path))
    assert ran.code != 0
    assert ran.err.splitlines() == [
        "--pages: is read for a page classifier alone; give --page-classifier detail"
    ]


def test_keywords_alone_make_a_model(command: Callable[..., Any], tmp_path: Path) -> None:
    ran = command("train", "travel", "--out", str(tmp_path))
    assert ran.code == 0
    assert ran.out.startswith("nothing was held out to measure on")
    assert load(tmp_path / "travel.json").training["samples"].keys() == {"keywords", "places"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["no-such-topic"], 1, "topic 'no-such-topic': is not in the catalogue"),
        (["finance", "--nope"], 2, "unknown option --nope"),
        ([], 2, "give one topic, not 0"),
        (["finance", "travel"], 2, "give one topic, not 2"),
        (
            ["finance", "--links", "/no/such/file"],
            1,
            "/no/such/file: cannot be read: No such file or directory",
        ),
        (["finance", "--headlines", "/dev/null"], 1, "the header names no label and text"),
        (["finance", "--lexicon", "/dev/null"], 1, "holds no word"),
        (["finance", "--out", "/dev/null/x"], 1, "cannot be written to"),
        (["finance", "--precision", "2"], 2, "'2' is no number above 0 and at most 1"),
        (["finance", "--precision", "0.9"], 1, "precision 0.9: cannot be measured"),
        (["finance", "--context", "page"], 2, "invalid choice: 'page'"),
    ],
)
def test_what_is_wrong_is_refused_in_one_line(
    command: Callable[..., Any], arguments: list[str], code: int, message: str
) -> None:
    ran = command("train", *arguments)
    assert ran.code == code
    line = (ran.err or ran.out).strip().splitlines()[-1]
    assert message in line
    assert "Traceback" not in ran.err
    if code == 1:
        assert ran.err.count("\n") == 1


def test_a_model_that_does_better_on_links_kept_aside_stays_in_use(tmp_path: Path) -> None:
    now = LinkClassifier("finance", Counts(), training={"files": {"a": "1"}}, scores=held_out(0.4))
    new = LinkClassifier("finance", Counts(), training={"files": {"b": "2"}}, scores=held_out(0.5))
    save(now, tmp_path / "finance.json")
    before = (tmp_path / "finance.json").read_bytes()
    message = "F1 0.9000 on the same links held out, the new one 0.5000"
    assert _better_in_use(Trained(new, test=lambda _: 0.9), tmp_path) == message
    assert _better_in_use(Trained(new, test=lambda _: 0.5), tmp_path) is None
    assert _save(Trained(new), tmp_path, in_use=False) == tmp_path / "finance.candidate.json"
    assert (tmp_path / "finance.json").read_bytes() == before


def test_models_of_the_same_file_are_compared_by_their_own_trainings(tmp_path: Path) -> None:
    seen = {"files": {"a": "1"}}
    save(LinkClassifier("finance", Counts(), training=seen, scores=held_out(0.4)), tmp_path / "finance.json")
    new = LinkClassifier("finance", Counts(), training=seen, scores=held_out(0.3))
    message = "F1 0.4000 in its own training, the new one 0.3000"
    assert _better_in_use(Trained(new, test=lambda _: 0.1), tmp_path) == message


def held_out(f1: float) -> dict[str, object]:
    return {"hosts: model": {"f1": f1}}
