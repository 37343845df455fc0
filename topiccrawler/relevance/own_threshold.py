"""A page threshold that sets itself while the crawl runs: where pages whose links looked good part best from the others.

Idea: two witnesses of a page, its words and the link that led to it, seldom err together. Among thresholds for the words the one is best that
parts the links best.
Formula: of pages with relevance r and e = how good the link looked (Strategy.worth), the threshold t of STEPS from T / 2 to 2 T at which
the variance of e between the two sides is largest: n1 n0 (e1 - e0)²; T what the topic file says. It counts as much as PRIOR pages:
ln threshold = (n ln t + PRIOR ln T) / (n + PRIOR), from LEAST_PAGES on, and so that LEAST_SIDE pages lie on either side.
Parameters: docs/lab/growth.md. Cost: nothing to speak of.
But: a strategy whose scores say nothing of a page (breadth first) leaves it where it was.
Reference: Otsu (1979), with the other view's values; Blum & Mitchell (1998).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

STEPS = 45
PRIOR, LEAST_PAGES, LEAST_SIDE = 500, 500, 10
BOUND = 2.0  # it moves between the half and twice of what was given


class OwnThreshold:
    """`given`: above 0; what the topic file says."""

    def __init__(self, given: float) -> None:
        self.given = given
        ratio = BOUND ** (2.0 / (STEPS - 1))
        self._steps = [given / BOUND * ratio**step for step in range(STEPS)]
        self._pages = [0] * (STEPS + 1)  # below the first step, between two, from the last on
        self._worths = [0.0] * (STEPS + 1)

    def add(self, relevance: float, expected: float) -> None:
        """A page was read."""
        place = bisect_right(self._steps, relevance)
        self._pages[place] += 1
        self._worths[place] += expected

    @property
    def value(self) -> float:
        """The threshold now."""
        count = sum(self._pages)
        best = self._best() if count >= LEAST_PAGES else None
        if best is None:
            return self.given
        return math.exp((count * math.log(best) + PRIOR * math.log(self.given)) / (count + PRIOR))

    def _best(self) -> float | None:
        pages, worths = list(accumulate(self._pages)), list(accumulate(self._worths))
        count, worth = pages[-1], worths[-1]
        best, most = None, 1e-9 * count
        for step, below, sum_below in zip(self._steps, pages, worths, strict=False):
            above = count - below
            if min(below, above) < LEAST_SIDE:
                continue
            parted = (sum_below / below - (worth - sum_below) / above) ** 2 * below * above / count
            if parted > most and (worth - sum_below) / above > sum_below / below:
                best, most = step, parted
        return best

    def save(self) -> dict[str, Any]:
        """As JSON values."""
        return {"given": self.given, "pages": self._pages, "worths": self._worths}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> OwnThreshold:
        """What `save` gave. ValueError, KeyError or TypeError when damaged."""
        made = cls(float(state["given"]))
        pages, worths = (
            [int(number) for number in state["pages"]],
            [float(worth) for worth in state["worths"]],
        )
        if len(pages) != STEPS + 1 or len(worths) != STEPS + 1:
            raise ValueError("has another number of steps")
        made._pages, made._worths = pages, worths
        return made
