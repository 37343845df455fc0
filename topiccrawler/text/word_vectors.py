"""Word vectors: find the words that mean what a topic's words mean, by two kinds of vectors that must agree.

Idea: a sentence encoder knows what a word means, but puts words together that only share a character. A table of co-occurrences in texts
knows the company a word keeps, but takes words for related that the pages of one site repeat. A word that is near by both is near.
Formula: likeness(w) = sqrt(max(0, cos(e_w, e)) · max(0, cos(c_w, c))), e_w, c_w = the word's two vectors, e, c = the weighted means of
those of the query words, each of length 1. e_w: encoder's vector less the mean of all, first principal components; c_w: singular
vectors of the positive pointwise mutual information of words at most 8 words apart, contexts smoothed by the power .75.
Parameters: 128 dimensions each, rounded to 7 steps (docs/lab.md has what less costs).
Cost: .1 s and 12 MB to load, .2 s of CPU a query: once a crawl, when a topic is made of a few words.
But: a word that the table lacks is represented by its parts (机器学习 by 机器 and 学习), and one without known parts is skipped.
Reference: Levy, Goldberg & Dagan, TACL 3, 2015 (the second); ours (that both must agree).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topiccrawler.errors import ModelError
from topiccrawler.files import read_bytes
from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import folder as data_folder
from topiccrawler.text.segmenter import FUNCTION_WORDS, HAN, PLAIN, TOKENIZER, Segmenter, words_of

FORMAT = "topiccrawler word vectors 1"
FILE = "word_vectors.npz"  # within the folder of models
LARGEST_BYTES = 60_000_000
LONGEST_PIECE = 8  # characters
MOST_PARTS = 20
PIECE_ROWS = 2048
REMEDY = "take the shipped table, or make one: python -m topiccrawler.lab.training.vector_table"
TABLES = ("encoded", "cooccurring")
_HAN = lazy_pattern(f"[{HAN}]")

Steps = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]


class Near(NamedTuple):
    """A word that is near the query words."""

    word: str  # in its written form
    likeness: float  # to all query words, 0..1
    rarity: float  # ln(texts / texts with the word) in the texts that the table was made of
    by: str  # the query word that it is nearest to


class WordVectors:
    """The table of vectors. `words`: in the form that the plain segmenter gives; `forms`: as they are written (invest, investment).

    Queries may be cut by another segmenter, that of a topic.
    """

    def __init__(
        self,
        words: Sequence[str],
        forms: Sequence[str],
        texts: npt.NDArray[np.uint32],
        most_texts: int,
        tables: Sequence[tuple[Steps, Floats]],
    ) -> None:
        self.words, self.forms = words, forms
        self.rarity = np.log(most_texts / (texts + 1.0)).clip(min=0.0)
        self._tables = tables
        self._places = {word: place for place, word in enumerate(words)}

    def __len__(self) -> int:
        return len(self.words)

    def known(self, word: str, segmenter: Segmenter = PLAIN) -> list[int]:
        """The row of a word in the table, or the rows of its parts without function words; empty for a word without known parts."""
        whole = self._places.get(word)
        if whole is not None:
            return [whole]
        tokens = segmenter.words(word)
        telling = [token for token in tokens if token not in FUNCTION_WORDS] or tokens
        return [place for token in telling for place in self._parts(token)][:MOST_PARTS]

    def has(self, word: str) -> bool:
        """Whether the table has this word as a whole."""
        return word in self._places

    def form_of(self, word: str) -> str | None:
        """The commonest written form of a word (its stem, in Latin letters); None for a word that the table does not have as a whole."""
        place = self._places.get(word)
        return None if place is None else self.forms[place]

    def rarity_of(self, word: str) -> float | None:
        """ln(texts / texts with the word); None for a word that the table does not have as a whole."""
        place = self._places.get(word)
        return None if place is None else float(self.rarity[place])

    def likeness(self, query: Mapping[str, float], words: Sequence[str]) -> list[float]:
        """The likeness of each of these words to the query (word -> weight), 0..1; 0 for a word that the table does not have as a whole."""
        _, likeness, _ = self._ranked(query, 0)
        places = [self._places.get("".join(tokens)) for tokens in words_of(list(words))]
        return [0.0 if place is None else float(likeness[place]) for place in places]

    def of_word(self, word: str) -> tuple[Floats, ...] | None:
        """The vectors of a word, one of each table, of length 1; None for a word without known parts."""
        if (place := self._places.get(word)) is not None:
            return tuple(_unit((steps[place] * scale)[None])[0] for steps, scale in self._tables)
        if not (places := self.known(word)):
            return None
        return tuple(_means(steps, scale, [places])[0] for steps, scale in self._tables)

    def near(self, query: Mapping[str, float], most: int, segmenter: Segmenter = PLAIN) -> list[Near]:
        """The words of largest likeness to the query (word -> weight), largest first, at most `most`. Known query words are among them."""
        placed, likeness, ranked = self._ranked(query, most, segmenter)
        ranked = ranked[likeness[ranked] > 0]
        if not len(ranked):
            return []
        nearest, names = self._nearest(placed, ranked), list(placed)
        return [
            Near(self.forms[at], float(likeness[at]), float(self.rarity[at]), names[by])
            for at, by in zip(ranked.tolist(), nearest, strict=True)
        ]

    def alike(
        self, query: Mapping[str, float], least: float, most: int, segmenter: Segmenter = PLAIN
    ) -> list[str]:
        """The words with a likeness of at least `least` to the query, in written form, largest first; at most `most`."""
        _, likeness, ranked = self._ranked(query, most, segmenter)
        return [self.forms[at] for at in ranked[likeness[ranked] >= least].tolist()]

    def _ranked(
        self, query: Mapping[str, float], most: int, segmenter: Segmenter = PLAIN
    ) -> tuple[dict[str, list[int]], Floats, npt.NDArray[np.int64]]:
        """The rows of each query word that is known, the likeness of all words, and the first words by it."""
        placed = {word: places for word in query if (places := self.known(word, segmenter))}
        likeness = self._likeness(placed, [query[word] for word in placed])
        return placed, likeness, np.argsort(-likeness, kind="stable")[:most]

    def _likeness(self, placed: Mapping[str, Sequence[int]], weights: Sequence[float]) -> Floats:
        """The likeness of every word of the table to the weighted mean of the placed words; 0 if there are none."""
        product: Floats = np.full(len(self.words), float(bool(placed)), np.float32)
        if placed:
            for steps, scale in self._tables:
                mean = np.array(weights, np.float32) @ _means(steps, scale, placed.values())
                product *= np.maximum(_units(steps, scale) @ _unit(mean[None])[0], 0.0)
        return np.sqrt(product)

    def _nearest(self, placed: Mapping[str, Sequence[int]], ranked: npt.NDArray[np.int64]) -> list[int]:
        """The number of the query word nearest to each ranked word. One query word at a time: a topic may have thousands."""
        rows = [_unit(steps[ranked] * scale) for steps, scale in self._tables]
        means = [_means(steps, scale, placed.values()) for steps, scale in self._tables]
        best = np.full(len(ranked), -1.0, np.float32)
        nearest = np.zeros(len(ranked), np.int64)
        for number in range(len(placed)):
            first, second = (
                np.maximum(row @ mean[number], 0.0) for row, mean in zip(rows, means, strict=True)
            )
            nearer = first * second > best
            nearest[nearer], best[nearer] = number, (first * second)[nearer]
        return [int(number) for number in nearest]

    def _parts(self, token: str) -> Iterator[int]:
        """Yield the row of a word; of an unknown word the rows of the longest known words in it, from the left."""
        if token in self._places:
            yield self._places[token]
            return
        if not _HAN.search(token):
            return
        start = 0
        while start < len(token) - 1:
            ends = range(min(len(token), start + LONGEST_PIECE), start + 1, -1)
            end = next((end for end in ends if token[start:end] in self._places), 0)
            if end:
                yield self._places[token[start:end]]
            start = end or start + 1


def _means(steps: Steps, scale: Floats, groups: Iterable[Sequence[int]]) -> Floats:
    """The mean vector of each group of words, scaled to length 1."""
    return _unit(np.vstack([_unit(steps[list(group)] * scale).mean(axis=0) for group in groups]))


def _unit(rows: Floats) -> Floats:
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    units: Floats = (rows / np.maximum(lengths, 1e-9)[:, None]).astype(np.float32)
    return units


def _units(steps: Steps, scale: Floats) -> Floats:
    """The rows of a whole table scaled to length 1: bit by bit as `_unit`, in pieces that fit into a processor's cache."""
    rows = np.empty(steps.shape, np.float32)
    for first in range(0, len(rows), PIECE_ROWS):
        piece = rows[first : first + PIECE_ROWS]
        np.multiply(steps[first : first + PIECE_ROWS], scale, out=piece)
        piece /= np.maximum(np.sqrt(np.einsum("ij,ij->i", piece, piece)), 1e-9)[:, None]
    return rows


