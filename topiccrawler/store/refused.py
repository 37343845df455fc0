"""Stores a sample of the links that the gate refused, so that a user can see what a crawl skips.

There are many times more such links than pages, and nothing depends on them. So one URL in ONE_IN is recorded, by its hash, once, and at
most MOST in total; it does no harm if a killed process loses the last of them. The sample must not cost a crawl a page: a fault of the file
is reported once, and the crawl continues without it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from zlib import crc32

from topiccrawler.errors import StateError, file_faults
from topiccrawler.model import Link

logger = logging.getLogger(__name__)

NOT_QUEUED = "refused"  # the state of such a link in listings, in addition to the states of the queue
ONE_IN = 16
MOST = 10_000


@dataclass(frozen=True, slots=True)
class RefusedLink:
    """One refused link of the sample."""

    url: str
    anchor: str
    source_url: str
    probability: float  # 0..1, by the link model
    time: float  # seconds since the epoch


class RefusedLinks:
    """Appends links of the sample to a file of JSON arrays, which is made with the first one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: list[str] = []
        self._broken = False

    @cached_property
    def _urls(self) -> set[str]:
        try:
            return {link.url for link in read_refused(self.path)}
        except StateError as fault:
            self._disable(fault)
            return set()

    def add(self, links: Sequence[Link], probabilities: Sequence[float | None], now: float) -> None:
        """Add those links that belong to the sample, each with its probability; `commit` writes them. `now`: seconds since the epoch."""
        for link, probability in zip(links, probabilities, strict=True):
            if crc32(link.url.encode("utf-8", "replace")) % ONE_IN == 0 and link.url not in self._urls:
                if self._broken or len(self._urls) >= MOST:
                    return
                self._urls.add(link.url)
                row = RefusedLink(link.url, link.anchor, link.source_url, probability or 0.0, now)
                self._lines.append(json.dumps(astuple(row)) + "\n")

    def commit(self) -> None:
        """Write the links that were added. A fault of the file ends the sample with a warning."""
        lines, self._lines = self._lines, []
        if lines and not self._broken:
            try:
                with _faults(self.path, "written"), self.path.open("a", encoding="utf-8") as file:
                    file.write("".join(lines))
            except StateError as fault:
                self._disable(fault)

    def _disable(self, fault: StateError) -> None:
        self._broken = True
        logger.warning("Refused links are no longer noted: %s", fault)


def read_refused(path: Path, limit: int = -1, skip: int = 0) -> Iterator[RefusedLink]:
    """The links in a file, first to last, at most `limit` (-1 = all) after the first `skip`; damaged lines are skipped.

    StateError if the file cannot be read.
    """
    if path.is_file():
        with _faults(path, "read"), path.open(encoding="utf-8", errors="replace") as lines:
            rows = filter(None, map(_row, lines))
            yield from islice(rows, skip, None if limit < 0 else skip + limit)


def _faults(path: Path, done: str) -> AbstractContextManager[None]:
    return file_faults(StateError, path, f"cannot be {done}", "make room or move it away")


def _row(line: str) -> RefusedLink | None:
    try:
        url, anchor, source_url, probability, time = json.loads(line)
        return RefusedLink(str(url), str(anchor), str(source_url), float(probability), float(time))
    except (ValueError, TypeError, RecursionError):
        return None
