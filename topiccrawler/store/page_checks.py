"""What later looks at a job's pages found: changed, unchanged or gone, and the versions that were replaced.

It is written by a crawl that revisits (`-a revisit=true`); the first look at a page stands in the crawl log and the page store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields

from topiccrawler.resources import package_text
from topiccrawler.store.database import Database
from topiccrawler.store.pages import PageRecord


@dataclass(frozen=True, slots=True)
class Check:
    """All looks at one URL together."""

    url: str
    looked: float  # the last one that the server answered, seconds since the epoch
    etag: str = ""  # headers of its last answer, for the next request's condition
    modified: str = ""
    digest: str = ""  # of what is compared: a kept page's text, another page's links; empty = not known yet
    looks: int = 0  # behind the first
    changes: int = 0  # looks that found it changed
    days: float = 0.0  # that these looks span; with a Last-Modified from there on
    found: int = 0  # pages kept that were met through it on a later look
    misses: int = 0  # answers 404 or 410 in a row
    gone: float = 0.0  # the first of these


@dataclass(frozen=True, slots=True)
class Version:
    """A page as it was."""

    url: str
    fetched: float  # seconds since the epoch
    replaced: float  # when it was seen to have changed
    title: str
    text: str


_COLUMNS = ", ".join(field.name for field in fields(Check))
_MARKS = ", ".join("?" for _ in fields(Check))


class PageChecks(Database):
    """By URL. Nothing is durable before commit()."""

    what = "record of revisits"
    application = 0x746F7072  # "topr"
    version = 1
    schema = package_text("store/checks.sql")

    def put(self, check: Check) -> None:
        """Keep it, in place of what was known of the URL."""
        with self._faults():
            self._database.execute(f"INSERT OR REPLACE INTO checks VALUES ({_MARKS})", astuple(check))  # noqa: S608

    def get(self, url: str) -> Check | None:
        """What is known of a URL."""
        with self._faults():
            row = self._database.execute(f"SELECT {_COLUMNS} FROM checks WHERE url = ?", (url,)).fetchone()  # noqa: S608
        return Check(*row) if row else None

    def all(self) -> Iterator[Check]:
        """Each URL that was looked at again."""
        with self._faults():
            yield from (Check(*row) for row in self._database.execute(f"SELECT {_COLUMNS} FROM checks"))  # noqa: S608

    def led_to(self, url: str) -> None:
        """A page was kept that was met through this one."""
        with self._faults():
            self._database.execute("UPDATE checks SET found = found + 1 WHERE url = ?", (url,))

    def keep_version(self, record: PageRecord, replaced: float) -> None:
        """Keep a page as it was."""
        row = (record.url, record.fetched, replaced, record.title, record.text)
        with self._faults():
            self._database.execute("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)", row)

    def versions(self, url: str) -> list[Version]:
        """The earlier versions of a page, the latest first."""
        asked = "SELECT url, fetched, replaced, title, text FROM versions WHERE url = ? ORDER BY fetched DESC"
        with self._faults():
            return [Version(*row) for row in self._database.execute(asked, (url,))]