@cache
def shipped_vectors() -> WordVectors:
    """The table that the package contains."""
    return load_vectors(data_folder("models").joinpath(FILE))


def release_vectors() -> None:
    """Free the shipped table; the next use loads it again. For a crawl, which needs it only while its topic is made or learns."""
    shipped_vectors.cache_clear()


def load_vectors(place: Path | Traversable) -> WordVectors:
    """The table in a file. ModelError for a file that is not such a table, or one made with another segmenter."""
    what = f"word vectors {place}"
    body = read_bytes(place, LARGEST_BYTES, ModelError, what, REMEDY)
    try:
        with np.load(BytesIO(body), allow_pickle=False) as arrays:
            return _table(arrays)
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as failure:
        raise ModelError(what, f"is damaged: {failure}", REMEDY) from None


def _table(arrays: Mapping[str, Any]) -> WordVectors:
    if (written := _text(arrays["format"])) != FORMAT:
        raise ValueError(f"it is no {FORMAT} but {written[:40]!r}")
    if (tokenizer := _text(arrays["tokenizer"])) != TOKENIZER:
        raise ValueError(f"its words were cut by {tokenizer[:40]!r}, not {TOKENIZER!r}")
    words, forms = (_text(arrays[name]).split("\n") for name in ("words", "forms"))
    texts, tables = arrays["texts"], [(arrays[name], arrays[f"{name}_scale"]) for name in TABLES]
    if len({len(words), len(set(words)), len(forms), len(texts), *(len(steps) for steps, _ in tables)}) > 1:
        raise ValueError("it does not have one form, count and row for each word")
    return WordVectors(words, forms, texts, int(arrays["most_texts"]), tables)


