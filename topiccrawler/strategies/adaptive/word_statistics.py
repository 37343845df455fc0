"""Word statistics: the log-odds of each word of anchors and titles, learned in this crawl.

100 000 waiting URLs are rescored in milliseconds: words are numbers, a URL keeps at most WORDS_OF_A_URL of them, and the
log-odds of all rows are looked up at once.
Formula   e(w) = ln (n+ + m p) / (n- + m (1 - p)) - ln p / (1 - p);  a URL has the sum over its words
          n+, n-  pages whose link or title contains w, by label and 1 - label, decayed: a page HALF_LIFE_PAGES ago counts half
          p       share of relevant pages among those counted, decayed likewise;  m  smoothing
Reference link_model.learning, of which this is the form for many URLs at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from topiccrawler.links.packed_arrays import Floats, Numbers, doubled, packed, unpacked
from topiccrawler.strategies.adaptive.numbering import Numbering
from topiccrawler.text.tokenise import words_of

WORDS_OF_A_URL = 8
MOST_WORDS = 100_000
HALF_LIFE_PAGES = 350.0
SMOOTHING = 4.0
_HEAVIEST = 1e9
_NONE = 0  # the number of no word


class WordStatistics:
    """Numbers for words, and their counts."""

    def __init__(self) -> None:
        self.numbers = Numbering([""])  # _NONE
        self._counts = np.zeros((2, 1024))  # not relevant, relevant
        self._totals = np.ones(2)
        self._weight = 1.0  # of the page counted last; earlier ones count less

    def of(self, texts: Sequence[str]) -> Numbers:
        """(texts, WORDS_OF_A_URL) numbers of their words, the first ones, each once; new words get new numbers."""
        found = np.full((len(texts), WORDS_OF_A_URL), _NONE, dtype=np.int64)
        for row, words in zip(found, words_of(texts), strict=True):
            if words:
                numbers = [self._number(word) for word in dict.fromkeys(filter(str.isalpha, words))]
                row[: len(numbers)] = numbers[:WORDS_OF_A_URL]
        return found

    def learn(self, texts: Iterable[Numbers], label: float) -> None:
        """Words of a page's link and of its title; `label` (0..1) says how relevant the page was."""
        self._weight *= 2.0 ** (1.0 / HALF_LIFE_PAGES)
        shares = self._weight * np.array([1.0 - label, label])
        for numbers in texts:
            words = np.unique(numbers[numbers != _NONE])
            if len(words):
                self._counts[:, words] += shares[:, None]
                self._totals += shares
        if self._weight > _HEAVIEST:
            self._counts /= self._weight
            self._totals /= self._weight
            self._weight = 1.0

    def log_odds(self, numbers: Numbers) -> Floats:
        """The sum of the log-odds of each row's words."""
        many = numbers.size > self.numbers.size  # then each word is computed once
        prior = self._totals / self._totals.sum()
        smooth = SMOOTHING * self._weight * prior
        negative, positive = self._counts[:, : self.numbers.size] if many else self._counts[:, numbers]
        odds = np.log((positive + smooth[1]) / (negative + smooth[0])) - np.log(prior[1] / prior[0])
        if many:
            odds = odds[numbers]
        odds[numbers == _NONE] = 0.0
        sums: Floats = odds.sum(axis=1)
        return sums

    def forget(self, used: Numbers) -> None:
        """Forget the words that are not `used` and were hardly counted."""
        spare = self.numbers.used()
        spare &= self._counts[:, : self.numbers.size].sum(axis=0) < 0.5 * self._weight
        spare[used] = spare[_NONE] = False
        self.numbers.forget(np.flatnonzero(spare))

    def save(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "words": self.numbers.save(),
            "counts": packed(self._counts[:, : self.numbers.size]),
            "totals": self._totals.tolist(),
            "weight": self._weight,
        }

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> WordStatistics:
        """What `save` kept."""
        words = cls()
        words.numbers = Numbering.load(state["words"])
        counts = unpacked(state["counts"]).reshape(2, -1)
        words._counts = np.zeros((2, max(1024, counts.shape[1])))
        words._counts[:, : counts.shape[1]] = counts
        words._totals, words._weight = np.array(state["totals"]), float(state["weight"])
        return words

    def _number(self, word: str) -> int:
        number = self.numbers.get(word)
        if number is None:
            if len(self.numbers) >= MOST_WORDS:
                return _NONE
            number = self.numbers.add(word)
            if number >= self._counts.shape[1]:
                self._counts = doubled(self._counts, axis=1)
            self._counts[:, number] = 0.0
        return number
