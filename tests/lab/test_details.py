"""Detail pages in a comparison: found out once for all strategies, and only when one of them asks.

home ─> news ─> rain        the hub is about tea and, by an SVM that takes all text for one, a detail page;
  └──> hub* ──> green*      with `terminal` nothing follows its link
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.experiment import Plan, compare, reading_plan
from topiccrawler.lab.parsed_pages import ParsedPages, read_web
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.lab.training.detail_model import save_detail
from topiccrawler.lab.workers import Workers
from topiccrawler.relevance.detail import FILE, DetailClassifier
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.topics.seeds import Seeds

A = "http://a.example"
TEA = "茶叶绿茶，" * 30
WEB = {
    f"{A}/": "<title>首页</title><a href=/news/>新闻</a> <a href=/hub/>栏目</a>",
    f"{A}/news/": "<title>新闻</title>今天<a href=/rain/>天气</a>",
    f"{A}/hub/": f"<title>茶叶</title><p>{TEA}</p><a href=/green/>绿茶</a>",
    f"{A}/rain/": "<title>下雨</title>今天下雨",
    f"{A}/green/": f"<title>绿茶</title><p>{TEA}</p>",
}
HOME, NEWS, HUB, RAIN, GREEN = range(5)


@pytest.fixture
def plan(record: Callable[..., Path], tea: Path, tmp_path: Path) -> Plan:
    models = tmp_path / "models"
    (models / FILE).parent.mkdir(parents=True)
    svm = DetailClassifier(1.0, np.zeros(3), np.ones(3), np.zeros((1, 3)), np.zeros(1), 1.0)
    save_detail(svm, models / FILE)
    return Plan(
        web=(record(WEB),),
        recipes=(Recipe(str(tea), page_classifier_models=str(models), expand="all", prune=False),),
        seeds=(Seeds([f"{A}/"], []),),
        specs=("anchor_text", "jlse:terminal=true:detail=true"),
        pages=9,
    )


@contextlib.contextmanager
def silent(what: str, total: int) -> Iterator[Callable[[int], None]]:
    yield lambda _: None


def details(plan: Plan, place: Path) -> list[bool]:
    """Whether each parsed page is a detail page."""
    pages = RecordedPages(RecordedWeb(plan.web))
    with Workers(1) as workers:
        read_web(reading_plan(plan), pages, place, workers, lambda _: None)
    with contextlib.closing(ParsedPages(place)) as parsed:
        return [
            bool(reading and reading.page["is_detail"]) for reading in map(parsed.read, range(len(pages)))
        ]


def test_details_are_found_out_when_a_strategy_asks_and_only_then(plan: Plan, tmp_path: Path) -> None:
    asked = details(plan, tmp_path / "asked.sqlite")
    assert asked == [False, True, True, True, True]  # the home page has no word outside its links
    plain = replace(plan, specs=("anchor_text", "jlse"))
    assert details(plain, tmp_path / "plain.sqlite") == [False] * 5


def test_a_terminal_result_page_ends_the_way_in_a_comparison(plan: Plan, tmp_path: Path) -> None:
    crawls = compare(plan, tmp_path, silent).outcomes[0].crawls
    assert set(crawls["anchor_text"][0].order) == {HOME, NEWS, HUB, RAIN, GREEN}
    assert set(crawls["jlse:terminal=true:detail=true"][0].order) == {HOME, NEWS, HUB, RAIN}
