"""What counts for keeping a page, asked by live crawls and replays alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.keeping import LinkingPages, verdict_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Page, Via
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.base import relevance_of, with_linking_page

HUB = "http://hub.test/"
VIA = Via(Link("http://page.test/", "page.test", source_url=HUB))
PAGE = Page("http://page.test/", similarity=0.2, via=VIA, relevance=relevance_of(0.2, 0.15))


@pytest.fixture(scope="module")
def parts() -> Parts:
    return assemble(Recipe("finance", "breadth_first", link_models="none"))


def test_the_linking_page_counts_where_the_crawl_knows_it(parts: Parts) -> None:
    known = LinkingPages(0.5, 0.15, MemoryFrontier().notes)
    known.read(Page(HUB, similarity=0.8))
    by_hand = relevance_of(with_linking_page(0.2, 0.8, 0.5), 0.15)
    own = relevance_of(0.2, 0.15)
    assert verdict_of(PAGE, None, parts, known, 0.9) == (pytest.approx(by_hand), True)
    assert verdict_of(PAGE, None, parts, known, by_hand + 0.01).is_kept is False
    assert verdict_of(PAGE, None, parts, None, 0.9) == (own, False)
    assert verdict_of(PAGE, None, parts, None, own) == (own, True)


def test_a_taught_topic_judges_by_the_words(parts: Parts) -> None:
    words = PageWords(title=("基金",), body=("基金", "股票", "市场"))
    assert verdict_of(PAGE, words, parts, None, 0.1).relevance == PAGE.relevance
    other = assemble(Recipe("travel", "breadth_first", link_models="none")).page_classifier
    taught = replace(parts, strategy_classifier=other)
    assert verdict_of(PAGE, words, taught, None, 0.1).relevance == parts.page_classifier.relevance(words)
    known = LinkingPages(0.5, 0.15, MemoryFrontier().notes)
    known.read(Page(HUB, similarity=0.8))
    by_hand = with_linking_page(parts.page_classifier.similarity(words), 0.8, 0.5)
    assert verdict_of(PAGE, words, taught, known, 0.1).relevance == pytest.approx(relevance_of(by_hand, 0.15))
