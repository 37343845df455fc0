"""The counts a link model consists of; counts of two trainings add up.

A model should be a few thousand numbers a person can read, and learn more later or be merged with another
one, yet be as fast as a dictionary. Everything a score needs follows from counts.

Idea: presence counts for each field and class; their ratio is the weight of a word.
Formula: bernoulli    P(F|C) = (Count(F,C) + 1) / (Count_C + 2)
         multinomial  P(F|C) = (Count(F,C) + 1) / (Tokens_C + V)
         complement   the multinomial, each class's ln P(F|C) divided by the sum of its sizes over the vocabulary, and
                      both times the mean of the two sums: a class does not win by the size of its weights
         log-odds of a word = ln P(F|+) - ln P(F|-), over the words present only.
    Count(F,C)  samples of class C whose field holds F    -> words[field][F]
    Count_C     samples of class C that have the field    -> samples[field]
    Tokens_C    words counted in class C                  -> tokens[field]
    V           distinct words of the field
Cost: one dictionary entry a word; adding a sample is one addition a word.
But: samples have weights, so counts are fractions; fields have totals of their own, because a headline has no address.
    Rare words may be dropped (`pruned`), totals stay; sums of pruned counts are exact but for the dropped words.
    With two classes the complement of one is the other, so of Rennie's model only its normalised weights remain.
Reference: Han et al. 2010, eq. 1-2; McCallum and Nigam 1998 for the two event models; Rennie et al. 2003, complement.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from topiccrawler.links.features import FIELDS

Event = Literal["bernoulli", "multinomial", "complement"]
EVENTS: tuple[Event, ...] = ("bernoulli", "multinomial", "complement")
Pair = tuple[float, float]  # (-, +)


def _no_words() -> dict[str, tuple[Counter[str], Counter[str]]]:
    return {name: (Counter(), Counter()) for name in FIELDS}


def _zeros() -> dict[str, list[float]]:
    return {name: [0.0, 0.0] for name in FIELDS}


@dataclass
class Counts:
    """Additive counts of both classes: index 0 is -, index 1 is +."""

    words: dict[str, tuple[Counter[str], Counter[str]]] = field(default_factory=_no_words)
    samples: dict[str, list[float]] = field(default_factory=_zeros)
    tokens: dict[str, list[float]] = field(default_factory=_zeros)

    def add(self, fields: Mapping[str, Iterable[str]], positive: bool, weight: float = 1.0) -> None:
        """Count one sample: its distinct words by field."""
        side = int(positive)
        for name, found in fields.items():
            table = self.words[name][side]
            total = 0
            for word in found:
                table[word] += weight  # type: ignore[assignment]  # Counter of fractions
                total += 1
            self.samples[name][side] += weight
            self.tokens[name][side] += weight * total

    def merged(self, other: Counts) -> Counts:
        """The counts of both."""
        result = Counts()
        for part in (self, other):
            for name in FIELDS:
                for side in (0, 1):
                    table = result.words[name][side]
                    for word, count in part.words[name][side].items():
                        table[word] += count
                    result.samples[name][side] += part.samples[name][side]
                    result.tokens[name][side] += part.tokens[name][side]
        return result

    def pruned(self, least: float, most_words: int) -> Counts:
        """Without words counted less than `least` times, and at most `most_words`: those with most weight in sum."""
        ranked = sorted(
            (-_total_weight(pair, self.samples[name]), name, word, pair)
            for name in FIELDS
            for word, pair in self.pairs(name)
            if sum(pair) >= least
        )
        result = Counts(samples=self.samples, tokens=self.tokens)
        for _, name, word, pair in ranked[:most_words]:
            for side in (0, 1):
                if pair[side]:
                    result.words[name][side][word] = pair[side]  # type: ignore[assignment]
        return result

    def pairs(self, name: str) -> list[tuple[str, Pair]]:
        """Every word of a field with its two counts, in the order of the words."""
        negative, positive = self.words[name]
        return [(word, (negative[word], positive[word])) for word in sorted({*negative, *positive})]

    def log_odds(self, name: str, event: Event) -> dict[str, float]:
        """Word -> ln P(F|+) - ln P(F|-) for one field."""
        negative, positive = self.words[name]
        vocabulary = sorted({*negative, *positive})
        if event == "bernoulli":
            totals = [total + 2 for total in self.samples[name]]
        else:
            totals = [total + len(vocabulary) for total in self.tokens[name]]
        if event == "complement":
            return self._complement(name, vocabulary, totals)
        shift = math.log(totals[0] or 1) - math.log(totals[1] or 1)
        return {w: math.log(positive[w] + 1) - math.log(negative[w] + 1) + shift for w in vocabulary}

    def _complement(self, name: str, vocabulary: list[str], totals: list[float]) -> dict[str, float]:
        sides = [
            [math.log((table[word] + 1) / total) for word in vocabulary]
            for table, total in zip(self.words[name], totals, strict=True)
        ]
        sums = [-sum(side) or 1.0 for side in sides]
        mean = sum(sums) / 2
        return {
            word: mean * (on / sums[1] - off / sums[0])
            for word, off, on in zip(vocabulary, *sides, strict=True)
        }


def _total_weight(pair: Pair, samples: list[float]) -> float:
    """A word's total weight: its occurrences times the size of its log-odds."""
    odds = math.log((pair[1] + 1) / (samples[1] + 2)) - math.log((pair[0] + 1) / (samples[0] + 2))
    return sum(pair) * abs(odds)
