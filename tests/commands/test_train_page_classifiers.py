"""`scrapy train --page-classifier` as users run it, and `scrapy read` with what it made."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import Crawl

from topiccrawler.crawling.assemble import page_classifier_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.read_page import PageReader

PAGE = (
    "<html><head><title>沪深股市收盘</title></head><body><h1>沪深股市收盘</h1><div><p>"
    + "沪深两市今日高开低走，券商和银行股领跌，基金净值下跌，投资者情绪趋于谨慎。" * 5
    + "</p></div></body></html>"
)
TEXTS = [
    ("财经", "股市收盘", "沪深两市券商和银行股领跌，基金净值下跌，消息说。"),
    ("sports", "足球比赛", "足球教练说比赛很精彩，篮球球员进球，消息说。"),
    ("travel", "旅游酒店", "旅游景点门票便宜，酒店机票预订方便，消息说。"),
]
ROWS = [
    {"label": label, "title": title, "text": text * 3, "url": f"http://h{n}.example/"}
    for n, (label, title, text) in enumerate(TEXTS * 15)
]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    path = tmp_path / "documents.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("page_classifier", ["vsm", "naive_bayes", "svm"])
def test_a_page_classifier_is_trained_saved_and_used(
    command: Any, forked_scrapy: Any, documents: Path, page: Path, tmp_path: Path, page_classifier: str
) -> None:
    out = tmp_path / "models"
    call = ("train", "finance", "--page-classifier", page_classifier, "--documents", str(documents))
    ran = command(*call, "--out", str(out), "--json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    place = out / "page_classifiers" / f"finance.{page_classifier}.json"
    assert (found["model"], found["page_classifier"]) == (str(place), page_classifier)
    assert found["training"]["samples"] == 45
    assert found["scores"]["held out"]["f1"] >= 0.9
    assert found["training"]["files"][0]["file"] == "documents.jsonl"
    read = ("read", str(page), "--topic", "finance", "--page-classifier", page_classifier, "--json")
    printed = json.loads(forked_scrapy(*read, "-s", f"TOPIC_PAGE_CLASSIFIER_MODELS={out}").out)
    by_recipe = Recipe("finance", page_classifier=page_classifier, page_classifier_models=str(out))
    classifier = page_classifier_of(by_recipe)
    assert (printed["threshold"], printed["kept"]) == (classifier.threshold, True) == (0.5, True)
    assert classifier.similarity_threshold == pytest.approx(found["threshold"], abs=1e-4)
    by_python = PageReader(by_recipe).read(page.read_bytes())
    assert printed["relevance"] == pytest.approx(by_python.relevance, abs=1e-4)
    assert printed["why"][0][1] >= printed["why"][-1][1]


@pytest.mark.slow
@pytest.mark.parametrize("page_classifier", ["vsm", "naive_bayes"])
def test_a_page_classifier_that_does_better_stays_unless_forced(
    command: Callable[..., Any], tmp_path: Path, page_classifier: str
) -> None:
    train = ("train", "finance", "--page-classifier", page_classifier, "--out", str(tmp_path), "--documents")
    clean, wrong = tmp_path / "clean.jsonl", tmp_path / "wrong.jsonl"
    for path, labels in ((clean, ["sports"] * 4 + ["财经"] * 4), (wrong, ["sports"] * 4 + ["财经"] * 3)):
        rows = [{"title": "", "text": ROWS[0]["text"] * (n % 8) + ROWS[1]["text"] * (7 - n % 8),
                 "label": [*labels, "sports" if n % 16 == 7 else "财经"][n % 8]}
                for n in range(48)]  # fmt: skip
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert command(*train, str(clean)).code == 0
    place = tmp_path / "page_classifiers" / f"finance.{page_classifier}.json"
    before = place.read_bytes()
    ran = command(*train, str(wrong), "--precision", "1")
    assert (ran.code, ran.err.count("\n"), ran.out) == (1, 1, "")
    assert f"{place}: " in ran.err
    assert len(re.findall(r"\b0\.\d{4}\b|\b1\.0000\b", ran.err)) == 2
    assert [file.name for file in place.parent.iterdir()] == [place.name]
    assert place.read_bytes() == before
    ran = command(*train, str(wrong), "--precision", "1", "--force")
    assert (ran.code, ran.err) == (0, "")
    assert f"{place}.old" in ran.out
    assert place.with_name(f"{place.name}.old").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "message"), [("svm", "scrapy train law"), ("tarot", "tarot.* vsm, cosine, naive_bayes")]
)
def test_a_crawl_by_a_classifier_that_is_not_there_does_not_begin(
    crawl: Crawl, name: str, message: str
) -> None:
    ran = crawl(None, code=1, topic="law", seeds=None, strategy=None, page_classifier=name)
    assert re.search(message, ran.err.strip().splitlines()[-1])
    assert "Traceback" not in ran.err