def save_vectors(
    place: Path,
    words: Sequence[str],
    forms: Sequence[str],
    texts: npt.NDArray[np.uint32],
    most_texts: int,
    tables: Mapping[str, Floats],
    steps: int = 3,
) -> None:
    """Write a table: each number as an integer in -steps..steps times the scale of its column. Equal input gives equal bytes."""
    arrays: dict[str, npt.NDArray[Any]] = {
        "format": _bytes(FORMAT),
        "tokenizer": _bytes(TOKENIZER),
        "words": _bytes("\n".join(words)),
        "forms": _bytes("\n".join(forms)),
        "texts": texts,
        "most_texts": np.array(most_texts, np.uint64),
    }
    for name in TABLES:
        rows = _unit(tables[name])
        scale = (rows.std(axis=0) * CLIP / steps).astype(np.float32)
        arrays[name] = np.clip(np.rint(rows / scale), -steps, steps).astype(np.int8)
        arrays[f"{name}_scale"] = scale
    np.savez_compressed(place, allow_pickle=False, **arrays)


CLIP = 2.5  # standard deviations; larger numbers are clipped


def _text(array: Any) -> str:
    return bytes(array.tobytes()).decode("utf-8")


def _bytes(text: str) -> npt.NDArray[Any]:
    return np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
