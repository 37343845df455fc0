"""Logs which words of a topic match no page, so that a misspelled word or one in another language does not stay unnoticed.

A word of which the segmenter keeps nothing (a single letter or digit) is logged at once; a word that occurs on none of the first PAGES pages
of a run, relevant or not, when they are read.
"""

from __future__ import annotations

import logging

from topiccrawler.pages.read import PageClassifier, PageWords
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.text.printable import printable

logger = logging.getLogger(__name__)

PAGES = 200
MOST_NAMED = 10


class UnmetWords:
    """The words that name the topic of a page classifier and that no page has had yet. Only the classifier `evidence` has such words."""

    def __init__(self, page_classifier: PageClassifier) -> None:
        self._classifier = page_classifier if isinstance(page_classifier, EvidenceClassifier) else None
        self._left = PAGES
        self._unmet: dict[str, str] = {}
        if self._classifier is not None:
            self._unmet = dict(self._classifier.spellings)
            if never := self._classifier.unmatched:
                logger.warning(
                    "%s of the topic can match no page: write a word of two letters or more", _named(never)
                )

    def read(self, words: PageWords) -> None:
        """Note the words of a page that was read."""
        if self._classifier is None or not self._unmet or not self._left:
            return
        for found in self._classifier.observe(words):
            for word in self._unmet.keys() & found.counts.keys():
                del self._unmet[word]
        self._left -= 1
        if not self._left and self._unmet:
            text = "%s of the topic: on none of %d pages; check the spelling, or use a word that pages have (scrapy topics show)"
            logger.warning(text, _named([*self._unmet.values()]), PAGES)


def _named(words: list[str]) -> str:
    named = ", ".join(map(printable, words[:MOST_NAMED]))
    more = f" and {len(words) - MOST_NAMED} more" if len(words) > MOST_NAMED else ""
    return f"the word{'s' if len(words) > 1 else ''} {named}{more}"
