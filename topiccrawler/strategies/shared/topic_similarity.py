"""Similarity of short texts to the topic, for strategies without a trained model.

A page classifier wants a page, a link has five words. So the same vector comparison is used without the
allowance for short pages, and the texts of a page's links are segmented in one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from topiccrawler.links.features import LinkWords, words_of_links
from topiccrawler.model import Link
from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.text.thesaurus import Thesaurus
from topiccrawler.text.vectors import top_k
from topiccrawler.topics.keyword_tokens import token_weights
from topiccrawler.topics.topic import Topic

_MOST_REMEMBERED = 50_000  # words


class TopicSimilarity:
    """Relevance of link texts to one topic, 0..1 (relevance.vsm, without its allowance for short pages)."""

    def __init__(self, topic: Topic) -> None:
        self._page_classifier = VsmClassifier(topic, prior_words=0.0)

    def relevance(self, words: Sequence[str]) -> float:
        """0 for no words."""
        return self._page_classifier.similarity(PageWords(body=words)) if words else 0.0

    def links(self, links: Sequence[Link]) -> list[tuple[float, float]]:
        """Relevance of anchor and of context of each link of a page."""
        return [(self.relevance(one.anchor), self.relevance(one.context)) for one in words_of_links(links)]


class WordSimilarity:
    """max over topic words k of sim(w, k), for one word w at a time; results are cached."""

    def __init__(self, topic: Topic, thesaurus: Thesaurus, top_words: int) -> None:
        nearest = thesaurus.nearest(list(top_k(token_weights(topic.keywords)[0], top_words)))
        self.of_word = lru_cache(_MOST_REMEMBERED)(nearest)

    def of_words(self, words: Sequence[str]) -> float:
        """The nearest of them; 0 for none."""
        return max(map(self.of_word, words), default=0.0)


def shown_words(words: LinkWords, *, with_context: bool) -> Sequence[str]:
    """The link's own words: its anchor, and its context when asked."""
    return [*words.anchor, *words.context] if with_context else words.anchor
