"""Stores the results of later checks of a job's pages: changed, unchanged or gone.

A crawl that revisits pages writes them (`-a revisit=true`). The first fetch of a page is in the crawl log and the page store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields

from topiccrawler.resources import package_text
from topiccrawler.store.database import Database


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
_MARKS = ", ".join("?" for _ in fields(Check))


class PageChecks(Database):
    """The checks of pages, by URL, in one file. Nothing is durable before commit()."""

    what = "record of revisits"
    application = 0x746F7072  # "topr"
    version = 1
    schema = package_text("store/checks.sql")

    def put(self, check: Check) -> None:
        """Store the results for a URL, in place of the earlier ones."""
        with self._faults():
            self._database.execute(f"INSERT OR REPLACE INTO checks VALUES ({_MARKS})", astuple(check))  # noqa: S608

    def get(self, url: str) -> Check | None:
        """The results for a URL; None if it was not checked again."""
        with self._faults():
            row = self._database.execute(f"SELECT {_COLUMNS} FROM checks WHERE url = ?", (url,)).fetchone()  # noqa: S608
        return Check(*row) if row else None

    def all(self) -> Iterator[Check]:
        """The results for each URL that was checked again."""
        with self._faults():
            yield from (Check(*row) for row in self._database.execute(f"SELECT {_COLUMNS} FROM checks"))  # noqa: S608
