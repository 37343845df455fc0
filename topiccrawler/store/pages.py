"""The page store: one SQLite file, one row a URL. Its contract is that of a server of pages too (cluster.postgresql).

A killed crawl fetches its open pages again, so storing a page twice must be harmless; and the frontier may forget a
page only after the store is safe on disk. So a row is an upsert by URL, and nothing is durable before commit(), which
the caller makes before the frontier's.

Text is plain TEXT, so that sqlite3, pandas and a full-text index read it. Compressed (zlib, level 1) the file had 56 % of
the size, and a page cost 0.17 ms more CPU to write and 0.07 ms more to read (600 pages of recorded blogs, 6.5 kB of text each).
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Protocol

from topiccrawler.errors import StateError
from topiccrawler.items import PageFields, PageItem
from topiccrawler.pages.site_repeats import Fingerprint
from topiccrawler.resources import package_text
from topiccrawler.store.database import Database
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.urls.canonical import host_of


@dataclass(frozen=True, slots=True)
class Selection:
    """Of all pages those that meet each condition; an empty one is none."""

    topic: str = ""
    site: str = ""  # a host, or a domain above it
    since: str = ""  # YYYY-MM-DD: the day of the page, else the day it was fetched, is not before
    min_relevance: float = 0.0  # 0..1
    kind: str = ""  # html, pdf … (docs/formats.md)

    def condition(self, *, host: str, day: str, find: str = "instr") -> tuple[str, list[object]]:
        """SQL that is true of such pages, and its values; `host` and `day`: what gives them; `find`: the function for a text in a text."""
        tests: list[tuple[str, list[object]]] = [("true", [])]
        if self.topic:
            tests.append((f"{find}(',' || topic || ',', ?) > 0", [f",{self.topic},"]))  # of several
        if self.site:
            below = f".{self.site}"
            end = f"substr({host}, length({host}) - {len(below) - 1})"
            tests.append((f"({host} = ? OR {end} = ?)", [self.site, below]))
        if self.since:
            tests.append((f"{day} >= ?", [self.since]))
        if self.min_relevance > 0:
            tests.append(("relevance >= ?", [self.min_relevance]))
        if self.kind:
            tests.append(("format = ?", [self.kind]))
        return " AND ".join(test for test, _ in tests), [value for _, values in tests for value in values]


ALL = Selection()


@dataclass(slots=True, kw_only=True)
class PageRecord(PageFields):
    """One stored page."""

    stored: bool = True  # False: found off topic, kept for looking at mistakes
    content_hash: str = ""  # of the text; put() fills it in
    media: str = ""  # pictures and files it links: a JSON list of {url, anchor, alt, caption, kind}

    @property
    def day(self) -> str:
        """YYYY-MM-DD: as the page says, else the day it was fetched in local time; empty for a time that is none."""
        if self.published:
            return self.published
        try:
            return time.strftime("%Y-%m-%d", time.localtime(self.fetched))
        except (OverflowError, OSError, ValueError):
            return ""


def record_of(item: PageItem) -> PageRecord:
    """The page as it is stored."""
    media = json.dumps([asdict(medium) for medium in item.media], ensure_ascii=False) if item.media else ""
    return PageRecord(media=media, **{field.name: getattr(item, field.name) for field in fields(PageFields)})


COLUMNS = [field.name for field in fields(PageRecord)]
_ROW = attrgetter(*COLUMNS)
_SCHEMA = package_text("store/pages.sql")
_PUT = (
    f"INSERT INTO pages ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) ON CONFLICT (url) DO UPDATE SET "  # noqa: S608
    + ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[1:])
    + " RETURNING rowid"
)
_DAY = "coalesce(nullif(published, ''), date(fetched, 'unixepoch', 'localtime'))"
_NO_COPY = "rowid NOT IN (SELECT rowid FROM pages WHERE alias_of <> '')"  # by the index alone
_ALL = ", ".join(COLUMNS)
_AT_ONCE = 100  # pages read in one go
_NO_LIMIT = 1 << 62


class SqlPages:
    """What SQLite and PostgreSQL are asked alike; `?` stands for a value. See Pages."""

    table: ClassVar[str] = "pages WHERE true"  # those of the job
    row: ClassVar[str] = "rowid"
    is_alias_of: ClassVar[str] = "alias_of = ?"

    def at(self, row: int) -> PageRecord | None:
        return self._one(f"{self.row} = ?", row)

    def best(self, selection: Selection = ALL, limit: int | None = None) -> list[int]:
        condition, values = self._condition(selection)
        which = f"stored AND {condition} ORDER BY relevance DESC, url LIMIT ?"
        return self._numbers(which, *values, _NO_LIMIT if limit is None else limit)

    def after(self, row: int, limit: int) -> list[tuple[int, PageRecord]]:
        which = f"{self.row} > ? AND stored ORDER BY {self.row} LIMIT ?"
        found = self._rows(f"{self.row}, {_ALL}", which, row, limit)
        return [(number, record_from(rest)) for number, *rest in found]

    def copies(self, url: str, limit: int) -> list[str]:
        which = f"{self.is_alias_of} AND alias_of <> '' ORDER BY {self.row} LIMIT ?"
        return [found for (found,) in self._rows("url", which, url, limit)]

    def records(self) -> Iterator[PageRecord]:
        last, which = 0, f"{self.row} > ? ORDER BY {self.row} LIMIT {_AT_ONCE}"
        while found := self._rows(f"{self.row}, {_ALL}", which, last):
            for last, *rest in found:  # noqa: B007 where the next go begins
                yield record_from(rest)

    def _one(self, which: str, value: object) -> PageRecord | None:
        found = self._rows(_ALL, which, value)
        return record_from(found[0]) if found else None

    def _numbers(self, which: str, *values: object) -> list[int]:
        return [row for (row,) in self._rows(self.row, which, *values)]

    def _rows(self, what: str, which: str, *values: object) -> list[Any]:
        """These columns of the pages of the job for which that is true."""
        raise NotImplementedError

    def _condition(self, selection: Selection) -> tuple[str, list[object]]:
        raise NotImplementedError


class PageStore(Database, SqlPages):
    """Pages by URL. Nothing is durable before commit()."""

    what = "page store"
    application = 0x746F7063  # "topc"
    version = 3  # 1 and 2 had compressed texts
    schema = _SCHEMA
    repaired_by = "scrapy pages {folder} repair"

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        if not create and not Path(path).is_file():
            raise StateError(str(path), "no such page store", "name the pages.sqlite of a crawl")
        super().__init__(path)

    def put(self, record: PageRecord) -> int:
        """Store a page, or replace what is stored under its URL; its row, which it keeps. Any text is taken."""
        row = {name: storable(value) for name, value in zip(COLUMNS, _ROW(record), strict=True)}
        row["content_hash"] = row["content_hash"] or content_hash(str(row["text"]))
        with self._faults():
            return int(self._database.execute(_PUT, tuple(row.values())).fetchone()[0])

    def get(self, url: str) -> PageRecord | None:
        """The page stored under a canonical URL."""
        return self._one("url = ?", url)

    def nearest(self, relevance: float, limit: int, *, stored: bool = True) -> list[int]:
        """The rows of pages about the topic that are no copies, those of the nearest relevance first; not `stored`: of pages found off
        topic. By the index alone: above and below it so many."""
        found = []
        for side, order in ((">=", "ASC"), ("<", "DESC")):
            which = f"stored = ? AND {_NO_COPY} AND relevance {side} ? "
            which += f"ORDER BY relevance {order}, url LIMIT ?"
            found += self._rows("relevance, url, rowid", which, stored, relevance, limit)
        return [row for *_, row in sorted(found, key=lambda one: (abs(one[0] - relevance), one[1]))[:limit]]

    def changed(self, row: int, fetched: float) -> list[tuple[int, float]]:
        """Rows behind this one, and rows fetched at that time or later, each with the time it was fetched."""
        which = "rowid > ? UNION SELECT rowid, fetched FROM pages WHERE fetched >= ?"
        return self._rows("rowid, fetched", which, row, fetched)

    def delete(self, url: str) -> None:
        """Remove the page of that URL, if there is one."""
        with self._faults():
            self._database.execute("DELETE FROM pages WHERE url = ?", (storable(url),))

    def _rows(self, what: str, which: str, *values: object) -> list[Any]:
        with self._faults():
            asked = f"SELECT {what} FROM {self.table} AND {which}"  # noqa: S608
            return self._database.execute(asked, tuple(map(storable, values))).fetchall()

    def _condition(self, selection: Selection) -> tuple[str, list[object]]:
        condition, values = selection.condition(host="host_of(url)", day=_DAY)
        if selection.site:  # host_of() is asked only for what may be of the site
            return f"instr(url, ?) AND {condition}", [selection.site, *values]
        return condition, values

    def _open(self) -> None:
        super()._open()
        self._database.create_function("host_of", 1, host_of, deterministic=True)
        # of an earlier build, and read-only or in use: it is read without
        with suppress(sqlite3.OperationalError):
            self._database.executescript(_SCHEMA.partition(";")[2])  # its indexes


def content_hash(text: str) -> str:
    """Of a page's text, as the store has it."""
    return blake2b(str(storable(text)).encode("utf-8"), digest_size=8).hexdigest()


