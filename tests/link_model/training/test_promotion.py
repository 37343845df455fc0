"""After training: measured on a file, put to use."""

import json
from pathlib import Path

import pytest
from message_facts import numbers

from topiccrawler.errors import LinksFileError
from topiccrawler.link_model.classifier import Counts, LinkClassifier
from topiccrawler.link_model.model_file import save
from topiccrawler.link_model.training.promotion import labelled, measure, why_it_stays
from topiccrawler.topics.topic import Topic, make_topic


def model(word: str = "基金", file: str = "a", **parts: object) -> LinkClassifier:
    counts = Counts()
    counts.add({"anchor": [word]}, True, 8.0)
    counts.add({"anchor": ["足球"]}, False, 8.0)
    training = {"files": {f"{file}.jsonl": f"digest of {file}"}, "set": file}
    return LinkClassifier("finance", counts, training=training, **parts)  # type: ignore[arg-type]


@pytest.fixture
def topic() -> Topic:
    return make_topic({"name": "finance", "zh": "财经", "keywords": ["基金"]}, "test")


def links_file(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_a_model_is_measured_at_its_threshold_or_at_the_one_given(tmp_path: Path, topic: Topic) -> None:
    path = links_file(
        tmp_path / "l.jsonl",
        [
            {"url": "http://a.example/1", "anchor": "基金", "left": "", "right": "", "fin": 1},
            {"url": "http://a.example/2", "anchor": "天气", "fin": 1},
            {"url": "http://a.example/3", "anchor": "足球", "label": "sports", "fin": 0},
            {"url": "http://a.example/4", "anchor": "不知", "fin": None},
        ],
    )
    links = labelled([path], topic, "window")
    found = measure(model(threshold=0.5), links)
    assert (found.precision, found.recall, found.f1, found.samples) == (1.0, 0.5, pytest.approx(2 / 3), 3)
    assert measure(model(threshold=0.5), links, 0.0).f1 == 1.0


def test_a_file_without_labels_is_refused(tmp_path: Path, topic: Topic) -> None:
    path = links_file(tmp_path / "l.jsonl", [{"url": "http://a.example/", "label": None}])
    with pytest.raises(LinksFileError, match="label"):
        labelled([path], topic, "window")


def held_out(f1: float, row: str = "hosts: model") -> dict[str, object]:
    return {row: {"f1": f1}}


def figures(why: str | None) -> list[str]:
    """Both F1 of the reason why a model stays; none where the new one has none."""
    return numbers(why.replace("F1", ""))


def test_a_model_stays_that_does_better_on_the_same_held_out_rows(tmp_path: Path) -> None:
    save(model(scores=held_out(0.4)), tmp_path / "finance.json.zst")
    new = model(file="b", scores=held_out(0.5))
    assert figures(why_it_stays(new, lambda _: 0.9, tmp_path)) == ["0.9000", "0.5000"]
    assert why_it_stays(new, lambda _: 0.5, tmp_path) is None
    assert why_it_stays(new, lambda _: 0.9, tmp_path / "elsewhere") is None


def test_models_of_the_same_file_are_compared_by_their_own_trainings(tmp_path: Path) -> None:
    save(model(scores=held_out(0.4)), tmp_path / "finance.json.zst")
    own = why_it_stays(model(scores=held_out(0.3)), lambda _: 0.1, tmp_path)
    assert figures(own) == ["0.4000", "0.3000"]
    # it has no such row of its own
    seen = why_it_stays(model(scores=held_out(0.3, "headlines: model")), lambda _: 0.9, tmp_path)
    assert figures(seen) == ["0.9000", "0.3000"]


def test_only_a_measured_model_replaces_one_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "finance.json.zst").write_text("{", encoding="utf-8")
    assert why_it_stays(model(scores=held_out(0.3)), lambda _: 0.1, tmp_path) is None
    assert figures(why_it_stays(model(), None, tmp_path)) == []
