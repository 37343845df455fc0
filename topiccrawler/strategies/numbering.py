"""Maps names to row numbers in a strategy's columns, and learns the log-odds of words during a crawl.

`Numbering` numbers URLs, groups and words. If a number changed when other names are forgotten, code that still holds it would read another
name's row. So a number never changes: forgetting a name leaves a gap, and a later name gets the lowest gap.

`WordStatistics` learns the log-odds of each word from the pages read in this crawl. 100 000 waiting URLs are rescored in milliseconds,
because words are numbers and the log-odds of all rows are looked up at once.
Formula   e(w) = ln (n+ + m p) / (n- + m (1 - p)) - ln p / (1 - p);  a text has the sum over its distinct words
          n+, n-  sums of label and of 1 - label over the texts with w (link and title of each page); a page one half-life ago counts half
          p       share of the label in the texts counted and one initial text of each class, decayed likewise
          m       smoothing
Reference Han et al. 2010, eq. 1-2 for the counts; decay and smoothing are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topiccrawler.links.columns import Floats, Numbers, list_of, packed, packed_list, unpacked


def doubled(column: NDArray[Any], axis: int = 0) -> NDArray[Any]:
    """Return a column twice as long, the new half filled with zeros."""
    return np.concatenate([column, np.zeros_like(column)], axis=axis)


class Numbering(dict[str, int]):
    """Name -> number (0, 1, 2 …). A dict, because a page needs thousands of look-ups; change it only by `add`, `add_all` and `forget`."""

    def __init__(self, names: Iterable[str] = (), gaps: Iterable[int] = ()) -> None:
        self.names = list(names)  # by number; "" at a gap
        self._gaps = sorted(gaps, reverse=True)  # descending, so that the next one is popped from the end
        left = set(self._gaps)
        super().__init__((name, number) for number, name in enumerate(self.names) if number not in left)
        self.size = len(self.names)  # upper bound of the numbers: the length that columns need

    def add(self, name: str) -> int:
        """Number a new name; return its number."""
        if self._gaps:
            number = self._gaps.pop()
            self.names[number] = name
        else:
            number = len(self.names)
            self.names.append(name)
            self.size += 1
        self[name] = number
        return number

    def add_all(self, names: Iterable[str]) -> list[int]:
        """Number those of the names that are new, in their order; return the new numbers."""
        return [self.add(name) for name in dict.fromkeys(names) if name not in self]

    def of(self, names: Sequence[str]) -> Numbers:
        """Return the numbers of known names."""
        return np.fromiter(map(self.__getitem__, names), np.int64, len(names))

    def forget(self, numbers: Numbers) -> None:
        """Forget the names with these numbers."""
        forgotten = numbers.tolist()
        for number in forgotten:
            del self[self.names[number]]
            self.names[number] = ""
        self._gaps = sorted([*self._gaps, *forgotten], reverse=True)

    def used(self) -> NDArray[np.bool_]:
        """Return for each number whether it has a name."""
        used = np.ones(self.size, dtype=bool)
        used[self._gaps] = False
        return used

    def save(self) -> dict[str, Any]:
        """Return the names as JSON values."""
        return {"names": packed_list(self.names), "gaps": packed(np.array(self._gaps, dtype=np.int64))}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Numbering:
        """Restore what `save` returned. Raises ValueError for damaged values."""
        return cls(list_of(state["names"]), unpacked(state["gaps"], np.int64).tolist())


NONE = 0  # the number for "no word"
_HEAVIEST = 1e9  # weight of a page at which all counts are scaled down
_LEAST_TOTAL = 1e-9  # smallest total of a class after scaling, so that neither class is empty


class WordStatistics:
    """Numbers of words, and their decayed counts by class. Once there are `most_words` words, new ones are not counted."""

    def __init__(self, half_life_pages: float, smoothing: float, most_words: int = 100_000) -> None:
        self.numbers = Numbering([""])  # NONE
        self.most_words = most_words
        self._growth = 2.0 ** (1.0 / half_life_pages)
        self._smoothing = smoothing
        self._counts = np.zeros((2, 1024))  # irrelevant, relevant
        self._totals = np.ones(2)
        self._weight = 1.0  # of the page counted last; instead of decaying counts, the weight of a page grows

    def __len__(self) -> int:
        """The number of words that have a number."""
        return len(self.numbers) - 1

    def of(self, texts: Sequence[Sequence[str]], width: int) -> Numbers:
        """Return a (texts, `width`) array with the numbers of the first distinct words of each text, NONE at the end.

        Words with other characters than letters are skipped. New words get numbers.
        """
        found = np.full((len(texts), width), NONE, dtype=np.int64)
        spelled = [list(dict.fromkeys(filter(str.isalpha, words))) for words in texts]
        self._add(chain.from_iterable(spelled))
        for row, words in zip(found, spelled, strict=True):
            row[: len(words)] = [self.numbers.get(word, NONE) for word in words[:width]]
        return found

    def learn(self, texts: Iterable[Numbers], label: float) -> None:
        """Count a page: `texts` are the words of its link and of its title, `label` (0..1) is its relevance."""
        self._weight *= self._growth
        shares = self._weight * np.array([1.0 - label, label])
        for numbers in texts:
            words = [*{*numbers.flat} - {NONE}]
            if words:
                self._counts[:, words] += shares[:, None]
                self._totals += shares
        if self._weight > _HEAVIEST:
            self._counts /= self._weight
            self._totals = np.maximum(self._totals / self._weight, _LEAST_TOTAL)
            self._weight = 1.0

    def log_odds(self, numbers: Numbers) -> Floats:
        """Return the log-odds of each word number; 0 for NONE."""
        many = numbers.size > self.numbers.size  # then computing all words once is cheaper
        prior = self._totals / self._totals.sum()
        smooth = self._smoothing * self._weight * prior
        negative, positive = self._counts[:, : self.numbers.size] if many else self._counts[:, numbers]
        odds: Floats = np.log((positive + smooth[1]) / (negative + smooth[0])) - np.log(prior[1] / prior[0])
        if many:
            odds = odds[numbers]
        odds[numbers == NONE] = 0.0
        return odds

    def forget(self, used: Numbers) -> None:
        """Forget the words that are not `used` and whose decayed counts are below half a page."""
        spare = self.numbers.used()
        spare &= self._counts[:, : self.numbers.size].sum(axis=0) < 0.5 * self._weight
        spare[used] = spare[NONE] = False
        self.numbers.forget(np.flatnonzero(spare))

    def save(self) -> dict[str, Any]:
        """Return the numbers and counts as JSON values."""
        return {
            "words": self.numbers.save(),
            "counts": packed(self._counts[:, : self.numbers.size]),
            "totals": self._totals.tolist(),
            "weight": self._weight,
        }

    def load(self, state: Mapping[str, Any]) -> None:
        """Restore what `save` returned. Raises ValueError for damaged values and then changes nothing."""
        numbers = Numbering.load(state["words"])
        kept = unpacked(state["counts"]).reshape(2, -1)
        totals, weight = np.array(state["totals"], dtype=np.float64), float(state["weight"])
        sound = np.isfinite(kept).all() and (kept >= 0).all() and kept.shape[1] == numbers.size > 0
        if not (
            sound
            and totals.shape == (2,)
            and 0 < totals.min() <= totals.max() < np.inf
            and 0 < weight < np.inf
        ):
            raise ValueError("word statistics are damaged")
        counts = np.zeros((2, max(1024, kept.shape[1])))
        counts[:, : kept.shape[1]] = kept
        self.numbers, self._counts, self._totals, self._weight = numbers, counts, totals, weight

    def _add(self, words: Iterable[str]) -> None:
        """Number new words, up to `most_words`."""
        new = dict.fromkeys(word for word in words if word not in self.numbers)
        added = self.numbers.add_all(islice(new, max(0, self.most_words - len(self.numbers))))
        while self.numbers.size > self._counts.shape[1]:
            self._counts = doubled(self._counts, axis=1)
        self._counts[:, added] = 0.0


def label_of(relevance: float, threshold: float) -> float:
    """Return the label of a page, 0..1: r^2 / (1 + r^2) with r = relevance / threshold; one half at the threshold."""
    if threshold <= 0:
        return 1.0 if relevance > 0 else 0.0
    ratio = max(0.0, relevance) / threshold
    return ratio * ratio / (1.0 + ratio * ratio)
