"""The layers of a context graph: classifies from a page's words how many steps before the topic it is.

Formula: P(w|layer) = (count of w in the layer's documents + 1) / (words of the layer + V), V = words known to any layer;
    l(layer) = sum over words w of a page of count(w) * ln P(w|layer) / sqrt(words of the page);
    P(layer|page) = e^l(layer) / sum over layers e^l, equal priors, layers without documents left out.
File: JSON {"version", "tokenizer", "documents": [...], "words": [...], "counts": [...]}, packed as links.packed_arrays packs.
Reference: Diligenti et al., VLDB 2000.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from topiccrawler.errors import StrategyError
from topiccrawler.files import JsonFile
from topiccrawler.links.packed_arrays import Floats, Ints, packed, unpacked
from topiccrawler.strategies.shared.feature_hashing import SIZE, Hashed, as_rows
from topiccrawler.text.tokenise import TOKENIZER

OTHER = 5  # layers 0-4 are distinguished
VERSION = 2
MOST_BYTES = 100_000_000


class Layers:
    """Word counts of each layer and the classifier they make."""

    def __init__(self, counts: Floats, documents: Sequence[int]) -> None:
        self.counts = counts  # layer, word
        self.documents = list(documents)  # of each layer
        known = int((counts.sum(axis=0) > 0).sum())
        totals = counts.sum(axis=1, keepdims=True)
        logs = np.log((counts + 1.0) / (totals + max(1, known)))
        self._used = np.array([layer for layer, count in enumerate(self.documents) if count], np.int32)
        self._logs = np.ascontiguousarray(logs[self._used].T)  # word, used layer

    @classmethod
    def learned(cls, documents: Sequence[Sequence[Hashed]]) -> Layers:
        """From the documents of each layer."""
        counts = np.stack([np.asarray(as_rows(texts).sum(axis=0)).reshape(-1) for texts in documents])
        return cls(counts, [len(texts) for texts in documents])

    def classify(self, pages: csr_array) -> tuple[Ints, Floats]:
        """For each row the most likely layer and its probability."""
        lengths = np.sqrt(np.maximum(1.0, np.asarray(pages.sum(axis=1))))
        likelihood = (pages @ self._logs) / lengths[:, None]
        likelihood -= likelihood.max(axis=1, keepdims=True)
        probabilities = np.exp(likelihood)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        best = probabilities.argmax(axis=1)
        return self._used[best], probabilities[np.arange(best.size), best]

    def save(self) -> Mapping[str, Any]:
        """JSON values."""
        words = np.flatnonzero(self.counts.any(axis=0)).astype(np.int32)
        return {
            "version": VERSION,
            "tokenizer": TOKENIZER,
            "documents": self.documents,
            "words": packed(words),
            "counts": packed(self.counts[:, words]),
        }

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Layers:
        """What `save` gave."""
        words = unpacked(state["words"], np.int32)
        counts = np.zeros((OTHER, SIZE))
        counts[:, words] = unpacked(state["counts"], np.float64).reshape(OTHER, words.size)
        return cls(counts, [int(count) for count in state["documents"]])


def read_layers(path: Path) -> Layers:
    """A file of layers; StrategyError when it cannot be used."""
    remedy = "make one: scrapy strategies --save-layers FILE --job JOBDIR"
    file = JsonFile(path, MOST_BYTES, StrategyError, "layers", remedy)
    file.expect({"version": VERSION, "tokenizer": TOKENIZER})
    try:
        layers = Layers.load(file.values)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as failure:
        raise file.refused(f"is damaged: {failure}") from None
    if not np.isfinite(layers.counts).all() or (layers.counts < 0).any() or not sum(layers.documents):
        raise file.refused("holds no layer or impossible counts")
    return layers


def distances(sources: Ints, targets: Ints, relevant: Sequence[int], size: int) -> Ints:
    """Fewest links from each node to a relevant one; OTHER from there upwards."""
    steps = np.full(size, OTHER, np.int32)
    steps[list(relevant)] = 0
    for layer in range(1, OTHER):
        before = sources[steps[targets] == layer - 1]
        steps[before[steps[before] > layer]] = layer
    return steps
