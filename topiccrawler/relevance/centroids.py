"""Implements the page classifier `nearest_centroid`: a page belongs to the class with the most similar centroid, as in the MySpider thesis.

Idea: each class, the topic and others, is the mean of its documents' vectors. A page is about the topic if no other class is nearer.
Formula (§3.3.2, steps 1 to 6): Sim(d, d_j) = Σ_k W_k·W_jk / (√Σ_k W_k² · √Σ_k W_jk²), k = 1..M, d_j = mean over the documents of class j;
W_k = occurrences of word k · log10(N/n_k + .01), as in text.weights.counted_tf_idf. Words of title, headings, emphasis and meta count as in
relevance.linear.
Similarity: a / (a + b), a = Sim to the topic, b = the largest Sim to another class; one half where both are equally near.
Relevance: 1 / (1 + (b / a)^SLOPE), with the SLOPE of relevance.base: one half there too. The thesis only compares.
Parameters: none; classes are the labels of the training documents (relevance.training.train), M its `most_words`.
Cost: one look-up a distinct word, one small matrix product.
But: long documents weigh more in a centroid, since tf counts occurrences. A class with few documents lies near those alone.
Reference: MySpider thesis (2009) §3.3.1-3.3.2, §4.3.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.base import EVEN, NEAREST_CENTROID, relevance_of
from topiccrawler.relevance.linear import LARGEST, read_model, running_words, vectors_in, write_model
from topiccrawler.text.weights import (
    Vector,
    centroid,
    counted_tf_idf,
    document_frequencies,
    norm,
    occurrences,
)


@dataclass(frozen=True, slots=True)
class CentroidClassifier:
    """Relevance 0..1 of a page by the centroids of several classes, the topic's first. `idf`: word -> log10(N/n + .01)."""

    threshold: ClassVar[float] = EVEN
    reads_segments: ClassVar[bool] = False
    name: ClassVar[str] = NEAREST_CENTROID
    similarity_threshold: ClassVar[float] = 0.5  # the topic is as near as another class
    topic: str
    idf: Mapping[str, float]
    centroids: Mapping[str, Vector]  # class -> centroid
    training: Mapping[str, object] = field(default_factory=dict)
    scores: Mapping[str, object] = field(default_factory=dict)
    _rows: Mapping[str, int] = field(init=False, repr=False)  # word -> row of _units
    # a column for each centroid, of length 1; of length 0 without words
    _units: npt.NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = {word: row for row, word in enumerate(self.idf)}
        units = np.zeros((len(rows), len(self.centroids)))
        for column, centre in enumerate(self.centroids.values()):
            length = norm(centre) or 1.0
            for word, value in centre.items():
                if word in rows:
                    units[rows[word], column] = value / length
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_units", units)

    def similarity(self, words: PageWords) -> float:
        """Return the share of the topic in the similarities to it and to the nearest other class, 0..1."""
        own, other = self._nearest(words)
        return own / (own + other) if own else 0.0

    def relevance(self, words: PageWords) -> float:
        """Return the relevance of a page, 0..1; one half if another class is as near as the topic."""
        own, other = self._nearest(words)
        return relevance_of(own, other) if own else 0.0

    def class_of(self, words: PageWords) -> str:
        """Return the class with the most similar centroid; the first of several; "" for a page without a known word."""
        similarities = self.similarities(words)
        nearest = max(similarities, key=similarities.__getitem__)
        return nearest if similarities[nearest] > 0.0 else ""

    def similarities(self, words: PageWords) -> dict[str, float]:
        """Return the cosine of a page with each class's centroid, 0..1."""
        page = self._vector(words)
        if not (length := norm(page)):
            return dict.fromkeys(self.centroids, 0.0)
        rows = [self._rows[word] for word in page]
        cosines = np.fromiter(page.values(), np.float64, len(rows)) @ self._units[rows] / length
        return dict(zip(self.centroids, np.minimum(cosines, 1.0).tolist(), strict=True))

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Return the words of the page with their shares of the cosine with the topic's centroid, largest first."""
        page = self._vector(words)
        length = norm(page)
        shares = [
            (word, value * float(self._units[self._rows[word], 0]) / length) for word, value in page.items()
        ]
        return sorted((one for one in shares if one[1] > 0.0), key=lambda share: (-share[1], share[0]))

    def _nearest(self, words: PageWords) -> tuple[float, float]:
        own, *others = self.similarities(words).values()
        return own, max(others)

    def _vector(self, words: PageWords) -> dict[str, float]:
        counts = occurrences([running_words(words)])
        return {word: count * self.idf[word] for word, count in counts.items() if word in self.idf}


def centroid_classifier(
    topic: str, documents: Sequence[tuple[PageWords, str]], most_words: int
) -> CentroidClassifier:
    """Return the classifier of documents with their classes, `topic` one of them. The `most_words` largest words of the centroids are kept."""
    cut = [(running_words(words), label) for words, label in documents]
    frequencies = document_frequencies([words for words, _ in cut])
    idf = counted_tf_idf(dict.fromkeys(frequencies, 1.0), len(cut), frequencies)
    vectors: dict[str, list[Vector]] = {topic: []}
    for words, label in cut:
        counts = occurrences([words])
        vectors.setdefault(label, []).append({word: count * idf[word] for word, count in counts.items()})
    centroids = {label: centroid(vectors[label]) for label in [topic, *sorted(vectors.keys() - {topic})]}
    largest: dict[str, float] = {}
    for centre in centroids.values():
        length = norm(centre) or 1.0
        for word, value in centre.items():
            largest[word] = max(largest.get(word, 0.0), value / length)
    kept = set(sorted(largest, key=lambda word: (-largest[word], word))[:most_words])
    return CentroidClassifier(
        topic,
        {word: value for word, value in idf.items() if word in kept},
        {
            label: {word: v for word, v in centre.items() if word in kept}
            for label, centre in centroids.items()
        },
    )


LEAST = 1e-4  # of a saved centroid, whose largest entry is 1: its length does not matter


def save_centroids(classifier: CentroidClassifier, place: Path) -> None:
    """Write a classifier to a file, which is replaced atomically. Entries of centroids are rounded to LEAST, smaller ones left out."""
    head = {
        "training": dict(classifier.training),
        "scores": dict(classifier.scores),
        "centroids": {label: _rounded(centre) for label, centre in classifier.centroids.items()},
    }
    words = {word: round(value, 6) for word, value in sorted(classifier.idf.items())}
    write_model(place, NEAREST_CENTROID, classifier.topic, head, words)


def _rounded(centre: Vector) -> dict[str, float]:
    largest = max(centre.values(), default=1.0)
    return {word: round(v / largest, 4) for word, v in sorted(centre.items()) if v / largest >= LEAST}


def load_centroids(place: Path | Traversable) -> CentroidClassifier:
    """Return the classifier in a file. Raises ModelError for a file that is not valid."""
    file = read_model(place, NEAREST_CENTROID)
    centroids, words = vectors_in(file, "centroids"), file.mapping("words")
    topic = file.values.get("topic")
    if not isinstance(topic, str) or len(centroids) < 2 or next(iter(centroids)) != topic:
        raise file.refused("has no centroid of its topic and of another class")
    idf = {word: file.number(word, 0.0, LARGEST, words) for word in words}
    return CentroidClassifier(topic, idf, centroids, file.mapping("training"), file.mapping("scores"))
