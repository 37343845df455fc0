"""A replayed crawl whose topic grows classifies the pages to come by the words it has grown, as a live one does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from topiccrawler.crawling import growth
from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.growth import Growth
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.evaluation.costs import Cost
from topiccrawler.evaluation.page_reading import ReadingPlan, read_web
from topiccrawler.evaluation.parsed_pages import ParsedPages, Reading
from topiccrawler.evaluation.recorded_pages import RecordedPages
from topiccrawler.evaluation.replayed import ReplayedCrawl, Run
from topiccrawler.evaluation.workers import Workers
from topiccrawler.frontier.base import State
from topiccrawler.model import Page, Via
from topiccrawler.replay.warc import RecordedWeb

HUB, LAST = "http://hub.example/", "http://last.example/"


class Watched(ReplayedCrawl):
    """Keeps what it saw of the last page."""

    last: Page

    def page(self, number: int, reading: Reading, via: Via) -> Page:
        self.last = super().page(number, reading, via)
        return self.last


def crawled(recipe: Recipe, web: Path, place: Path) -> Watched:
    plan = ReadingPlan.of([web], [recipe], ["window"])
    with Workers(1) as workers:
        read_web(plan, RecordedPages(RecordedWeb([web])), place, workers, lambda _: None)
    with closing(ParsedPages(place)) as parsed:
        run = Run(recipe, "breadth_first", (parsed.numbers[HUB],), 100, place, concurrency=1)
        crawl = Watched(run, assemble(replace(recipe, strategy="breadth_first")), parsed, Cost())
        crawl.go()
    return crawl


def test_pages_are_classified_by_grown_words(
    record: Callable[..., Path], tea: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "FIRST_PAGES", 30)
    monkeypatch.setattr(growth, "EVERY_PAGES", 10)
    pages = {
        f"http://site{number % 7}.example/{number}": "<title>绿茶</title><p>" + "茶叶，龙井，" * 9
        if number % 2
        else "<title>球队</title><p>足球"
        for number in range(40)
    }
    links = "".join(f"<a href={url}>.</a>" for url in [*pages, LAST])
    web = record(
        {HUB: f"<title>茶叶</title>{links}", **pages, LAST: "<title>龙井</title><p>" + "龙井，" * 30}
    )
    own = crawled(Recipe(str(tea), link_models="none"), web, tmp_path / "own.sqlite")
    grown = crawled(Recipe(str(tea), link_models="none", growth=True), web, tmp_path / "grown.sqlite")
    assert own.ordering.learners == []
    assert isinstance(learner := grown.ordering.learners[0], Growth)
    assert set(learner.state.words) == {"龙井"}
    assert own.last.url == grown.last.url == LAST
    assert own.last.relevance == 0.0
    assert grown.last.relevance > 0.1
    assert own.frontier.listing.counts()[State.WAITING] == 0
