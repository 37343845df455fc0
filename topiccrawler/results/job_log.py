"""A job's crawl log kept in memory while it grows: what it adds up to, and any URL's visit and way from the seed.

A log of a hundred thousand visits takes a second to read, so it is read once, in pieces, and then only what was appended.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf
from pathlib import Path
from threading import Lock

from topiccrawler.crawling.history import LONGEST_PATH
from topiccrawler.crawling.job_files import VISITS
from topiccrawler.model import Visit
from topiccrawler.results.tally import Tally
from topiccrawler.store.visits import VisitTail

_LOOK_EVERY = 64  # visits between two looks at the clock


@dataclass(frozen=True, slots=True)
class OnTheWay:
    """One page on the way from a seed."""

    url: str
    anchor: str  # of the link that led to it
    score: float | None = None  # it was fetched with; None where the log does not have it


class JobLog:
    """Of one job; may be asked by several threads."""

    def __init__(self, folder: Path) -> None:
        self.tally = Tally()
        self._tail = VisitTail(folder / VISITS)
        self._places: dict[str, int] = {}  # of each URL's last visit
        self._lock = Lock()

    def advance(self, seconds: float = inf) -> float:
        """Read what is new, for so long; the share of the log that is read then, 0..1."""
        until = time.monotonic() + seconds
        with self._lock:
            unread = self._tail.unread()
            if unread and not self._tail.begun:
                self.tally, self._places = Tally(), {}
            if unread:
                for number, (place, visit) in enumerate(self._tail.visits(), start=1):
                    self.tally.add(visit)
                    self._places[visit.url] = place
                    if number % _LOOK_EVERY == 0 and time.monotonic() > until:
                        return self._tail.share
        return 1.0

    def visit(self, url: str) -> Visit | None:
        """The last visit of a URL."""
        place = self._places.get(url)
        return None if place is None else self._tail.at(place)

    def path(self, url: str, source_url: str, anchor: str, score: float | None = None) -> list[OnTheWay]:
        """From the seed to a URL whose link stands on the page `source_url`; as far as the log has it."""
        steps = {url: OnTheWay(url, anchor, score)}
        while source_url and source_url not in steps and len(steps) < LONGEST_PATH:
            found = self.visit(source_url)
            if found is None:
                steps[source_url] = OnTheWay(source_url, "")
                break
            steps[source_url] = OnTheWay(source_url, found.anchor, found.score)
            source_url = found.source_url
        return list(reversed(steps.values()))
