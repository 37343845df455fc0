"""The relevances of pages read so far, by which pages that they link are kept."""

from __future__ import annotations

from typing import Any

import pytest

from topiccrawler.crawling.gate import OF_SITE, OPEN
from topiccrawler.crawling.linking_pages import LinkingPages, begin_anew, linking_page_weight
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Page, Via, Visit
from topiccrawler.relevance.linking_page import with_linking_page

HUB, SEED = "http://hub.test/", "http://seed.test/"


def linked(source: str) -> Via:
    """How a page was reached from another."""
    return Via(Link("http://page.test/中文", "page.test", source_url=source))


def visit(url: str, relevance: Any, time: Any = 10.0, gate: str = OPEN) -> Visit:
    """A line of the crawl log."""
    return Visit(url, 200, 0.0, relevance, True, time, gate=gate)


@pytest.fixture
def notes() -> Any:
    return MemoryFrontier().notes


def test_the_page_that_links_it_counts(notes: Any) -> None:
    pages = LinkingPages(0.5, notes)
    pages.read(Page(HUB, relevance=0.8))
    pages.read(Page(SEED, relevance=0.0))
    assert pages.relevance(0.2, linked(HUB)) == pytest.approx(with_linking_page(0.2, 0.8, 0.5))
    assert pages.relevance(0.2, linked(SEED)) == pytest.approx(with_linking_page(0.2, 0.0, 0.5))


def test_a_page_read_again_counts_as_it_is_now(notes: Any) -> None:
    pages = LinkingPages(0.5, notes)
    for relevance in (0.8, 0.1):
        pages.read(Page(HUB, relevance=relevance))
    pages.read(Page(SEED, relevance=0.5))
    assert pages.relevance(0.2, linked(HUB)) == pytest.approx(with_linking_page(0.2, 0.1, 0.5))
    assert pages.relevance(0.2, linked(SEED)) == pytest.approx(with_linking_page(0.2, 0.5, 0.5))


def test_seeds_and_pages_that_others_read_change_nothing(notes: Any) -> None:
    pages = LinkingPages(0.5, notes)
    assert pages.relevance(0.3, None) == 0.3
    assert pages.relevance(0.3, linked("")) == 0.3
    assert pages.relevance(0.3, linked("http://elsewhere.test/")) == 0.3


def test_a_job_that_goes_on_knows_what_it_read(notes: Any) -> None:
    pages = LinkingPages(0.5, notes, [visit(HUB, 0.8), visit(SEED, 0.9, gate=OF_SITE)])
    assert pages.relevance(0.2, linked(HUB)) == pytest.approx(with_linking_page(0.2, 0.8, 0.5))
    assert pages.relevance(0.2, linked(SEED)) == 0.2, "a feed or sitemap"


def test_lines_of_a_log_that_somebody_wrote_into_are_passed_over(notes: Any) -> None:
    odd: list[Any] = [visit(HUB, "much"), visit(HUB, None), visit(SEED, 0.8, "noon"), visit(["a"], 0.8)]  # type: ignore[arg-type]
    pages = LinkingPages(0.5, notes, odd)
    assert pages.relevance(0.2, linked(HUB)) == pages.relevance(0.2, linked(SEED)) == 0.2


def test_what_was_read_for_another_topic_does_not_count(notes: Any) -> None:
    begin_anew(notes, 20.0)
    pages = LinkingPages(0.5, notes, [visit(HUB, 0.8, 10.0), visit(SEED, 0.8, 30.0)])
    assert pages.relevance(0.2, linked(HUB)) == 0.2
    assert pages.relevance(0.2, linked(SEED)) > 0.2


def test_a_damaged_note_is_none(notes: Any) -> None:
    notes.put("linking_pages", "soon")
    assert LinkingPages(0.5, notes, [visit(HUB, 0.8)]).relevance(0.2, linked(HUB)) > 0.2


def test_it_is_for_one_topic_with_vsm() -> None:
    assert linking_page_weight(Recipe("finance")) == 0.5
    assert linking_page_weight(Recipe("finance", linking_page=0.0)) == 0.0
    assert linking_page_weight(Recipe("finance", page_classifier="svm")) == 0.0
    assert linking_page_weight(Recipe("finance,travel")) == 0.0
