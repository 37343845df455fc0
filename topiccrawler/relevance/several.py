"""The page classifier of a crawl for several topics: a page is as relevant as to the topic it is most about.

Formula: relevance = max over topics t of min(1, r_t · T / T_t); r_t the topic's own relevance, T_t its threshold, T the smallest of them: so
one threshold holds for all.
"""

from __future__ import annotations

from collections.abc import Mapping

from topiccrawler.pages.classifier import PageClassifier
from topiccrawler.pages.words import PageWords


class SeveralTopics:
    """`classifiers`: of each topic, by its name."""

    def __init__(self, classifiers: Mapping[str, PageClassifier]) -> None:
        self._classifiers = classifiers
        self.threshold = min(one.threshold for one in classifiers.values())

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
        return tuple(name for name in ranked if relevances[name] >= self.threshold) or (ranked[0],)

    def _relevances(self, words: PageWords) -> dict[str, float]:
        least = self.threshold
        return {
            name: min(1.0, one.relevance(words) * least / one.threshold) if one.threshold else 1.0
            for name, one in self._classifiers.items()
        }
