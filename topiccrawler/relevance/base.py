"""Names the page classifiers and converts similarities to their common scale: relevance is a probability.

Idea: the meaning of a similarity of .2 depends on topic and classifier; a probability means the same for all. Each classifier knows the
similarity at which a page is as likely on topic as off topic; there its relevance is one half.
Formula: relevance = 1 / (1 + (T / s)^SLOPE), s = similarity, T = that threshold: a logistic curve over ln s.
Parameters: SLOPE 3 (docs/lab.md).
"""

from __future__ import annotations

from typing import ClassVar

from topiccrawler.pages.read import PageWords

EVIDENCE, VSM, COSINE, NEAREST_CENTROID = "evidence", "vsm", "cosine", "nearest_centroid"
TRAINED = ("naive_bayes", "svm")
PUBLISHED = "naive_bayes:published=true"  # naive Bayes as in JLSE, a model of its own
PAGE_CLASSIFIERS = (EVIDENCE, VSM, COSINE, *TRAINED, NEAREST_CENTROID)
MOST_WORDS = 12_000  # of a trained page classifier
EVEN = 0.5  # relevance from which a page counts as relevant, for every topic and page classifier
SLOPE = 3.0


def relevance_of(similarity: float, threshold: float) -> float:
    """Convert a similarity to a relevance, 0..1; EVEN at the threshold."""
    if similarity <= 0.0:
        return 0.0 if threshold > 0.0 else 1.0
    return float(1.0 / (1.0 + min(threshold / similarity, 1e50) ** SLOPE))


def similarity_of(relevance: float, threshold: float) -> float:
    """Convert a relevance to a similarity, 0..1: the inverse of `relevance_of`."""
    if relevance <= 0.0:
        return 0.0
    return float(min(1.0, threshold * (relevance / max(1.0 - relevance, 1e-12)) ** (1.0 / SLOPE)))


class BySimilarity:
    """A page classifier whose relevance is its similarity on the common scale (pages.read.PageClassifier)."""

    threshold: ClassVar[float] = EVEN
    reads_segments: ClassVar[bool] = False
    similarity_threshold: float

    def similarity(self, words: PageWords) -> float:
        raise NotImplementedError

    def relevance(self, words: PageWords) -> float:
        """The probability, 0..1, that the page is about the topic."""
        return relevance_of(self.similarity(words), self.similarity_threshold)
