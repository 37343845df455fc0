"""Stores a sample of the links that the gate refused, so that a user can see what a crawl skips.

There are many times more such links than pages, and nothing depends on them. So one URL in ONE_IN is recorded, by its hash, once, and at
most MOST in total.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from topiccrawler.job_database import JobDatabase, JobTable, storable
from topiccrawler.model import Link

NOT_QUEUED = "refused"  # the state of such a link in listings, in addition to the states of the queue
ONE_IN = 16
MOST = 10_000
_ADD = "INSERT OR IGNORE INTO refused (url, anchor, source_url, probability, time) VALUES (?, ?, ?, ?, ?) RETURNING number"
_ALL = "SELECT url, anchor, source_url, probability, time FROM refused ORDER BY number LIMIT ? OFFSET ?"


@dataclass(frozen=True, slots=True)
class RefusedLink:
    """One refused link of the sample."""

    url: str
    anchor: str
    source_url: str
    probability: float  # 0..1, by the link model
    time: float  # seconds since the epoch


class RefusedLinks(JobTable):
    """The sample, in the job's database."""

    def __init__(self, place: JobDatabase | Path | str) -> None:
        super().__init__(place)
        self._count = self.count()

    def add(self, links: Sequence[Link], probabilities: Sequence[float | None], now: float) -> None:
        """Add those links that belong to the sample, each with its probability. `now`: seconds since the epoch."""
        for link, probability in zip(links, probabilities, strict=True):
            if self._count < MOST and crc32(link.url.encode("utf-8", "replace")) % ONE_IN == 0:
                row = (
                    storable(link.url),
                    storable(link.anchor),
                    storable(link.source_url),
                    probability or 0.0,
                    now,
                )
                self._count += len(self.database.write(_ADD, row))

    def count(self) -> int:
        """The number of links in the sample."""
        return int(self.database.read("SELECT count(*) FROM refused")[0][0])

    def all(self, limit: int = -1, skip: int = 0) -> list[RefusedLink]:
        """The links, first to last, at most `limit` (-1 = all) after the first `skip`."""
        return [RefusedLink(*row) for row in self.database.read(_ALL, (limit, skip))]
