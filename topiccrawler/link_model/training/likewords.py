"""Words of like use: what stands between the same neighbours in plain text, learned from texts nobody labelled.

The conflict: every fourth word of a headline was met too seldom in labelled ones to say anything, but a million
sentences know that 涨停 is used like 跌停; and a thesaurus knows no names, which are what headlines are made of.

Idea: words are alike when their neighbours are; neighbours are counted, compared with chance, and squeezed to few numbers.
Formula: PPMI(w, c) = max(0, ln (n(w, c) * N / (n(w) * n'(c))) - ln 2), squeezed by a truncated SVD to U * sqrt(S)
    n(w, c)  -> how often c stands at most 5 words from w in a sentence, each time counted 1 / sqrt(distance)
    n'(c)    -> occurrences of c to the power 0.75, scaled to sum N
    likeness -> cosine of two rows (their mean taken off) to the power 3, of the 15 nearest words
Parameters: 50 000 words that occur 5 times, 5 000 of them as neighbours, 100 dimensions (ours; larger ones gave no more).
Cost: 38 s and 1.2 GB for 45 million characters, half of it the tokenizer; 10 s for the nearest of 30 000 words.
Reference: Levy, Goldberg and Dagan 2015 (PPMI, SVD, context distribution smoothing).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from topiccrawler.text.tokenise import words_of

MOST_WORDS, MOST_NEIGHBOURS, DIMENSIONS = 50_000, 5_000, 100
WINDOW, LEAST_COUNT, SHIFT = 5, 5, np.log(2.0)
NEAREST, POWER = 15, 3.0

_SHORTEST = 8  # characters of a sentence
_LONGEST = 2_000
_CHUNK = 5_000
_ROWS = 2_000
_EDGE = re.compile(r"[|\n。！？!?]+")

Floats = NDArray[np.float32]


class LikeWords:
    """Where each word stands; empty when the texts are too few."""

    def __init__(self, texts: Iterable[str]) -> None:
        place, flat, sentence = _counted(texts)
        self._place = place
        self._points: Floats = (
            _points(flat, sentence, len(place)) if len(place) > 1 else np.zeros((0, 1), "f4")
        )

    def __len__(self) -> int:
        return len(self._place)

    def nearest(self, words: Sequence[str]) -> csr_array:
        """Square: row w holds how like the nearest of the other words are to word w."""
        known = np.array([at for at, word in enumerate(words) if word in self._place], dtype=np.int64)
        size = (len(words), len(words))
        count = min(NEAREST, len(known) - 1)
        if count < 1:
            return csr_array(size)
        points = self._points[[self._place[words[at]] for at in known]]
        rows, columns, likeness = [], [], []
        for start in range(0, len(known), _ROWS):
            found = points[start : start + _ROWS] @ points.T
            found[np.arange(len(found)), np.arange(start, start + len(found))] = -1.0
            best = np.argpartition(-found, count - 1, axis=1)[:, :count]
            rows.append(np.repeat(known[start : start + _ROWS], count))
            columns.append(known[best].ravel())
            likeness.append(np.maximum(np.take_along_axis(found, best, 1), 0.0).ravel() ** POWER)
        return csr_array(
            (np.concatenate(likeness), (np.concatenate(rows), np.concatenate(columns))), shape=size
        )


def _counted(texts: Iterable[str]) -> tuple[dict[str, int], NDArray[np.int32], NDArray[np.int32]]:
    """Word -> place by frequency; the place of each word of the texts, and the number of its sentence."""
    numbers: dict[str, int] = {}
    flat: list[NDArray[np.int32]] = []
    sentence: list[NDArray[np.int32]] = []
    at = 0
    sentences = _sentences(texts)
    while chunk := list(islice(sentences, _CHUNK)):
        for words in words_of(chunk):
            found = [numbers.setdefault(word, len(numbers)) for word in words if word.isalpha()]
            flat.append(np.array(found, dtype=np.int32))
            sentence.append(np.full(len(found), at, dtype=np.int32))
            at += 1
    if not numbers:
        return {}, np.zeros(0, np.int32), np.zeros(0, np.int32)
    everything, of = np.concatenate(flat), np.concatenate(sentence)
    counts = np.bincount(everything, minlength=len(numbers))
    ranked = [
        (word, number)
        for word, number in sorted(numbers.items(), key=lambda pair: (-counts[pair[1]], pair[0]))
        if counts[number] >= LEAST_COUNT
    ][:MOST_WORDS]
    renamed = np.full(len(numbers), -1, dtype=np.int32)
    renamed[[number for _, number in ranked]] = np.arange(len(ranked), dtype=np.int32)
    everything = renamed[everything]
    return {word: at for at, (word, _) in enumerate(ranked)}, everything[everything >= 0], of[everything >= 0]


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    """Each once: menus and footers stand on every page."""
    seen: set[int] = set()
    for text in texts:
        for piece in _EDGE.split(text):
            sentence = piece.strip()[:_LONGEST]
            if len(sentence) >= _SHORTEST and (key := hash(sentence)) not in seen:
                seen.add(key)
                yield sentence


def _points(flat: NDArray[np.int32], sentence: NDArray[np.int32], size: int) -> Floats:
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
    told = np.log(table.data / (of_word[table.row] * of_neighbour[table.col])) - SHIFT
    kept = told > 0
    matrix = csr_array(
        (told[kept].astype(np.float32), (table.row[kept], table.col[kept])), shape=counts.shape
    )
    dimensions = min(DIMENSIONS, *(side - 1 for side in matrix.shape))
    left_side, strength, _ = randomized_svd(matrix, dimensions, n_iter=2, random_state=0)
    points = left_side * np.sqrt(strength)
    points -= points.mean(axis=0)
    points /= np.linalg.norm(points, axis=1, keepdims=True) + 1e-9
    return np.asarray(points, dtype=np.float32)
