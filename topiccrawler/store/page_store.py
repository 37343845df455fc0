"""Stores the pages of a job in its database, with one row for each URL, and the words of each for search (store.index)."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

from topiccrawler.errors import StateError
from topiccrawler.job_database import JobDatabase, JobTable, is_begun, storable
from topiccrawler.store.index import PageIndex
from topiccrawler.store.pages import (
    COLUMNS,
    Found,
    Judgement,
    PageRecord,
    QueryTerm,
    Selection,
    SqlPages,
    content_hash,
)
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.urls.canonical import host_of

_ROW = attrgetter(*COLUMNS)
_PUT = (
    f"({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) ON CONFLICT (url) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[1:])
    + " RETURNING rowid"
)
_JUDGE = "UPDATE pages SET relevance = ?, stored = ?, refused = ?, topic = ?, summary = ?, opinion = ?, opinion_reason = ?, judged = ? WHERE rowid = ?"
_DAY = "coalesce(nullif(published, ''), date(fetched, 'unixepoch', 'localtime'))"


class StoredPages(JobTable, SqlPages):
    """Pages in a table of the job's database."""

    name: ClassVar[str]  # of the table

    def __init__(self, place: JobDatabase | Path | str) -> None:
        super().__init__(place)
        self.database.define("host_of", host_of)

    def put(self, record: PageRecord) -> int:
        """Store a page, or replace the one with its URL. Returns its row, which does not change. Any text is accepted."""
        row = {name: storable(value) for name, value in zip(COLUMNS, _ROW(record), strict=True)}
        row["content_hash"] = row["content_hash"] or content_hash(str(row["text"]))
        return int(self.database.write(f"INSERT INTO {self.name} {_PUT}", tuple(row.values()))[0][0])

    def get(self, url: str) -> PageRecord | None:
        """The page with a canonical URL; None if it is not stored."""
        return self._one("url = ?", url)

    def nearest(self, relevance: float, limit: int, *, stored: bool = True) -> list[int]:
        """The rows of pages that are no copies, sorted by the distance of their relevance to `relevance`, at most `limit`.

        `stored`: pages about the topic, else pages off topic. The queries read the index only, `limit` rows above and below the relevance.
        """
        found = []
        no_copy = (
            f"rowid NOT IN (SELECT rowid FROM {self.name} WHERE alias_of <> '')"  # this reads the index only  # noqa: S608
        )
        for side, order in ((">=", "ASC"), ("<", "DESC")):
            which = f"stored = ? AND {no_copy} AND relevance {side} ? ORDER BY relevance {order}, url LIMIT ?"
            found += self._rows("relevance, url, rowid", which, stored, relevance, limit)
        return [row for *_, row in sorted(found, key=lambda one: (abs(one[0] - relevance), one[1]))[:limit]]

    def check_whole(self) -> None:
        """Raise StateError for a damaged table, which would otherwise give only a part of its pages without an error."""
        self.database.check_whole()

    def _rows(self, what: str, which: str, *values: object) -> list[Any]:
        query = f"SELECT {what} FROM {self.table} AND {which}"  # noqa: S608
        return self.database.read(query, tuple(map(storable, values)))

    def _condition(self, selection: Selection) -> tuple[str, list[object]]:
        condition, values = selection.condition(host="host_of(url)", day=_DAY)
        if selection.site:  # a cheap test first, so that host_of() is called for few pages
            return f"instr(url, ?) AND {condition}", [selection.site, *values]
        return condition, values


class PageStore(StoredPages):
    """The pages of a job about its topic: see store.pages.Pages."""

    name, table = "pages", "pages WHERE true"

    def __init__(self, place: JobDatabase | Path | str) -> None:
        super().__init__(place)
        self._index = PageIndex(self.database)

    def put(self, record: PageRecord, segmenter: Segmenter = PLAIN) -> int:
        """Store and index a page, or replace the one with its URL. `segmenter`: the segmenter of the crawl."""
        row = super().put(record)
        self._index.add(row, record, segmenter)
        return row

    def judge(self, judgements: Iterable[Judgement], now: float) -> None:
        """See store.pages.Pages."""
        judged = list(judgements)
        rows = [(*one[1:], now, one.row) for one in judged]
        self.database.write_many(_JUDGE, [tuple(map(storable, row)) for row in rows])
        self._index.judge(judged)

    def find(
        self, terms: tuple[QueryTerm, ...], selection: Selection, limit: int, *, media: bool = False
    ) -> list[Found]:
        """See store.pages.Pages."""
        return self._index.find(terms, selection, limit, media=media)

    @property
    def is_empty(self) -> bool:
        """Whether no page has been stored."""
        return not self._rows("1", "true LIMIT 1")


def read_pages(path: Path) -> PageStore:
    """The pages in the database at a path, opened for reading. StateError if there is none."""
    if not is_begun(path):
        raise StateError(str(path), "no such database", f"name the {path.name} of a crawl")
    return PageStore(JobDatabase(path, read_only=True))
