"""The topic vector of pages that were read: topics.keywords, with title, headings and meta words weighing more."""

from __future__ import annotations

from collections.abc import Sequence

from topiccrawler.pages.words import PageWords
from topiccrawler.topics.keywords import SIZE, keywords_of_words

FIELD_WEIGHTS = {"title": 5, "headings": 2, "emphasis": 1, "meta": 2, "body": 1}


def keywords_of_pages(
    pages: Sequence[PageWords], others: Sequence[PageWords] = (), size: int = SIZE
) -> dict[str, float]:
    """The topic vector of pages that were read; title, headings and meta words weigh more."""
    return keywords_of_words(list(map(running_words, pages)), list(map(running_words, others)), size)


def running_words(page: PageWords) -> list[str]:
    """All words of a page, each as often as its field weighs."""
    return [
        word for name, weight in FIELD_WEIGHTS.items() for word in getattr(page, name) for _ in range(weight)
    ]