def storable(value: object) -> object:
    """Replaces what a database refuses: lone surrogates, and numbers that are not finite."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode("utf-8")
    return 0.0 if isinstance(value, float) and not math.isfinite(value) else value


def record_from(row: Sequence[object]) -> PageRecord:
    """The page of a row of the store: its columns in their order."""
    found: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    return PageRecord(**{**found, "stored": bool(found["stored"])})


class Pages(Protocol):
    """Pages by URL; each has a row, a number that it keeps. StateError when the store cannot be used."""

    def put(self, record: PageRecord) -> int:
        """Store a page, or replace what is stored under its URL; its row."""

    def get(self, url: str) -> PageRecord | None:
        """The page stored under a canonical URL."""

    def at(self, row: int) -> PageRecord | None:
        """The page in a row."""

    def best(self, selection: Selection = ALL, limit: int | None = None) -> list[int]:
        """The rows of such pages about the topic, the most relevant first."""

    def nearest(self, relevance: float, limit: int) -> list[int]:
        """The rows of pages about the topic that are no copies, those of the nearest relevance first."""

    def after(self, row: int, limit: int) -> list[tuple[int, PageRecord]]:
        """The first pages about the topic behind a row, each with its row, in order of arrival."""

    def copies(self, url: str, limit: int) -> list[str]:
        """URLs of the pages that are kept as aliases of this one, in order of arrival."""

    def delete(self, url: str) -> None:
        """Remove the page of that URL, if there is one."""

    def records(self) -> Iterator[PageRecord]:
        """All pages, lazily, in order of arrival."""

    def commit(self) -> None:
        """Make everything so far durable."""

    def close(self) -> None:
        """Commit and let go. A second call does nothing."""


class SharedPages(Protocol):
    """The pages of a crawl that are kept on a server, by one of its processes. Futures are done when the server has answered."""

    address: str  # of the server, without what is secret of it
    job: str  # the crawl's name there

    @property
    def pages(self) -> Pages:
        """For the thread of the crawl."""

    def check(self, another: Callable[[str, str, str], tuple[str, str]] | None = None) -> None:
        """StateError when the server cannot be used, or the job there is for another topic. `another`: of the recipe there, its topic and the
        one asked for, fault and remedy in people's words."""

    def begin(self, recipe: Mapping[str, object], topic: str = "") -> None:
        """The crawl begins or goes on; its recipe is kept for those who look at it."""

    def keep(self, record: PageRecord, segmenter: Segmenter) -> Future[int]:
        """Store a page; done when it is durable. `segmenter`: of the crawl."""

    def get(self, url: str) -> Future[PageRecord | None]:
        """A page of this job; None when it is not stored."""

    def first_of(
        self, url: str, print_: Fingerprint, *, across_sites: bool, may_be: Callable[[str, str | None], bool]
    ) -> Future[str | None]:
        """The page this one is a copy of, whichever process has kept it; None when it is the first, which is then remembered. `may_be`: asked in
        another thread of each page that matches, by its URL and title (None: it is not stored yet)."""

    def hurry(self) -> None:
        """The crawl closes: a server that is away is not waited for as long."""

    def figures(self) -> Mapping[str, float]:
        """Numbers for the stats, by name."""

    def close(self) -> None:
        """Finish and let go. A second call does nothing."""

    def abandon(self) -> None:
        """Let go at once."""
