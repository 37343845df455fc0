"""Chooses the samples of naive Bayes as published (relevance.published): as many of other topics as of the topic, evenly over their labels.

JLSE §4.1 has about as many negative sample pages as positive ones, spread evenly over the other topics (table 1). With all documents of
this training, nineteen of twenty of which are of other topics, eq. 2 makes every rare word speak for the topic, whose class is small.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Protocol, TypeVar


class Labelled(Protocol):
    """A sample and its label."""

    @property
    def positive(self) -> bool: ...

    @property
    def label(self) -> str: ...


T = TypeVar("T", bound=Labelled)


def evenly(samples: Iterable[T], seed: int = 0) -> list[T]:
    """Return the samples of the topic, and as many others: one of each label in turn, at random within a label."""
    own: list[T] = []
    others: dict[str, list[T]] = {}
    for sample in samples:
        (own if sample.positive else others.setdefault(sample.label, [])).append(sample)
    chance = random.Random(seed)
    for label in sorted(others):
        chance.shuffle(others[label])
    chosen: list[T] = []
    while len(chosen) < len(own) and any(others.values()):
        for label in sorted(others):
            if others[label] and len(chosen) < len(own):
                chosen.append(others[label].pop())
    return [*own, *chosen]
