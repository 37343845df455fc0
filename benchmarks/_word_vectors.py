"""PPMI-SVD word vectors: words of like use, from plain text that nobody labelled (benchmarks/headlines.py says how)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from topiccrawler.text.segmenter import words_of

MOST_WORDS, MOST_NEIGHBOURS, DIMENSIONS, WINDOW, LEAST_COUNT, NEAREST, POWER = (
    50_000,
    5_000,
    100,
    5,
    5,
    15,
    3.0,
)
SHORTEST, LONGEST, CHUNK = 8, 2_000, 5_000  # characters of a sentence; sentences or words at a time
EDGE = re.compile(r"[|\n。！？!?]+")


class WordVectors:
    """Words of like use: what stands between the same neighbours in plain text that nobody labelled."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.place, flat, sentence = counted(texts)
        self.points = (
            points(flat, sentence, len(self.place)) if len(self.place) > 1 else np.zeros((0, 1), "f4")
        )

    def nearest(self, words: Sequence[str]) -> csr_array:
        """Square: row w contains how like the nearest of the other words are to word w."""
        known = np.array([at for at, word in enumerate(words) if word in self.place], dtype=np.int64)
        size, count = (len(words), len(words)), min(NEAREST, len(known) - 1)
        if count < 1:
            return csr_array(size)
        stand = self.points[[self.place[words[at]] for at in known]]
        columns, likeness = [], []
        for start in range(0, len(known), CHUNK):
            found = stand[start : start + CHUNK] @ stand.T
            found[np.arange(len(found)), np.arange(start, start + len(found))] = -1.0
            best = np.argpartition(-found, count - 1, axis=1)[:, :count]
            columns.append(known[best].ravel())
            likeness.append(np.maximum(np.take_along_axis(found, best, 1), 0.0).ravel() ** POWER)
        cells = np.repeat(known, count), np.concatenate(columns)
        return csr_array((np.concatenate(likeness), cells), shape=size)


def counted(texts: Iterable[str]) -> tuple[dict[str, int], NDArray[np.int32], NDArray[np.int32]]:
    """Word -> place by frequency; the place of each word of the texts, and the number of its sentence."""
    numbers: dict[str, int] = {}
    flat, sentence = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    pieces = (piece.strip()[:LONGEST] for text in texts for piece in EDGE.split(text))
    sentences = iter(
        dict.fromkeys(piece for piece in pieces if len(piece) >= SHORTEST)
    )  # menus stand on every page
    while chunk := list(islice(sentences, CHUNK)):
        for words in words_of(chunk):
            flat.append(
                np.array([numbers.setdefault(w, len(numbers)) for w in words if w.isalpha()], np.int32)
            )
            sentence.append(np.full(len(flat[-1]), len(flat), np.int32))
    everything, of = np.concatenate(flat), np.concatenate(sentence)
    counts = np.bincount(everything, minlength=len(numbers))
    ranked = sorted(numbers.items(), key=lambda pair: (-counts[pair[1]], pair[0]))[:MOST_WORDS]
    ranked = [pair for pair in ranked if counts[pair[1]] >= LEAST_COUNT]
    renamed = np.full(len(numbers), -1, dtype=np.int32)
    renamed[[number for _, number in ranked]] = np.arange(len(ranked), dtype=np.int32)
    everything = renamed[everything]
    return {word: at for at, (word, _) in enumerate(ranked)}, everything[everything >= 0], of[everything >= 0]


def points(flat: NDArray[np.int32], sentence: NDArray[np.int32], size: int) -> NDArray[np.float32]:
    """Where each word stands."""
    columns = min(size, MOST_NEIGHBOURS)
    counts = csr_array((size, columns), dtype=np.float32)
    for distance in range(1, WINDOW + 1):
        same = sentence[distance:] == sentence[:-distance]
        left, right = flat[:-distance][same], flat[distance:][same]
        for word, other in ((left, right), (right, left)):
            common = other < columns
            weights = np.full(int(common.sum()), distance**-0.5, dtype=np.float32)
            counts = counts + csr_array((weights, (word[common], other[common])), shape=counts.shape)
    table = counts.tocoo()
    of_word = np.bincount(table.row, table.data, size)
    of_neighbour = np.bincount(table.col, table.data, columns) ** 0.75
    of_neighbour /= of_neighbour.sum() or 1.0
    ppmi = np.log(table.data / (of_word[table.row] * of_neighbour[table.col])) - math.log(2.0)
    kept = ppmi > 0
    matrix = csr_array(
        (ppmi[kept].astype(np.float32), (table.row[kept], table.col[kept])), shape=counts.shape
    )
    dimensions = min(DIMENSIONS, *(side - 1 for side in matrix.shape))
    left_side, strength, _ = randomized_svd(matrix, dimensions, n_iter=2, random_state=0)
    found = left_side * np.sqrt(strength)
    found -= found.mean(axis=0)
    return np.asarray(found / (np.linalg.norm(found, axis=1, keepdims=True) + 1e-9), dtype=np.float32)
