"""Computes new scores for queued links without stopping the crawl, one slice per page.

A strategy may have to rescore a million
links, but the engine must not be blocked for more than about 50 ms, and a run must be repeatable. So a slice is a fixed number of links,
not a time. Scores of a slice apply at once; links that were not reached yet keep their old scores.

The position of a resumed refresh is the last URL whose new score was applied. A strategy that yields scores in another order than
that of the queue must compute them from its own state alone, and store in that state which are still to come; its position is
the number of scores applied ("#1000").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from time import perf_counter

from topiccrawler.frontier.base import Frontier
from topiccrawler.model import Link, Score

SLICE_URLS = 1000  # 35 ms with the link classifier on a 2 GHz core; 50 ms are allowed

COUNTED = "#"  # prefix of a position that is a number; no URL begins with it

Refresh = Callable[[Iterable[Link]], Iterable[Score]]
Apply = Callable[[Sequence[Score]], int]


class Rescoring:
    """Rescores the queue in slices, one refresh at a time.

    `apply`: writes new scores to the queue and returns how many have changed; None = Frontier.rescore.
    """

    def __init__(self, frontier: Frontier, slice_urls: int = SLICE_URLS, apply: Apply | None = None) -> None:
        self.frontier = frontier
        self._apply = frontier.rescore if apply is None else apply
        self.slice_urls = slice_urls
        self.slices = 0  # number of slices since the start of the run
        self.changed = 0  # number of scores changed since then
        self.slowest_seconds = 0.0  # duration of the slowest slice
        self.running = False  # a refresh is in progress
        self._scores: Iterator[Score] = iter(())
        self._unscored: deque[str] = deque()  # URLs passed to the strategy and not scored yet
        # the last URL scored; "" = the beginning, None = scores come out of order
        self._place: str | None = ""
        self._applied = 0  # number of scores applied in this refresh

    @property
    def place(self) -> str | None:
        """The position at which to resume after a restart: a URL, "#" and a number of scores, or "" for the beginning.

        None = no refresh is running.
        """
        if not self.running:
            return None
        return f"{COUNTED}{self._applied}" if self._place is None else self._place

    def begin(self, refresh: Refresh, after: str = "", *, at_once: bool = False) -> None:
        """Start a refresh, or resume one after the position `after`.

        `at_once`: compute the first score now, so that the strategy learns now what it learns before it, not in the next step.
        """
        self.running = True
        self._unscored.clear()
        counted = after.startswith(COUNTED)
        self._applied = int(after.removeprefix(COUNTED)) if counted else 0
        self._place = None if counted else after
        self._scores = islice(refresh(self._queued("" if counted else after)), self._applied, None)
        if at_once:
            self._scores = chain(list(islice(self._scores, 1)), self._scores)

    def stop(self) -> None:
        """Cancel a running refresh."""
        self.running, self._scores = False, iter(())
        self._unscored.clear()

    def step(self) -> int:
        """Score one slice and apply the scores. Returns the number of scores."""
        if not self.running:
            return 0
        began = perf_counter()
        batch = list(islice(self._scores, self.slice_urls))
        self.changed += self._apply(batch)
        for score in batch:
            self._follow(score.url)
        self._applied += len(batch)
        if len(batch) < self.slice_urls:
            self.running = False
        self.slices += 1
        self.slowest_seconds = max(self.slowest_seconds, perf_counter() - began)
        return len(batch)

    def _queued(self, after: str) -> Iterator[Link]:
        for link in self.frontier.look().queued(after):
            self._unscored.append(link.url)
            yield link

    def _follow(self, url: str) -> None:
        """Advance the position to a scored URL. The strategy may skip links; a score out of order changes the position to a number."""
        if self._place is None:
            return
        while self._unscored:
            if self._unscored.popleft() == url:
                self._place = url
                return
        self._place = None
