"""The page classifier of a crawl for several topics: a page is as relevant as to the topic it is most about.

Formula: relevance = max over topics of the relevance to each; similarity = max over topics t of min(1, s_t · T / T_t); s_t the topic's own
similarity, T_t its threshold, T the smallest of them: so one threshold holds for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from topiccrawler.pages.classifier import PageClassifier
from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.base import EVEN


class SeveralTopics:
    """`classifiers`: of each topic, by its name."""

    threshold: ClassVar[float] = EVEN
    reads_segments: ClassVar[bool] = False

    def __init__(self, classifiers: Mapping[str, PageClassifier]) -> None:
        self._classifiers = classifiers
        self.similarity_threshold = min(one.similarity_threshold for one in classifiers.values())
        self.reads_segments = any(one.reads_segments for one in classifiers.values())  # type: ignore[misc] # of this one

    def similarity(self, words: PageWords) -> float:
        """0..1"""
        least = self.similarity_threshold
        return max(
            min(1.0, one.similarity(words) * least / one.similarity_threshold)
            if one.similarity_threshold
            else 1.0
            for one in self._classifiers.values()
        )

    def relevance(self, words: PageWords) -> float:
        """0..1"""
        return max(self._relevances(words).values())

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """The words behind the relevance to the topic the page is most about."""
        relevances = self._relevances(words)
        name = max(relevances, key=relevances.__getitem__)
        shares = self._classifiers[name].explain(words)
        scale = relevances[name] / (sum(share for _, share in shares) or 1.0)
        return [(word, share * scale) for word, share in shares]

    def topics_of(self, words: PageWords) -> tuple[str, ...]:
        """The topics a page is about, that it is most about first; when there is none, the nearest."""
        relevances = self._relevances(words)
        ranked = sorted(relevances, key=lambda name: -relevances[name])
        return tuple(name for name in ranked if relevances[name] >= EVEN) or (ranked[0],)

    def _relevances(self, words: PageWords) -> dict[str, float]:
        return {name: one.relevance(words) for name, one in self._classifiers.items()}
