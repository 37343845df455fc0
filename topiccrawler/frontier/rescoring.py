"""Rescores queued links without stopping the crawl: a slice a page.

A strategy may want to rescore a million queued links, but the engine must not be blocked for more than about 50 ms, and a
run must be repeatable. So a slice is a fixed number of links, not a time, and one is done with every page read. Scores of
a slice count at once; links not reached yet keep their old scores.

Resuming: the position is the last URL whose new score was applied. A strategy that answers in another order than the
queue's must answer from its own state alone, and keep in that state what it has not answered yet; its position is
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

COUNTED = "#"  # no URL begins so

Refresh = Callable[[Iterable[Link]], Iterable[Score]]
Apply = Callable[[Sequence[Score]], int]


class Rescoring:
    """One refresh at a time. `apply`: writes the new scores to the queue and returns how many changed; None = Frontier.rescore."""

    def __init__(self, frontier: Frontier, slice_urls: int = SLICE_URLS, apply: Apply | None = None) -> None:
        self.frontier = frontier
        self._apply = frontier.rescore if apply is None else apply
        self.slice_urls = slice_urls
        self.slices = 0  # since the start of the run
        self.changed = 0  # scores
        self.slowest_seconds = 0.0  # of a slice
        self.running = False  # a refresh is under way
        self._scores: Iterator[Score] = iter(())
        self._handed: deque[str] = deque()  # URLs passed to the strategy and not scored yet
        self._place: str | None = ""  # the last URL done; "" = the beginning, None = out of order
        self._applied = 0  # scores of this refresh

    @property
    def place(self) -> str | None:
        """Where to go on after a restart: a URL, "#" and a number of scores, "" for the beginning; None = no refresh is
        under way.
        """
        if not self.running:
            return None
        return f"{COUNTED}{self._applied}" if self._place is None else self._place

    def begin(self, refresh: Refresh, after: str = "", *, at_once: bool = False) -> None:
        """Start a refresh, or resume one after the URL `after`. `at_once`: what the strategy does before its first score is
        done now, not with the next step.
        """
        self.running = True
        self._handed.clear()
        counted = after.startswith(COUNTED)
        self._applied = int(after.removeprefix(COUNTED)) if counted else 0
        self._place = None if counted else after
        self._scores = islice(refresh(self._queued("" if counted else after)), self._applied, None)
        if at_once:
            self._scores = chain(list(islice(self._scores, 1)), self._scores)

    def stop(self) -> None:
        """Give up a refresh that is under way."""
        self.running, self._scores = False, iter(())
        self._handed.clear()

    def step(self) -> int:
        """Score and apply one slice. Returns how many scores it had."""
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
            self._handed.append(link.url)
            yield link

    def _follow(self, url: str) -> None:
        """Links may be left out, but not answered in another order."""
        if self._place is None:
            return
        while self._handed:
            if self._handed.popleft() == url:
                self._place = url
                return
        self._place = None
