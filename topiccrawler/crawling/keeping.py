"""What a crawl keeps: the relevance of a page read that counts for that, and whether it suffices.

Live crawl and comparison both ask `verdict_of`, so that a comparison measures what a crawl keeps.
"""

from __future__ import annotations

from typing import NamedTuple

from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.linking_pages import LinkingPages
from topiccrawler.model import Page
from topiccrawler.pages.words import PageWords


class Verdict(NamedTuple):
    """Of one page."""

    relevance: float  # 0..1, by the topic as it was taught, with that of the page that links it
    is_kept: bool


def verdict_of(
    page: Page, words: PageWords | None, parts: Parts, linking_pages: LinkingPages | None, threshold: float
) -> Verdict:
    """`words`: of the page; None = it was read by the topic as it was taught. `threshold`: 0..1."""
    classifier = parts.page_classifier
    taught = words if parts.strategy_classifier is not classifier else None
    if linking_pages is not None:
        similarity = page.similarity if taught is None else classifier.similarity(taught)
        relevance = linking_pages.relevance(similarity, page.via)
    else:
        relevance = page.relevance if taught is None else classifier.relevance(taught)
    return Verdict(relevance, relevance >= threshold)
