"""`scrapy models` as users run it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.link_model.classifier import Counts, LinkClassifier
from topiccrawler.link_model.model_file import save

LINKS = [
    {"url": "http://a.example/1", "anchor": "基金", "left": "|", "right": "|", "label": "finance", "fin": 1},
    {"url": "http://a.example/2", "anchor": "股票", "left": "|", "right": "|", "label": "finance", "fin": 1},
    {"url": "http://a.example/3", "anchor": "足球", "left": "|", "right": "|", "label": "sports", "fin": 0},
]


def model(*words: str, digest: str = "a") -> LinkClassifier:
    counts = Counts()
    counts.add({"anchor": words}, True, 8.0)
    counts.add({"anchor": ["足球"]}, False, 8.0)
    training = {"files": {f"{digest}.jsonl": digest}, "samples": {"links": [1, 2]}}
    scores = {"hosts: model": {"f1": 0.5}}
    return LinkClassifier("finance", counts, threshold=0.5, training=training, scores=scores)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """finance.json.zst in use knows both words, poor.json.zst one."""
    place = tmp_path / "models"
    place.mkdir()
    save(model("基金", "股票"), place / "finance.json.zst")
    save(model("基金", digest="b"), tmp_path / "poor.json.zst")
    (tmp_path / "links.jsonl").write_text("\n".join(map(json.dumps, LINKS)), encoding="utf-8")
    return tmp_path


@pytest.fixture
def models(command: Callable[..., Any], folder: Path) -> Callable[..., Any]:
    return lambda *args: command("models", *args, "--models", str(folder / "models"))


def test_test_prints_five_figures_as_json(models: Callable[..., Any], folder: Path) -> None:
    links = str(folder / "links.jsonl")
    ran = models("test", "finance", "--links", links, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out) == {"precision": 1, "recall": 1, "f1": 1, "threshold": 0.5, "links": 3}
    ran = models("test", str(folder / "poor.json.zst"), "--links", links, "--threshold", "-9", "--json")
    assert json.loads(ran.out) == {
        "precision": pytest.approx(2 / 3, abs=1e-5), "recall": 1, "f1": pytest.approx(0.8),
        "threshold": -9, "links": 3,
    }  # fmt: skip


def test_list_names_what_cannot_be_read(models: Callable[..., Any], folder: Path) -> None:
    (folder / "models" / "broken.json.zst").write_text("{", encoding="utf-8")
    broken, finance = json.loads(models("--json").out)
    assert (broken["file"], "is damaged" in broken["refused"]) == ("broken.json.zst", True)
    assert (finance["topic"], finance["f1"], finance["samples"]) == ("finance", 0.5, {"links": [1, 2]})
    lines = models("list").out.splitlines()
    assert [line.split()[0] for line in lines] == ["file", "broken.json.zst", "finance.json.zst"]


def test_compare_puts_models_side_by_side(forked_scrapy: Callable[..., Any], folder: Path) -> None:
    poor, links = str(folder / "poor.json.zst"), str(folder / "links.jsonl")
    ran = forked_scrapy(
        "models", "compare", "finance", poor, "--links", links, "--models", str(folder / "models"), "--json"
    )
    found = json.loads(ran.out)
    assert [(line["model"], line["f1"]) for line in found] == [
        ("finance", 1.0), (poor, pytest.approx(2 / 3, abs=1e-5))
    ]  # fmt: skip
