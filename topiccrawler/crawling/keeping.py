"""What a crawl keeps: the relevance of a page read that counts for that, and whether it suffices.

Live crawl and comparison both ask `verdict_of`, so that a comparison measures what a crawl keeps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.linking_pages import LinkingPages
from topiccrawler.crawling.threshold import ThresholdLearner
from topiccrawler.model import Page
from topiccrawler.pages.words import PageWords


class Verdict(NamedTuple):
    """Of one page."""

    relevance: float  # 0..1, by the topic as it was taught, with that of the page that links it
    is_kept: bool


def verdict_of(
    page: Page, words: PageWords | None, parts: Parts, learners: Iterable[object], threshold: float
) -> Verdict:
    """`words`: of the page; None = its relevance is that of the topic as it was taught. `threshold`: 0..1, `keep_threshold`."""
    of_words = page.relevance
    if words is not None and parts.strategy_classifier is not parts.page_classifier:
        of_words = parts.page_classifier.relevance(words)
    known = next((one for one in learners if isinstance(one, LinkingPages)), None)
    relevance = of_words if known is None else known.relevance(of_words, page.via)
    return Verdict(relevance, relevance >= threshold)


def keep_threshold(learners: Iterable[object], given: float) -> float:
    """From which relevance a page is kept now; `given`: where the crawl does not move it itself."""
    own = (one.value for one in learners if isinstance(one, ThresholdLearner) and one.moves)
    return next(own, given)
