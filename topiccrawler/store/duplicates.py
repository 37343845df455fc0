"""Finds pages that are copies of an earlier one: exact copies by digest, near copies by fingerprint.

`NearIndex` holds fingerprints in memory. The usual indexes for near copies (bands of hash tables) take a kilobyte per page and still miss
some. A fingerprint takes only 32 bytes, so all of them are in memory as columns: one pass over their first 64 bits leaves one in a
hundred, which are compared in full.

`DuplicateIndex` has digests and URLs on disk only, in the job's database.

Rule       a page is a copy of the earliest known page that it matches; a page that is stored again is never its own copy.
Parameters FIRST_DIFFERENT 22 of the first 64 bits: true copies differ in 6 ± 2.4, so the first pass loses almost none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from topiccrawler.errors import StateError
from topiccrawler.job_database import JobDatabase, JobTable, storable
from topiccrawler.pages.site_repeats import BITS, MOST_DIFFERENT, Fingerprint
from topiccrawler.urls.canonical import host_of, registered_domain

FIRST_DIFFERENT = 22
FIRST_ROOM = 1024
_WORDS = BITS // 64
_PUT = """INSERT INTO fingerprints VALUES (?, ?, ?, ?)
    ON CONFLICT (row) DO UPDATE SET digest = excluded.digest, bits = excluded.bits"""

_NO_TEXT = Fingerprint(0, b"")  # no hash of a text is 0, but for one in 2^64


class NearIndex:
    """Fingerprints by row number from 0, as columns of 64-bit words."""

    def __init__(self) -> None:
        self._columns: NDArray[np.uint64] = np.zeros((_WORDS, FIRST_ROOM), dtype=np.uint64)
        self._known: NDArray[np.bool_] = np.zeros(FIRST_ROOM, dtype=np.bool_)
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def put(self, row: int, bits: bytes) -> None:
        """Set the fingerprint of a row; bits of another length leave the row empty, so that nothing matches it."""
        while row >= self._known.size:
            more = self._known.size
            self._columns = np.pad(self._columns, ((0, 0), (0, more)))
            self._known = np.pad(self._known, (0, more))
        self._rows = max(self._rows, row + 1)
        self._known[row] = whole = len(bits) * 8 == BITS
        if whole:
            self._columns[:, row] = np.frombuffer(bits, dtype=np.uint64)

    def near(self, bits: bytes, before: int | None = None, *, most: int = MOST_DIFFERENT) -> list[int]:
        """The rows (below `before`) whose fingerprints differ in at most `most` bits, in ascending order."""
        end = self._rows if before is None else min(before, self._rows)
        if len(bits) * 8 != BITS or end == 0:
            return []
        wanted = np.frombuffer(bits, dtype=np.uint64)
        first = np.bitwise_count(self._columns[0, :end] ^ wanted[0])
        rows = np.flatnonzero((first <= FIRST_DIFFERENT) & self._known[:end])
        distances = np.bitwise_count(self._columns[:, rows] ^ wanted[:, None]).sum(axis=0)
        return [int(row) for row in rows[distances <= most]]


class DuplicateIndex(JobTable):
    """The index of a job's pages by fingerprint."""

    def __init__(self, place: JobDatabase | Path | str) -> None:
        super().__init__(place)
        self._near = NearIndex()
        for expected, (row, bits) in enumerate(
            self.database.read("SELECT row, bits FROM fingerprints ORDER BY row")
        ):
            if row != expected:
                self.abandon()
                raise StateError(
                    str(self.database.path), f"fingerprint {expected} is missing", "move it away"
                )
            self._near.put(row, bits)

    def __len__(self) -> int:
        return len(self._near)

    def first_of(
        self,
        url: str,
        print_: Fingerprint,
        *,
        across_sites: bool = True,
        may_be: Callable[[str], bool] = lambda _: True,
    ) -> str | None:
        """The URL of the page of which this one is a copy; None if it is the first, which is then recorded.

        Without `across_sites` only pages of the same registered domain are compared. `may_be`: called with the URL of each page that
        matches; false = this page is no copy of it, by other evidence.
        """
        url = str(storable(url))
        own = self.database.read("SELECT row FROM fingerprints WHERE url = ?", (url,))
        row = own[0][0] if own else len(self._near)
        matching = self._matching(print_, row, site=None if across_sites else site_compared(url))
        first = next(filter(may_be, matching), None)
        if first is None or own:
            # A page that has become a copy has no text any more of which another page could be a copy.
            kept = print_ if first is None else _NO_TEXT
            self.database.write(_PUT, (row, url, *kept))
            self._near.put(row, kept.bits)
        return first

    def _matching(self, print_: Fingerprint, before: int, site: str | None) -> Iterator[str]:
        query = "SELECT url FROM fingerprints WHERE row = ?"
        for row in sorted({*self._exact(print_.digest, before), *self._near.near(print_.bits, before)}):
            other = str(self.database.read(query, (row,))[0][0])
            if site is None or site_compared(other) == site:
                yield other

    def _exact(self, digest: int, before: int) -> list[int]:
        query = "SELECT row FROM fingerprints WHERE digest = ? AND row < ?"
        return [row for (row,) in self.database.read(query, (digest, before))]


def site_compared(url: str) -> str:
    """The registered domain of a URL, within which pages are compared; else its host."""
    return registered_domain(url) or host_of(url)
