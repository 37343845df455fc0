"""The trained page classifiers: centroid, naive Bayes and linear SVM are one sum over the words of a page.

Idea: all three give a word a number for each class; they differ in how it was found (relevance.training) and in whether a
page is taken as counts or as a vector of length 1. So one class scores them all, without scikit-learn.
Formula: x_w = count · factor_w, or (1 + ln count) · factor_w divided by the length of x (`unit`); s_c = Σ x_w·v_wc + b_c;
margin = s_topic - max over negative topics c of s_c, negative topics = the other labels; divided by the number of known
words (`mean`); similarity = 1 / (1 + e^-(slope·margin + offset)), fitted to margins of held-out documents (Platt); relevance: the
same with the log-odds of the threshold taken off.
naive_bayes: counts, factor 1, mean; svm: unit, factor = idf, `pairs` of neighbouring words and
word `lists` too; centroid: unit, factor = idf · sqrt(IG).
Reads: words of all fields (relevance.features).
Cost: one look-up a distinct word, one small matrix product; see benchmarks/judge.py.
But: words the model does not know do not lengthen the page. JLSE eq. 2 multiplies word by word, so the probability of a
page of 500 words is 0 or 1; the mean and the fitted slope avoid that. `log_odds` is the plain sum.
Reference: JLSE (2014) §3.1; Joachims (1998); Platt (1999).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.base import EVEN
from topiccrawler.relevance.features import Lists, counts_of, plain
from topiccrawler.text.odds import logistic

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LinearClassifier:
    """A trained page classifier; `values` has a row a word and a column a class, the topic first."""

    threshold: ClassVar[float] = EVEN
    reads_segments: ClassVar[bool] = False
    name: str  # centroid, naive_bayes or svm
    topic: str
    similarity_threshold: float  # above 0 and below 1
    classes: Sequence[str]
    words: Mapping[str, int]  # word -> row
    factors: Numbers
    values: Numbers
    biases: Numbers
    slope: float
    offset: float
    unit: bool
    mean: bool
    pairs: bool = False
    lists: Lists = field(default_factory=lambda: Lists({}))
    training: Mapping[str, object] = field(default_factory=dict)
    scores: Mapping[str, object] = field(default_factory=dict)

    def similarity(self, words: PageWords) -> float:
        """0..1: the probability among the documents it was learned from."""
        return logistic(self.slope * self.margin(words) + self.offset)

    def relevance(self, words: PageWords) -> float:
        """0..1: the same, moved so that the threshold is one half."""
        threshold = min(max(self.similarity_threshold, 1e-9), 1.0 - 1e-9)
        return logistic(
            self.slope * self.margin(words) + self.offset - math.log(threshold / (1.0 - threshold))
        )

    def margin(self, words: PageWords) -> float:
        """The score of the topic less that of its nearest negative topic."""
        rows, weights = self._vector(words)
        return self._margin(self._sums(rows, weights), weights)

    def log_odds(self, words: PageWords) -> float:
        """Topic against nearest negative topic; for naive Bayes with two classes ln P(+|page) / P(-|page)."""
        sums = self._sums(*self._vector(words))
        return float(sums[0] - sums[1:].max())

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """The words of the page with their shares of the margin against the nearest negative topic; largest first."""
        counts = self._counts(words)
        known = [word for word in counts if word in self.words]
        rows, weights = self._vector(words)
        if not known:
            return []
        negative_topic = 1 + int(self._sums(rows, weights)[1:].argmax())
        parts = weights * (self.values[rows, 0] - self.values[rows, negative_topic])
        scale = 1.0 / max(1.0, float(weights.sum())) if self.mean else 1.0
        sums: dict[str, float] = {}
        for word, part in zip(known, parts, strict=True):
            sums[plain(word)] = sums.get(plain(word), 0.0) + float(part) * scale
        return sorted(sums.items(), key=lambda entry: (-entry[1], entry[0]))

    def _counts(self, words: PageWords) -> Mapping[str, float]:
        return counts_of(words, title_apart=self.unit, pairs=self.pairs, known=self.words, lists=self.lists)

    def _vector(self, words: PageWords) -> tuple[npt.NDArray[np.intp], Numbers]:
        counts = self._counts(words)
        index = self.words
        known = list(filter(index.__contains__, counts))
        chosen = np.array([index[word] for word in known], dtype=np.intp)
        weights = np.array([counts[word] for word in known], dtype=np.float64)
        if self.unit:
            weights = (1.0 + np.log(weights)) * self.factors[chosen]
            length = math.sqrt(float(weights @ weights))
            weights = weights / length if length > 0 else weights
        return chosen, weights

    def _sums(self, rows: npt.NDArray[np.intp], weights: Numbers) -> Numbers:
        sums: Numbers = weights @ self.values[rows] + self.biases
        return sums

    def _margin(self, sums: Numbers, weights: Numbers) -> float:
        margin = float(sums[0] - sums[1:].max())
        return margin / max(1.0, float(weights.sum())) if self.mean else margin
