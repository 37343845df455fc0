"""Sparse word vectors as plain dicts, for page classifiers, strategies and topics.

numpy needs a fixed vocabulary, and pages bring new words all the time. A dict per text needs none and, for a topic's
few hundred words, is faster than a sparse matrix row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

Vector = Mapping[str, float]


def dot(first: Vector, second: Vector) -> float:
    """Σ over common words."""
    if len(first) > len(second):
        first, second = second, first
    return sum(weight * second[word] for word, weight in first.items() if word in second)


def norm(vector: Vector) -> float:
    """Euclidean length."""
    return math.sqrt(sum(weight * weight for weight in vector.values()))


def cosine(first: Vector, second: Vector) -> float:
    """Cosine of the angle; 0 when either is empty. In 0..1 for weights that are not negative."""
    lengths = norm(first) * norm(second)
    return max(-1.0, min(1.0, dot(first, second) / lengths)) if lengths else 0.0


def centroid(vectors: Iterable[Vector]) -> dict[str, float]:
    """The mean vector; empty for no vectors."""
    sums: dict[str, float] = {}
    count = 0
    for vector in vectors:
        count += 1
        for word, weight in vector.items():
            sums[word] = sums.get(word, 0.0) + weight
    return {word: weight / count for word, weight in sums.items()}


def top_k(vector: Vector, k: int) -> dict[str, float]:
    """The k largest entries, largest first; equal weights by word, so that a vector has one order."""
    ranked = sorted(vector.items(), key=lambda entry: (-entry[1], entry[0]))
    return dict(ranked[: max(0, k)])
