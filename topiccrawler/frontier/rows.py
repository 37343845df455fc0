"""The frontier's rows on disk: what is written, in one transaction a page, and what is read back.

A page brings two hundred links and must be durable at once, yet few pages of the file should change. So rows are appended in
order of arrival, and their number is the key; what changes often (score, state) is stored apart from what is long (URL,
link text). A push that raises a URL is appended as well (a URL raised again rewrites that one row). Writes are buffered
and executed table by table; hosts and source pages are stored once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.frontier import tables
from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.sparse import SparseMap
from topiccrawler.frontier.tables import RESTORE, lock, open_to_read, open_to_write, sqlite_faults
from topiccrawler.frontier.url_index import Digest
from topiccrawler.model import Link, Score

_FLUSH_ROWS = 1_000  # gathered rows are handed to SQLite at this many, committed or not: 5 ms
_PAGE_ROWS = 500  # rows read at a time when listing
_LOAD_ROWS = 10_000  # rows read at a time when opening

STATES = (State.WAITING, State.PROCESSING, State.ERROR, State.DISCARDED, State.COMPLETED)
"""A state's place here is its number on disk."""
CODES = {state: code for code, state in enumerate(STATES)}


class Rows:
    """One frontier's database. Writes are buffered; reading a row with buffered writes flushes them first."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._lock: sqlite3.Connection | None = None
        try:
            with sqlite_faults(path):
                if not read_only:
                    self._lock = lock(path)
                self._database = (open_to_read if read_only else open_to_write)(path)
                self._open()
        except StateError:
            self.abandon()
            raise

    def _open(self) -> None:
        self.hosts: list[str] = []
        for number, name in self._database.execute("SELECT id, name FROM hosts ORDER BY id"):
            if number != len(self.hosts):
                raise StateError(str(self.path), f"host {len(self.hosts)} is missing", RESTORE)
            self.hosts.append(name)
        self._host_ids = {name: number for number, name in enumerate(self.hosts)}
        self._source = ("", 0)
        self._sources: int = self._database.execute("SELECT coalesce(max(id), 0) FROM sources").fetchone()[0]
        self._writes: dict[str, list[tuple[Any, ...]]] = {statement: [] for statement in tables.WRITE_ORDER}
        self._raises = SparseMap()  # by number: the raise that counts
        self._last_raise = 0
        self._touched: set[int] = set()  # numbers whose gathered writes a reader would miss
        self._gathered = 0

    # -- writing ---------------------------------------------------------------------------------------------------

    def host_id(self, name: str) -> int:
        """The host's number; a new host gets a new one."""
        number = self._host_ids.get(name)
        if number is None:
            number = self._host_ids[name] = len(self.hosts)
            self.hosts.append(name)
            self._writes[tables.ADD_HOST].append((number, name))
        return number

    def add(
        self,
        number: int,
        digest: Digest,
        host: int,
        seen_anchors: int,
        link: Link,
        score: Score,
        tunnel: int,
        now: float,
    ) -> None:
        """A URL met for the first time; it waits."""
        row = (number, *digest, host, *_numbers(score), tunnel, now, now, seen_anchors)
        self._writes[tables.ADD_URL].append(row)
        self._writes[tables.ADD_LINK].append((number, link.url, *self._text(link)))
        self._gather(number)

    def replace(self, number: int, link: Link, score: Score, tunnel: int) -> None:
        """The URL was met again with a score that counts instead."""
        what = (*_numbers(score), tunnel, *self._text(link))
        raised = self._raises[number]
        if raised:
            if self._writes[tables.SET_RAISED_SCORE]:
                self._flush_if(number)  # what changed this row before goes before
            self._writes[tables.SET_RAISE].append((*what, raised))
        else:
            self._last_raise += 1
            self._raises[number] = self._last_raise
            self._writes[tables.ADD_RAISE].append((self._last_raise, number, *what))
        self._gather(number)

    def rescore(self, number: int, score: Score) -> None:
        """The URL has another score; its link and tunnel steps stay."""
        raised = self._raises[number]
        if raised:  # what changed this row before is written before: tables.WRITE_ORDER
            self._writes[tables.SET_RAISED_SCORE].append((*_numbers(score), raised))
        else:
            self._writes[tables.SET_SCORE].append((*_numbers(score), number))
        self._gather(number)

    def set_seen_anchors(self, number: int, seen_anchors: int) -> None:
        """The URL was seen with another anchor text. No row that is read shows it."""
        self._writes[tables.SET_SEEN_ANCHORS].append((seen_anchors, number))
        self._gathered += 1

    def move(self, number: int, state: int, reason: str, now: float) -> None:
        """The URL's state changed."""
        self._writes[tables.SET_STATE].append((state, reason, now, number))
        self._gather(number)

    def put_note(self, name: str, text: str) -> None:
        self._writes[tables.SET_NOTE].append((name, text))

    def flush(self) -> None:
        """Hand what was gathered to SQLite, in one transaction that `commit` ends."""
        with sqlite_faults(self.path):
            if not self._database.in_transaction:
                self._database.execute("BEGIN IMMEDIATE")
            for statement, rows in self._writes.items():
                if rows:
                    self._execute(statement, rows)
                    rows.clear()
        self._touched.clear()
        self._gathered = 0

    def commit(self) -> None:
        """Make everything so far durable."""
        if any(self._writes.values()):
            self.flush()
        if self._database.in_transaction:
            with sqlite_faults(self.path):
                self._database.execute("COMMIT")

    def close(self) -> None:
        """Commit and let go. A reader has nothing to commit."""
        try:
            if self._lock is not None:
                self.commit()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Let go; what was not committed is lost."""
        for name in ("_database", "_lock"):
            connection: sqlite3.Connection | None = getattr(self, name, None)
            if connection is not None:
                connection.close()

    # -- reading ---------------------------------------------------------------------------------------------------

    def load_states(self) -> Iterator[Sequence[tuple[int, int, int, float, int, int]]]:
        """Digest (two), host, score, state and seen-anchor mask of every URL in order of arrival, in large pieces. To be read
        once after opening, followed by `load_raises`.
        """
        rows, last = self._select(tables.COUNT)[0]
        if rows != last:
            raise StateError(str(self.path), f"{last - rows} URLs are missing", RESTORE)
        yield from self._pieces(tables.STATES)

    def load_raises(self) -> Iterator[tuple[int, float]]:
        """Number and score of every raised URL."""
        urls = self._select(tables.COUNT)[0][0]
        for piece in self._pieces(tables.RAISES):
            for raised, number, score in piece:
                if not 0 <= number < urls:
                    raise StateError(str(self.path), f"URL number {number} is missing", RESTORE)
                self._raises[number] = raised
                yield number, score
            self._last_raise = piece[-1][0]

    def end_leases(self) -> None:
        """A process that is gone fetches nothing: what it had leased waits again."""
        with sqlite_faults(self.path):
            self._database.execute("UPDATE urls SET state = 0 WHERE state = 1")

    def read(self, number: int) -> Row:
        """One URL's row."""
        self._flush_if(number)
        found = self._select(tables.ONE, (number,))
        if not found:
            raise StateError(str(self.path), f"URL number {number} is missing", RESTORE)
        return self._row(found[0])

    def listing(self, state: State | None = None, last: int = -1) -> Iterator[Row]:
        """Rows after number `last` in order of arrival. Read piece by piece, so that the caller may write in between."""
        while True:
            if self._gathered:
                self.flush()
            if state is None:
                piece = self._select(tables.NEXT, (last, _PAGE_ROWS))
            else:
                piece = self._select(tables.NEXT_IN_STATE, (last, CODES[state], _PAGE_ROWS))
            if not piece:
                return
            yield from map(self._row, piece)
            last = piece[-1][0]

    def note(self, name: str) -> str | None:
        if self._writes[tables.SET_NOTE]:
            self.flush()
        found = self._select("SELECT text FROM notes WHERE name = ?", (name,))
        return found[0][0] if found else None

    def notes(self, prefix: str = "") -> dict[str, str]:
        if self._writes[tables.SET_NOTE]:
            self.flush()
        return dict(self._select("SELECT * FROM notes WHERE substr(name, 1, ?) = ?", (len(prefix), prefix)))

    # -- inside ----------------------------------------------------------------------------------------------------

    def _flush_if(self, number: int) -> None:
        if number in self._touched:
            self.flush()

    def _text(self, link: Link) -> tuple[object, ...]:
        return (
            link.anchor, link.before, link.after, link.title, link.heading, link.region, link.path, link.kind,
            link.position, link.depth, link.nofollow, self._source_id(link.source_url),
        )  # fmt: skip

    def _pieces(self, statement: str) -> Iterator[list[tuple[Any, ...]]]:
        with sqlite_faults(self.path):
            cursor = self._database.execute(statement)
            while piece := cursor.fetchmany(_LOAD_ROWS):
                yield piece

    def _source_id(self, url: str) -> int:
        if not url:
            return 0
        if url != self._source[0]:
            self._sources += 1
            self._source = (url, self._sources)
            self._writes[tables.ADD_SOURCE].append((self._sources, url))
        return self._source[1]

    def _gather(self, number: int) -> None:
        self._touched.add(number)
        self._gathered += 1
        if self._gathered >= _FLUSH_ROWS:
            self.flush()

    def _execute(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        try:
            self._database.executemany(statement, rows)
        except UnicodeEncodeError:  # half a surrogate pair; the rows before it are in
            again = statement.replace("INSERT INTO", "REPLACE INTO")
            self._database.executemany(again, map(_encodable, rows))

    def _select(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with sqlite_faults(self.path):
            return self._database.execute(statement, values).fetchall()

    def _row(self, raw: tuple[Any, ...]) -> Row:
        number, state, reason, added, changed, host, url = raw[: tables.BEFORE_RAISE]
        raised = self._raises[number]
        current = self._select(tables.RAISE, (raised,)) if raised else [raw[tables.BEFORE_RAISE :]]
        try:
            score, shares, carry, tunnel, *text, nofollow, source = current[0]
            anchor, before, after, title, heading, region, path, kind, position, depth = text
            link = Link(
                url, self.hosts[host], anchor, before, after, title, heading, region, path, kind, position, depth,
                source, bool(nofollow),
            )  # fmt: skip
            return Row(link, score, bytes(shares), carry, tunnel, STATES[state], reason, added, changed)
        except (IndexError, TypeError, ValueError) as error:
            raise StateError(str(self.path), f"URL number {number} is damaged", RESTORE) from error


def _numbers(score: Score) -> tuple[float, bytes, float]:
    return float(score.value), score.shares, float(score.carry)


def _encodable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(one.encode("utf-8", "replace").decode() if isinstance(one, str) else one for one in row)
