"""A page classifier whose topic gains words while the crawl runs; until then, and when they are taken back, that of the topic as it was."""

from __future__ import annotations

from collections.abc import Mapping

from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.topic import Topic


class GrowingClassifier:
    """`own`: by the topic as it was given. What is relevant is always told by one VSM, so an explanation adds up as ever."""

    def __init__(self, own: VsmClassifier) -> None:
        self.own, self._now = own, own

    @property
    def topic(self) -> Topic:
        """With the words that count now."""
        return self._now.topic

    @property
    def threshold(self) -> float:
        """As given."""
        return self.own.threshold

    def relevance(self, words: PageWords) -> float:
        """0..1"""
        return self._now.relevance(words)

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """The words behind it, those that were grown too."""
        return self._now.explain(words)

    @property
    def grown(self) -> bool:
        """Some word was grown."""
        return self._now is not self.own

    @property
    def grown_words(self) -> frozenset[str]:
        """Those that count now and were not given, as the segmenter gives them."""
        return self._now.words - self.own.words

    @property
    def own_words(self) -> frozenset[str]:
        """Of the topic as it was given, as the segmenter gives them."""
        return self.own.words

    def use(self, weights: Mapping[str, float], reasons: Mapping[str, str]) -> None:
        """From now on these words too, each with its share of the heaviest of the topic's; without any the topic as it was."""
        if not weights:
            self._now = self.own
            return
        self._now = VsmClassifier(with_words(self.own.topic, weights, reasons))


def with_words(topic: Topic, weights: Mapping[str, float], reasons: Mapping[str, str]) -> Topic:
    """The topic with these words too, each with its share of the heaviest."""
    heaviest = max(topic.keywords.values())
    words = {word: round(heaviest * share, 4) for word, share in weights.items()}
    changed = {
        "keywords": {**words, **topic.keywords},
        "reasons": {**topic.reasons, **reasons},
        "given": topic.given or list(topic.keywords),
    }
    return topic.model_copy(update=changed)
