"""Implements the page classifier `vsm`: the cosine of a page with the topic's keywords, times their share of the page's words.

Idea: keep only the topic's k keywords of the page (keywords that it lacks count 0) and compute the cosine between page and
topic. The cosine ignores how much of the page was dropped, so one keyword in a long page would
score high. So the share of topic words among the page's words is a second factor.
Formula: n_i = Σ_field count_i · field weight; x_i = n_i / max n; cosine = cos(x_i·w_i, w_i), w = topic weights;
share = Σ_i n_i·w_i / max w / (n of all words + prior_words); similarity = sqrt(cosine · min(1, share / full_share));
relevance: relevance.base, with the topic's page_threshold.
Parameters: FIELD_WEIGHTS of title, headings, emphasis, metas, text (SkyReach §3.7 weights the title more, without
a number; F1 hardly changes between title weights 3 and 10); prior_words 20: a page of three words proves little;
full_share 0.1: about the share on a page that is only about the topic, so that thresholds are near 0.15.
Negative topics (only with a trained topic vector): other topics' vectors, learned with it. similarity = the topic's own -
NEGATIVE_WEIGHT · that of the nearest negative topic, not below 0: a page about several topics still counts, one that is
nearer to another topic does not.
Words against the topic (`against` of a learned topic): one more negative topic, with the weight AGAINST_WEIGHT.
Contrast (`contrast` of a topic): if a page is at least as similar as the threshold, but similarity² / similarity to the nearest other topic
of the catalogue is below it, the page's similarity is set just below the threshold. Words near the topic's own do not count there
(topics.contrasts). A page about no topic, such as a list of many sites, keeps its similarity, because its links may be the best.
Reads: title, headings, emphasis, meta and body words of one page, already folded by the segmenter.
Cost: one count over the words, then work only for the keywords found; negative topics double it (benchmarks/judge.py).
But: the share is ours; the papers have the cosine alone. It weights each word by its topic weight, so that common words
alone do not make it large; the square root only spreads the scale. Mean F1 on five topics of documents (benchmarks/judge.py):
cosine alone .73, share alone .83, both .84.
Reference: MySpider thesis (2009) §4.4.4; SkyReach (2003) §3.7.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from topiccrawler.errors import TopicError
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.base import BySimilarity
from topiccrawler.text.segmenter import heads_of, joined_again
from topiccrawler.topics.contrasts import contrast_vectors
from topiccrawler.topics.topic import Topic, token_weights

FIELD_WEIGHTS = (5.0, 2.0, 1.0, 2.0, 1.0)  # of title, headings, emphasis, metas, text
NEGATIVE_WEIGHT = 0.8
AGAINST_WEIGHT = 0.3  # weight of the words of pages that a person refused (docs/lab.md)
TURNED = 0.999  # share of the threshold that a page nearer to another topic gets as its similarity
LEAST_WEIGHT = 1e-6  # relative to the heaviest word: squares of smaller weights would vanish


class VsmClassifier(BySimilarity):
    """Relevance 0..1 of a page to one topic in the vector space model, and the words that explain it."""

    def __init__(
        self,
        topic: Topic,
        *,
        prior_words: float = 20.0,
        full_share: float = 0.1,
        negative_topics: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        self.topic = topic
        self.similarity_threshold = topic.page_threshold
        self.prior_words, self.full_share = prior_words, full_share
        weights, self.unmatched = token_weights(topic.keywords, topic.segmenter)
        if not weights:
            fault = f"no keyword can be found among segmented words: {', '.join(self.unmatched[:5])}"
            raise TopicError(f"topic {topic.name}", fault, "give words of two letters or more")
        heaviest = max(weights.values())
        self._weights = {word: max(weight / heaviest, LEAST_WEIGHT) for word, weight in weights.items()}
        self._length = math.sqrt(sum(weight * weight for weight in self._weights.values()))
        self._heads = heads_of(self._weights)
        self.negative_topics = dict(negative_topics or {})
        self._lengths: list[float] = []
        self._negative_weights: list[float] = []
        # word -> (number of a negative topic, weight of the word in it)
        self._negative_topics_of: dict[str, list[tuple[int, float]]] = {}
        against = (
            [(token_weights(topic.against, topic.segmenter)[0], AGAINST_WEIGHT)] if topic.against else []
        )
        subtracted = [*((vector, NEGATIVE_WEIGHT) for vector in self.negative_topics.values()), *against]
        contrasting = contrast_vectors(topic) if topic.contrast else {}
        self._contrasting = list(contrasting)  # names of topics
        vectors = [*subtracted, *((vector, 1.0) for vector in contrasting.values())]
        self._subtracted = len(subtracted)  # the vectors after these are contrasting topics
        for vector, weight_of_all in vectors:
            most = max(vector.values(), default=1.0)
            for word, weight in vector.items():
                self._negative_topics_of.setdefault(word, []).append((len(self._lengths), weight / most))
            self._negative_weights.append(weight_of_all)
            self._lengths.append(math.sqrt(sum((weight / most) ** 2 for weight in vector.values())) or 1.0)
        self._known = self._weights.keys() | self._negative_topics_of.keys()
        # the last result, because each page is scored twice: similarity, relevance
        self._last: tuple[PageWords | None, float] = (None, 0.0)

    @property
    def words(self) -> frozenset[str]:
        """The keywords, as the segmenter returns them."""
        return frozenset(self._weights)

    def similarity(self, words: PageWords) -> float:
        """Return the similarity of a page, 0..1; a page with at least `similarity_threshold` is about the topic."""
        page, similarity = self._last
        if page is not words:
            own, nearer = self._compared(*self._counts(words))
            similarity = TURNED * self.similarity_threshold if nearer else own
            self._last = words, similarity
        return similarity

    def _compared(self, counts: Mapping[str, float], running: float) -> tuple[float, str]:
        """Return the page's similarity, and the contrasting topic that is too much nearer to the page; "" = none."""
        weights = self._weights
        along = across = heavy = 0.0
        for word, count in counts.items():
            if word in weights:
                weight = weights[word]
                component = count * weight  # dividing all counts by the largest would not change the cosine
                heavy += component
                along += component * weight
                across += component * component
        if not heavy:
            return 0.0, ""
        own = self._likeness(heavy, along, across, self._length, running)
        if not self._lengths or (not self._subtracted and own < self.similarity_threshold):
            return own, ""
        others = self._others(counts, running)
        own = max(0.0, own - max(others[: self._subtracted], default=0.0))
        contrasting = others[self._subtracted :]
        nearest = max(contrasting, default=0.0)
        if nearest > own >= self.similarity_threshold > own * own / nearest:
            return own, self._contrasting[contrasting.index(nearest)]
        return own, ""

    def _likeness(self, heavy: float, along: float, across: float, length: float, running: float) -> float:
        cosine = along / (math.sqrt(across) * length)
        share = heavy / (running + self.prior_words)
        return math.sqrt(min(1.0, cosine) * min(1.0, share / self.full_share))

    def _others(self, counts: Mapping[str, float], running: float) -> list[float]:
        """Return the similarity of the page to each negative or contrasting topic, times the weight of that topic."""
        negative_topics = range(len(self._lengths))
        heavy, along, across = ([0.0 for _ in negative_topics] for _ in range(3))
        for word, count in counts.items():
            for negative_topic, weight in self._negative_topics_of.get(word, ()):
                component = count * weight
                heavy[negative_topic] += component
                along[negative_topic] += component * weight
                across[negative_topic] += component * component
        columns = zip(self._negative_weights, heavy, along, across, self._lengths, strict=True)
        return [
            weight * self._likeness(total, dot, square, length, running) if total else 0.0
            for weight, total, dot, square, length in columns
        ]

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Return the keywords of the page with their shares of the similarity, largest first; they add up to it.

        If another topic is too near, an entry before them has what it subtracts.
        """
        counts, running = self._counts(words)
        own, nearer = self._compared(counts, running)
        weights = self._weights
        parts = {word: count * weights[word] for word, count in counts.items() if word in weights}
        scale = own / (sum(parts.values()) or 1.0)
        shares = ((word, part * scale) for word, part in parts.items())
        turned = [(f"nearer to {nearer}", TURNED * self.similarity_threshold - own)] if nearer else []
        return [*turned, *sorted(shares, key=lambda share: (-share[1], share[0]))]

    def _counts(self, page: PageWords) -> tuple[dict[str, float], float]:
        """Return the weighted occurrences of each keyword (also of negative topics), and the weighted number of words of the page."""
        counts: dict[str, float] = {}
        running = 0.0
        fields = (page.title, page.headings, page.emphasis, page.meta, page.body)
        for words, field_weight in zip(fields, FIELD_WEIGHTS, strict=True):
            if not words or field_weight <= 0:
                continue
            running += field_weight * len(words)
            for word, count in Counter(filter(self._known.__contains__, words)).items():
                counts[word] = counts.get(word, 0.0) + field_weight * count
            if not self._heads.isdisjoint(words):
                for word in joined_again(words, self._heads, self._weights):
                    counts[word] = counts.get(word, 0.0) + field_weight
        return counts, running
