"""Word statistics: the log-odds of each word, learned in this crawl from the pages that were read.

100 000 waiting URLs are rescored in milliseconds: words are numbers, and the log-odds of all rows are looked up at once. Used by
link_model.learning, a field of a link each, and by the strategy `adaptive`.
Formula   e(w) = ln (n+ + m p) / (n- + m (1 - p)) - ln p / (1 - p);  a text has the sum over its words, each once
          n+, n-  pages whose link or title contains w, by label and 1 - label, decayed: a page half a life ago counts half
          p       share of relevant pages among those counted, and one of each class before them, decayed likewise;
                  at least `least_share`
          m       smoothing
Reference Han et al. 2010, eq. 1-2 for the counts; decay and smoothing are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from topiccrawler.links.numbering import Numbering
from topiccrawler.links.packed_arrays import Floats, Numbers, doubled, packed, unpacked

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
        number = self._number if add else self._known
        for row, words in zip(found, texts, strict=True):
            if words:
                numbers = [number(word) for word in dict.fromkeys(filter(str.isalpha, words))]
                row[: len(numbers)] = numbers[:width]
        return found

    def learn(self, texts: Iterable[Numbers], label: float) -> None:
        """Words of a page's link and of its title; `label` (0..1) says how relevant the page was."""
        self._weight *= self._growth
        shares = self._weight * np.array([1.0 - label, label])
        for numbers in texts:
            words = np.unique(numbers[numbers != NONE])
            if len(words):
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

    def _known(self, word: str) -> int:
        return self.numbers.get(word) or NONE

    def _number(self, word: str) -> int:
        number = self.numbers.get(word)
        if number is None:
            if len(self.numbers) >= self.most_words:
                return NONE
            number = self.numbers.add(word)
            if number >= self._counts.shape[1]:
                self._counts = doubled(self._counts, axis=1)
            self._counts[:, number] = 0.0
        return number
