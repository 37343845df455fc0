"""Numbers for names: the rows of URLs, groups and words in a strategy's columns.

A number that moved when other names were forgotten would be taken for another name's by whoever still held it. So
numbers never move: forgetting leaves a gap, and a later name gets the lowest one.

Word statistics: the log-odds of each word, learned in this crawl from the pages that were read.

100 000 waiting URLs are rescored in milliseconds: words are numbers, and the log-odds of all rows are looked up at once. Used by
strategies.learning, a field of a link each, and by the strategy `adaptive`.
Formula   e(w) = ln (n+ + m p) / (n- + m (1 - p)) - ln p / (1 - p);  a text has the sum over its words, each once
          n+, n-  pages whose link or title contains w, by label and 1 - label, decayed: a page half a life ago counts half
          p       share of relevant pages among those counted, and one of each class before them, decayed likewise;
                  at least `least_share`
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
    """With as much room again, zeros."""
    return np.concatenate([column, np.zeros_like(column)], axis=axis)


class Numbering(dict[str, int]):
    """Names, and their numbers 0, 1, 2 …: a dict, since a page asks for thousands; only `add` and `forget` may change it."""

    def __init__(self, names: Iterable[str] = (), gaps: Iterable[int] = ()) -> None:
        self.names = list(names)  # by number; "" at a gap
        self._gaps = sorted(gaps, reverse=True)  # the next one last
        left = set(self._gaps)
        super().__init__((name, number) for number, name in enumerate(self.names) if number not in left)
        self.size = len(self.names)  # all numbers lie below it: so long are the columns

    def add(self, name: str) -> int:
        """Give a new name its number."""
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
        """Give new names their numbers, each once, in their order; the numbers."""
        return [self.add(name) for name in dict.fromkeys(names) if name not in self]

    def of(self, names: Sequence[str]) -> Numbers:
        """The numbers of known names."""
        return np.fromiter(map(self.__getitem__, names), np.int64, len(names))

    def forget(self, numbers: Numbers) -> None:
        """Forget the names of these numbers."""
        forgotten = numbers.tolist()
        for number in forgotten:
            del self[self.names[number]]
            self.names[number] = ""
        self._gaps = sorted([*self._gaps, *forgotten], reverse=True)

    def used(self) -> NDArray[np.bool_]:
        """Which numbers have a name."""
        used = np.ones(self.size, dtype=bool)
        used[self._gaps] = False
        return used

    def save(self) -> dict[str, Any]:
        """As JSON values."""
        return {"names": packed_list(self.names), "gaps": packed(np.array(self._gaps, dtype=np.int64))}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Numbering:
        """What `save` gave. ValueError when damaged."""
        return cls(list_of(state["names"]), unpacked(state["gaps"], np.int64).tolist())


NONE = 0  # the number of no word
_HEAVIEST = 1e9  # weight of a page at which all counts are scaled down
_LEAST_TOTAL = 1e-9  # of a class then: both always exist


class WordStatistics:
    """Numbers for words, and their counts. `most_words`: later ones are not counted."""

    def __init__(
        self, half_life_pages: float, smoothing: float, least_share: float = 0.0, most_words: int = 100_000
    ) -> None:
        self.numbers = Numbering([""])  # NONE
        self.most_words = most_words
        self._growth = 2.0 ** (1.0 / half_life_pages) if half_life_pages > 0 else 1.0
        self._smoothing, self._least_share = smoothing, least_share
        self._counts = np.zeros((2, 1024))  # not relevant, relevant
        self._totals = np.ones(2)
        self._weight = 1.0  # of the page counted last; earlier ones count less

    def __len__(self) -> int:
        """Words that have a number."""
        return len(self.numbers) - 1

    def of(self, texts: Sequence[Sequence[str]], width: int, *, add: bool = True) -> Numbers:
        """(texts, `width`) numbers of their words without digits, the first ones, each once; new words get new numbers or, without `add`,
        none."""
        found = np.full((len(texts), width), NONE, dtype=np.int64)
        spelled = [list(dict.fromkeys(filter(str.isalpha, words))) for words in texts]
        if add:
            self._add(chain.from_iterable(spelled))
        for row, words in zip(found, spelled, strict=True):
            row[: len(words)] = [self.numbers.get(word, NONE) for word in words[:width]]
        return found

    def learn(self, texts: Iterable[Numbers], label: float) -> None:
        """Words of a page's link and of its title; `label` (0..1) says how relevant the page was."""
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
        """The log-odds of each word; 0 for NONE."""
        many = numbers.size > self.numbers.size  # then each word is computed once
        prior = self._totals / self._totals.sum()
        if prior[1] < self._least_share:
            prior = np.array([1.0 - self._least_share, self._least_share])
        smooth = self._smoothing * self._weight * prior
        negative, positive = self._counts[:, : self.numbers.size] if many else self._counts[:, numbers]
        odds: Floats = np.log((positive + smooth[1]) / (negative + smooth[0])) - np.log(prior[1] / prior[0])
        if many:
            odds = odds[numbers]
        odds[numbers == NONE] = 0.0
        return odds

    def forget(self, used: Numbers) -> None:
        """Forget the words that are not `used` and were hardly counted."""
        spare = self.numbers.used()
        spare &= self._counts[:, : self.numbers.size].sum(axis=0) < 0.5 * self._weight
        spare[used] = spare[NONE] = False
        self.numbers.forget(np.flatnonzero(spare))

    def keep_most_counted(self, words: int) -> None:
        """Forget all others; of equal ones the later."""
        left = np.flatnonzero(self.numbers.used())[1:]
        ranked = np.argsort(-self._counts[:, left].sum(axis=0), kind="stable")
        self.numbers.forget(np.sort(left[ranked[words:]]))

    def save(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "words": self.numbers.save(),
            "counts": packed(self._counts[:, : self.numbers.size]),
            "totals": self._totals.tolist(),
            "weight": self._weight,
        }

    def load(self, state: Mapping[str, Any]) -> None:
        """Go on from what `save` kept. ValueError when it is damaged; then nothing has changed."""
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
        """Give new words their numbers, while there is room."""
        new = dict.fromkeys(word for word in words if word not in self.numbers)
        added = self.numbers.add_all(islice(new, max(0, self.most_words - len(self.numbers))))
        while self.numbers.size > self._counts.shape[1]:
            self._counts = doubled(self._counts, axis=1)
        self._counts[:, added] = 0.0


def label_of(relevance: float, threshold: float) -> float:
    """0..1: how far a page counts as relevant, r^2 / (1 + r^2) with r = relevance / threshold: a half at the threshold."""
    if threshold <= 0:
        return 1.0 if relevance > 0 else 0.0
    ratio = max(0.0, relevance) / threshold
    return ratio * ratio / (1.0 + ratio * ratio)
