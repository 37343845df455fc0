"""Stores the results of later checks of a job's pages: changed, unchanged or gone.

A crawl that revisits pages writes them (`-a revisit=true`). The first fetch of a page is in the crawl log and the page store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields

from topiccrawler.job_database import JobTable, storable


@dataclass(frozen=True, slots=True)
class Check:
    """The combined results of all fetches of one URL."""

    url: str
    looked: float  # time of the last fetch with a response, seconds since the epoch
    etag: str = ""  # header ETag of the last response, for the next conditional request
    modified: str = ""  # header Last-Modified, for the same
    # of what is compared: the text of a kept page, the links of another; empty = not known yet
    digest: str = ""
    looks: int = 0  # number of fetches after the first
    changes: int = 0  # number of those in which the page had changed
    misses: int = 0  # number of consecutive responses 404 or 410
    gone: float = 0.0  # time of the first of these


_COLUMNS = ", ".join(field.name for field in fields(Check))
_PUT = f"INSERT OR REPLACE INTO checks VALUES ({', '.join('?' for _ in fields(Check))})"  # noqa: S608


class PageChecks(JobTable):
    """The checks of pages, by URL, in the job's database."""

    def put(self, check: Check) -> None:
        """Store the results for a URL, in place of the earlier ones."""
        self.database.write(_PUT, tuple(map(storable, astuple(check))))

    def get(self, url: str) -> Check | None:
        """The results for a URL; None if it was not checked again."""
        found = self.database.read(f"SELECT {_COLUMNS} FROM checks WHERE url = ?", (storable(url),))  # noqa: S608
        return Check(*found[0]) if found else None

    def all(self) -> Iterator[Check]:
        """The results for each URL that was checked again."""
        return (Check(*row) for row in self.database.read(f"SELECT {_COLUMNS} FROM checks"))  # noqa: S608
