"""The similarities of pages read so far, by which pages that they link are kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from topiccrawler.crawling.assemble import page_classifier_of, recipe_of_words
from topiccrawler.crawling.gate import OF_SITE, OPEN
from topiccrawler.crawling.keeping import LinkingPages, begin_anew, linking_page_weight, linking_pages_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Page, Via, Visit
from topiccrawler.relevance.base import relevance_of, similarity_of, with_linking_page
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.relevance.linear import LinearClassifier

HUB, SEED = "http://hub.test/", "http://seed.test/"
THRESHOLD = 0.15  # of similarity


def expected(similarity: float, linking: float) -> Any:
    """The relevance of a page by its similarity and that of the page that links it."""
    return pytest.approx(relevance_of(with_linking_page(similarity, linking, 0.5), THRESHOLD))


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
    pages = LinkingPages(0.5, THRESHOLD, notes)
    pages.read(Page(HUB, similarity=0.8))
    pages.read(Page(SEED, similarity=0.0))
    assert pages.relevance(0.2, linked(HUB)) == expected(0.2, 0.8)
    assert pages.relevance(0.2, linked(SEED)) == expected(0.2, 0.0)


def test_a_page_read_again_counts_as_it_is_now(notes: Any) -> None:
    pages = LinkingPages(0.5, THRESHOLD, notes)
    for similarity in (0.8, 0.1):
        pages.read(Page(HUB, similarity=similarity))
    pages.read(Page(SEED, similarity=0.5))
    assert pages.relevance(0.2, linked(HUB)) == expected(0.2, 0.1)
    assert pages.relevance(0.2, linked(SEED)) == expected(0.2, 0.5)


def test_seeds_and_pages_that_others_read_change_nothing(notes: Any) -> None:
    pages = LinkingPages(0.5, THRESHOLD, notes)
    assert pages.relevance(0.3, None) == relevance_of(0.3, THRESHOLD)
    assert pages.relevance(0.3, linked("")) == relevance_of(0.3, THRESHOLD)
    assert pages.relevance(0.3, linked("http://elsewhere.test/")) == relevance_of(0.3, THRESHOLD)


def test_a_job_that_goes_on_knows_what_it_read(notes: Any) -> None:
    pages = LinkingPages(
        0.5, THRESHOLD, notes, [visit(HUB, relevance_of(0.3, THRESHOLD)), visit(SEED, 0.9, gate=OF_SITE)]
    )
    assert pages.relevance(0.2, linked(HUB)) == expected(0.2, 0.3)
    assert pages.relevance(0.2, linked(SEED)) == relevance_of(0.2, THRESHOLD), "a feed or sitemap"


def test_lines_of_a_log_that_somebody_wrote_into_are_passed_over(notes: Any) -> None:
    odd: list[Any] = [visit(HUB, "much"), visit(HUB, None), visit(SEED, 0.8, "noon"), visit(["a"], 0.8)]  # type: ignore[arg-type]
    pages = LinkingPages(0.5, THRESHOLD, notes, odd)
    assert (
        pages.relevance(0.2, linked(HUB))
        == pages.relevance(0.2, linked(SEED))
        == relevance_of(0.2, THRESHOLD)
    )


def test_what_was_read_for_another_topic_does_not_count(notes: Any) -> None:
    begin_anew(notes, 20.0)
    pages = LinkingPages(0.5, THRESHOLD, notes, [visit(HUB, 0.8, 10.0), visit(SEED, 0.8, 30.0)])
    assert pages.relevance(0.2, linked(HUB)) == relevance_of(0.2, THRESHOLD)
    assert pages.relevance(0.2, linked(SEED)) > relevance_of(0.2, THRESHOLD)


def test_a_damaged_note_is_none(notes: Any) -> None:
    notes.put("linking_pages", "soon")
    assert LinkingPages(0.5, THRESHOLD, notes, [visit(HUB, 0.8)]).relevance(0.2, linked(HUB)) > relevance_of(
        0.2, THRESHOLD
    )


def test_it_is_for_one_topic_with_vsm() -> None:
    of = page_classifier_of
    assert linking_page_weight(Recipe("finance"), of(Recipe("finance"))) == 0.5
    none = Recipe("finance", linking_page=0.0)
    assert linking_page_weight(none, of(none)) == 0.0
    several = Recipe("finance,travel")
    assert linking_page_weight(several, of(several)) == 0.0
    trained = LinearClassifier(
        "svm", "finance", 0.5, ("finance", "rest"), {}, *[np.zeros(0)] * 3, 1.0, 0.0, unit=True, mean=False
    )
    assert linking_page_weight(Recipe("finance", page_classifier="svm"), trained) == 0.0
    words = recipe_of_words(Recipe(""), ["考研", "高考", "志愿"])
    assert isinstance(of(words), EvidenceClassifier)
    assert linking_page_weight(words, of(words)) == 0.0, (
        "a page is not about a user's words because one before it is"
    )


def test_a_log_of_an_earlier_version_has_similarities_up_to_some_time(notes: Any) -> None:
    """HUB was read before relevance was a probability, SEED after: .3 stands for itself there, and for .15 · (.3 / .7)^(1/3) = .1131 here."""
    visits = [visit(HUB, 0.3, 10.0), visit(SEED, 0.3, 20.0)]
    pages = LinkingPages(0.5, THRESHOLD, notes, visits, 20.0)
    assert similarity_of(0.3, THRESHOLD) == pytest.approx(0.113092, abs=1e-6)
    assert pages.relevance(0.2, linked(HUB)) == expected(0.2, 0.3)
    assert pages.relevance(0.2, linked(SEED)) == expected(0.2, similarity_of(0.3, THRESHOLD))
    earlier = LinkingPages(0.5, THRESHOLD, notes, visits, None)
    assert earlier.relevance(0.2, linked(SEED)) == expected(0.2, 0.3)
    recipe = replace(Recipe("finance"), relevance_since=20.0)
    made = linking_pages_of(recipe, page_classifier_of(recipe), notes, visits)
    assert made is not None
    assert made.relevance(0.2, linked(HUB)) == pytest.approx(
        relevance_of(with_linking_page(0.2, 0.3, 0.5), made.threshold)
    )


def test_a_new_crawl_has_probabilities_from_its_first_page(notes: Any) -> None:
    pages = LinkingPages(0.5, THRESHOLD, notes, [visit(HUB, 0.5, 10.0)])
    assert pages.relevance(0.2, linked(HUB)) == expected(0.2, THRESHOLD)
