"""What counts for keeping a page, asked by live crawls and replays alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.harvest import verdict_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.model import Page
from topiccrawler.pages.read import PageWords

PAGE = Page("http://page.test/", similarity=0.2, relevance=0.7)


@pytest.fixture(scope="module")
def parts() -> Parts:
    return assemble(Recipe("finance", "breadth_first", link_models="none"))


def test_a_page_is_kept_from_the_threshold_on(parts: Parts) -> None:
    own = PAGE.relevance
    assert verdict_of(PAGE, None, parts, own) == (own, True)
    assert verdict_of(PAGE, None, parts, own + 0.01) == (own, False)


def test_a_taught_topic_judges_by_the_words(parts: Parts) -> None:
    words = PageWords(title=("基金",), body=("基金", "股票", "市场"))
    assert verdict_of(PAGE, words, parts, 0.1).relevance == PAGE.relevance
    other = assemble(Recipe("travel", "breadth_first", link_models="none")).page_classifier
    taught = replace(parts, strategy_classifier=other)
    assert verdict_of(PAGE, words, taught, 0.1).relevance == parts.page_classifier.relevance(words)
