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
from topiccrawler.relevance.linking_page import with_linking_page
from topiccrawler.replay.warc import RecordedWeb

HUB, LAST = "http://hub.example/", "http://last.example/"


class Watched(ReplayedCrawl):
    """Keeps what it saw of the pages."""

    seen: list[Page]

    @property
    def last(self) -> Page:
        return self.seen[-1]

    def page(self, number: int, reading: Reading, via: Via) -> Page:
        self.seen.append(super().page(number, reading, via))
        return self.last


def crawled(recipe: Recipe, web: Path, place: Path) -> Watched:
    plan = ReadingPlan.of([web], [recipe], ["window"])
    with Workers(1) as workers:
        read_web(plan, RecordedPages(RecordedWeb([web])), place, workers, lambda _: None)
    with closing(ParsedPages(place)) as parsed:
        run = Run(recipe, "breadth_first", (parsed.numbers[HUB],), 100, place, concurrency=1)
        crawl = Watched(run, assemble(replace(recipe, strategy="breadth_first")), parsed, Cost())
        crawl.seen = []
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
    assert not any(isinstance(one, Growth) for one in own.ordering.learners)
    assert isinstance(learner := grown.ordering.learners[0], Growth)
    assert set(learner.state.words) == {"龙井"}
    assert own.last.url == grown.last.url == LAST
    assert own.last.relevance == 0.0
    assert grown.last.relevance > 0.1
    assert own.frontier.listing.counts()[State.WAITING] == 0


def test_what_is_kept_hangs_on_the_linking_page_as_in_a_crawl(
    record: Callable[..., Path], tea: Path, tmp_path: Path
) -> None:
    """Two pages with the same few words of tea: one is linked from a page about tea, one from a page about football."""
    few = "<title>记事</title><p>" + "绿茶，" + "今天天气很好，" * 40
    web = record(
        {
            HUB: "<title>茶叶</title><a href=http://tea.example/>.</a> <a href=http://ball.example/>.</a>",
            "http://tea.example/": f"<title>茶叶</title><p>{'茶叶，绿茶，' * 30}<a href=/few>.</a>",
            "http://ball.example/": f"<title>足球</title><p>{'足球，球队，' * 30}<a href=/few>.</a>",
            "http://tea.example/few": few,
            "http://ball.example/few": few,
        }
    )
    found = crawled(Recipe(str(tea), link_models="none"), web, tmp_path / "pages.sqlite")
    urls = dict(enumerate(found.parsed.urls))
    verdicts = {urls[number]: verdict for number, verdict in found.found.verdicts.items()}
    assert set(verdicts) == set(urls.values())
    of_words = found.last.relevance
    assert found.last.url.endswith("/few")
    for host in ("tea", "ball"):
        linking = next(page for page in found.seen if page.url == f"http://{host}.example/")
        expected = with_linking_page(of_words, linking.relevance, 0.5)
        assert verdicts[f"http://{host}.example/few"].relevance == pytest.approx(expected, abs=1e-6)
    assert (
        verdicts["http://tea.example/few"].relevance
        > of_words
        > verdicts["http://ball.example/few"].relevance
    )
    for verdict in verdicts.values():
        assert verdict.is_kept == (verdict.relevance >= 0.2)
