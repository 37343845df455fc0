"""Implements the page classifier `cosine`: the cosine between page and topic alone, as in three of the papers.

Idea: page and topic are vectors over the topic's words; the smaller their angle, the nearer the page. Only the topic's words of the page
are kept ("pruned"); those that it lacks are 0 ("expanded").
Formula: Sim(D1, D2) = Σ_k w1k·w2k / (√Σ_k w1k² · √Σ_k w2k²), k = 1..N; D1 the topic, D2 the page, N the topic's words; w1k the topic's
weight of word k; w2k by `weights`, x_k = (occurrences of the word in the text + title_weight · those in the title):
    tf       w2k = x_k            SkyReach eq. 4, §3.7, steps 1 to 5
    topic    w2k = x_k · w1k      thesis §4.4.4: b = (x1·w1, …, xn·wn), a = (w1, …, wn); there x_k is divided by the largest of the page
    tf_idf   w2k = x_k · idf_k    link model eq. 1; idf: jieba's, because the paper names no collection
    fields   all: text and title; title: the title alone, as the thesis was run (§1.4, §4.4)
A page with Sim >= d is relevant (SkyReach step 5, link model §2.2; the thesis has cos > r).
Parameters: weights topic; fields all; title_weight 5 (SkyReach step 2 weights the title more and gives no number; the others have no such factor: 1);
threshold .08 (d, r; 0..1): the papers leave it to the user; this one has the best mean F1 on five topics of labelled documents
(docs/lab.md). The longer a topic's list of words, the smaller every cosine.
Relevance: relevance.base, with that threshold.
But: one topic word gives a long page about something else the same angle as a short one. The page classifier `vsm` avoids
that by the share of topic words among the page's words.
Reference: SkyReach (2003) §3.7; MySpider thesis (2009) §1.4, §4.4.4; Shi, He & Wu (2014) §2.2.
"""

from __future__ import annotations

import math
from collections import Counter

from topiccrawler.errors import ArgumentError, TopicError
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.base import BySimilarity
from topiccrawler.text.segmenter import heads_of, joined_again
from topiccrawler.topics.common_words import background_idf
from topiccrawler.topics.topic import Topic, token_weights

WEIGHTS = ("tf", "topic", "tf_idf")
FIELDS = ("all", "title")
THRESHOLD = 0.08


class CosineClassifier(BySimilarity):
    """Relevance 0..1 of a page to one topic by the papers' cosine. Raises ArgumentError for unknown values or numbers out of range."""

    def __init__(
        self,
        topic: Topic,
        *,
        weights: str = "topic",
        fields: str = "all",
        title_weight: float = 5.0,
        threshold: float = THRESHOLD,
    ) -> None:
        for parameter, value, known in (("weights", weights, WEIGHTS), ("fields", fields, FIELDS)):
            if value not in known:
                given = f"page classifier cosine: {parameter}={value}"
                raise ArgumentError(given, "is unknown", f"give one of: {', '.join(known)}")
        if fields == "title" and not title_weight:
            given = "page classifier cosine: fields=title, title_weight=0"
            raise ArgumentError(given, "leaves no word", "give a title_weight above 0")
        if not (0.0 < threshold < 1.0 and 0.0 <= title_weight <= 1000.0):
            given = f"page classifier cosine: threshold={threshold:g}, title_weight={title_weight:g}"
            raise ArgumentError(
                given, "is out of range", "threshold is above 0 and below 1, title_weight 0 to 1000"
            )
        self.similarity_threshold = threshold
        self._field_weights = {"body": 1.0 if fields == "all" else 0.0, "title": title_weight}
        self._topic, unmatched = token_weights(topic.keywords, topic.segmenter)
        if not self._topic:
            fault = f"no keyword can be found among segmented words: {', '.join(unmatched[:5])}"
            raise TopicError(f"topic {topic.name}", fault, "give words of two letters or more")
        if weights == "tf_idf":
            idf = background_idf()
            self._factors = {word: idf.get(word, idf[""]) for word in self._topic}
        else:
            self._factors = self._topic if weights == "topic" else dict.fromkeys(self._topic, 1.0)
        self._length = math.hypot(*self._topic.values())
        self._heads = heads_of(self._topic)

    def similarity(self, words: PageWords) -> float:
        """Return Sim(D1, D2), 0..1; 0 for a page without a word of the topic."""
        return min(1.0, sum(share for _, share in self.explain(words)))

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Return the topic's words on the page with their shares of the cosine, largest first. The shares add up to the cosine."""
        page = {word: count * self._factors[word] for word, count in self._occurrences(words).items()}
        length = math.hypot(*page.values()) * self._length
        shares = ((word, value * self._topic[word] / length) for word, value in page.items() if length)
        return sorted(shares, key=lambda share: (-share[1], share[0]))

    def _occurrences(self, page: PageWords) -> dict[str, float]:
        """Return x_k for each word of the topic on the page."""
        counts: dict[str, float] = {}
        for field, weight in self._field_weights.items():
            words = getattr(page, field) if weight else ()
            found = Counter(filter(self._topic.__contains__, words))
            if not self._heads.isdisjoint(words):
                found.update(joined_again(words, self._heads, self._topic))
            for word, count in found.items():
                counts[word] = counts.get(word, 0.0) + weight * count
        return counts
