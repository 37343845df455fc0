"""How many relevant pages probably wait, and what the next pages promise: what a crawl has still to gain.

The conflict: a score orders URLs, but it is no probability, its scale differs by strategy, and it drifts while the strategy learns. So it is
calibrated by this crawl's own latest fetches: of those with a score like this one, how many gave a page that was kept. The later a fetch,
the more it counts (half as much for each 150 before it), since what waits resembles what was fetched last. The rate may only rise with the
score (isotonic regression), and at the lowest score a few invented fetches keep it from 0 and 1.

The sum over what waits is taken over a random sample of the queue, so the cost does not grow with it. Pages that are not linked yet are
not in it. docs/long-crawls.md compares both figures with what came (benchmarks/enough.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topiccrawler.frontier.base import FrontierView
from topiccrawler.model import Visit

NEXT = 100  # fetches that a promise is about
LEAST = 100  # fetches before which nothing is said
LATEST = 1000  # fetches that count
HALF_LIFE, PROMISE_HALF_LIFE = 150, 50  # fetches
_INVENTED, _INVENTED_RATE = 5.0, 0.03  # fetches at the lowest score
_SAMPLE = 2000  # URLs that wait
_FEWEST = 10  # of the sample stand for the next fetches
_EVERY = 20  # fetches between two estimates

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """`relevant`: URLs that wait and would be kept. `promise`: 0..1, of the next `NEXT` fetches the share that will be kept."""

    relevant: float
    promise: float


class Estimator:
    """Of one crawl. `view`: of its queue. `visits`: of its earlier runs, the latest last."""

    def __init__(self, view: FrontierView, visits: Iterable[Visit] = ()) -> None:
        self._view = view
        self._latest = deque(((visit.score, visit.stored) for visit in visits), maxlen=LATEST)
        self._ended = 0
        self._made: tuple[int, Estimate | None] = (-_EVERY, None)

    def ended(self, score: float, *, kept: bool) -> None:
        """A fetch of a URL leased with this score ended. O(1)."""
        self._latest.append((score, kept))
        self._ended += 1

    def forget(self) -> None:
        """The topic has changed: what was kept before says nothing of it."""
        self._latest.clear()
        self._made = (self._ended - _EVERY, None)

    def estimate(self, *, anew: bool = False) -> Estimate | None:
        """The latest, at most 20 fetches old unless it is made `anew`; None while too little is known."""
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
    """Isotonic regression of what was kept on the score: ascending lowest scores of steps, and the rate (0..1) of each."""
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
    """For the last lines of a crawl: one line, or none."""
    if estimate is not None:
        yield (
            f"about {estimate.relevant:.0f} of the URLs that wait are probably relevant; "
            f"the next {NEXT} pages promise {estimate.promise:.0%}"
        )
