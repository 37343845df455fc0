"""Estimates how many relevant pages are still in the queue.

`Estimator` estimates how many relevant pages the crawl can still find. A score orders URLs, but it is no probability, its scale differs by
strategy, and it drifts while the strategy learns. So it is calibrated by the latest fetches of this crawl: the share of fetches with a
similar score whose page was kept. Later fetches count more (the weight halves with every 150 fetches), since waiting URLs resemble those
fetched last. The rate may only rise with the score (isotonic regression), and a few invented fetches at the lowest score keep it
from 0 and 1. The sum over waiting URLs is estimated from a random sample of the queue, so the cost does not grow with the queue. Pages that
are not linked yet are not included.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topiccrawler.frontier.base import FrontierView
from topiccrawler.messages import Message
from topiccrawler.model import Visit

NEXT = 100  # number of future fetches for which `Estimate.promise` is estimated
LEAST = 100  # number of fetches before the first estimate
LATEST = 1000  # number of latest fetches used for calibration
HALF_LIFE, PROMISE_HALF_LIFE = 150, 50  # fetches
# number of invented fetches at the lowest score, and their share of kept pages
_INVENTED, _INVENTED_RATE = 5.0, 0.03
_SAMPLE = 2000  # waiting URLs
_FEWEST = 10  # least number of URLs of the sample that represent the next fetches
_EVERY = 20  # fetches between two estimates

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """`relevant`: expected number of waiting URLs whose pages would be kept. `promise`: expected share of kept pages, 0..1, among the next
    `NEXT` fetches."""

    relevant: float
    promise: float


class Estimator:
    """Estimates what one crawl can still find. `view`: a view of the queue. `visits`: visits of earlier runs, the latest last."""

    def __init__(self, view: FrontierView, visits: Iterable[Visit] = ()) -> None:
        self._view = view
        self._latest = deque(((visit.score, visit.stored) for visit in visits), maxlen=LATEST)
        self._ended = 0
        self._made: tuple[int, Estimate | None] = (-_EVERY, None)

    def ended(self, score: float, *, kept: bool) -> None:
        """Record the end of a fetch, and the score with which its URL was leased. O(1)."""
        self._latest.append((score, kept))
        self._ended += 1

    def forget(self) -> None:
        """Discard all recorded fetches, because the topic has changed."""
        self._latest.clear()
        self._made = (self._ended - _EVERY, None)

    def estimate(self, *, anew: bool = False) -> Estimate | None:
        """The current estimate, at most 20 fetches old, or computed now with `anew`; None while there are too few fetches."""
        if anew or self._made[1] is None or self._ended - self._made[0] >= _EVERY:
            self._made = (self._ended, self._make())
        return self._made[1]

    def _make(self) -> Estimate | None:
        if len(self._latest) < LEAST:
            return None
        waiting = self._view.waiting()
        scores = np.asarray(self._view.sample(_SAMPLE) if waiting else [], dtype=np.float64)
        history = np.array(self._latest, dtype=np.float64)
        age = np.arange(len(history))[::-1]
        latest = float(np.average(history[:, 1], weights=0.5 ** (age / PROMISE_HALF_LIFE)))
        if not scores.size:
            return None if waiting else Estimate(0.0, latest)
        lowest, rates = calibration(history[:, 0], history[:, 1], 0.5 ** (age / HALF_LIFE))
        likely = rates[np.maximum(0, np.searchsorted(lowest, scores, side="right") - 1)]
        first = max(_FEWEST, round(NEXT * scores.size / max(waiting, scores.size)))
        best = likely[np.argsort(-scores, kind="stable")[:first]]
        return Estimate(float(likely.mean()) * waiting, (float(best.mean()) + latest) / 2)


def calibration(scores: Floats, kept: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Isotonic regression of kept pages on the score. Returns the steps: their lowest scores, ascending, and their rates (0..1)."""
    lowest, which = np.unique(scores, return_inverse=True)
    hits, fetches = (np.bincount(which, of_each) for of_each in (kept * weights, weights))
    hits[0] += _INVENTED * _INVENTED_RATE
    fetches[0] += _INVENTED
    steps: list[list[float]] = []  # lowest score, kept, fetches
    for step in zip(lowest.tolist(), hits.tolist(), fetches.tolist(), strict=True):
        steps.append([*step])
        while len(steps) > 1 and steps[-2][1] * steps[-1][2] >= steps[-1][1] * steps[-2][2]:
            last = steps.pop()
            steps[-1][1] += last[1]
            steps[-1][2] += last[2]
    found = np.array(steps)
    return found[:, 0], found[:, 1] / found[:, 2]


def words_of(estimate: Estimate | None) -> Iterator[str]:
    """The estimate as a line for the end of a crawl's output; no line without an estimate."""
    if estimate is not None:
        yield Message(
            "about {count} of the URLs that wait are probably relevant; the next {pages} pages promise {share}",
            count=f"{estimate.relevant:.0f}",
            pages=NEXT,
            share=f"{estimate.promise:.0%}",
        )
