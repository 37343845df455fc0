"""Reads and writes the database file of the frontier (SQLite): its tables, its version, its lock, and one row for each URL.

A page brings two hundred links and must be durable at once, yet few pages of the file should change. So rows are appended in
order of arrival, and their number is the key; columns that change often (score, state) are stored apart from long ones (URL,
link text). A push that raises the score of a URL appends a row as well; a second raise of the URL rewrites that row. Writes are
buffered and executed table by table, in one transaction a page. Hosts and source pages are stored once.

    urls     number, digest, host, score, shares, carry, tunnel, state, reason, times, failed tries
    links    number, url, link text, source page
    raises   id, number, score, shares, carry, tunnel, link text, source page: replace the values in urls and links
    hosts    id, name        sources  id, url        notes  name, text

A file found on disk may be that of another program, of another version or of a running crawl, or be damaged. Each of these is
refused in one line before anything is changed. The mark (application_id) and the version are in the header of the file. A writer
holds a lock on a small file beside it, which ends with the process; readers need none.

Plain columns throughout; no pickle. WAL with synchronous=NORMAL: a committed transaction survives any kill of the
process. After a power failure the last transactions may be lost, but none is torn.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.url_index import Digest, SparseMap
from topiccrawler.model import Link, Score
from topiccrawler.sqlite_files import connect, is_locked, locked

VERSION = 1
RESTORE = "put back a copy, or choose another JOBDIR"
_APPLICATION_ID = 1_416_589_382  # "TopF"
_CACHE_KIB = 16_384

_SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE hosts (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE sources (id INTEGER PRIMARY KEY, url TEXT NOT NULL);
CREATE TABLE urls (number INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL, digest_check INTEGER NOT NULL,
    host INTEGER NOT NULL, score REAL NOT NULL, shares BLOB NOT NULL, carry REAL NOT NULL, tunnel INTEGER NOT NULL, state INTEGER NOT NULL,
    reason TEXT NOT NULL, added REAL NOT NULL, changed REAL NOT NULL, seen_anchors INTEGER NOT NULL, tries INTEGER NOT NULL);
CREATE TABLE links (number INTEGER PRIMARY KEY, url TEXT NOT NULL, anchor TEXT NOT NULL, before TEXT NOT NULL,
    after TEXT NOT NULL, title TEXT NOT NULL, heading TEXT NOT NULL, region TEXT NOT NULL, path TEXT NOT NULL,
    kind TEXT NOT NULL, position INTEGER NOT NULL, depth INTEGER NOT NULL, nofollow INTEGER NOT NULL,
    source INTEGER NOT NULL);
CREATE TABLE raises (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, score REAL NOT NULL, shares BLOB NOT NULL, carry REAL NOT NULL,
    tunnel INTEGER NOT NULL, anchor TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, title TEXT NOT NULL,
    heading TEXT NOT NULL, region TEXT NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL,
    depth INTEGER NOT NULL, nofollow INTEGER NOT NULL, source INTEGER NOT NULL);
CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = 1416589382;
PRAGMA user_version = 1;
COMMIT;
"""

# The statements that `Rows` executes.
ADD_HOST = "INSERT INTO hosts VALUES (?, ?)"
ADD_SOURCE = "INSERT INTO sources VALUES (?, ?)"
ADD_URL = "INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, '', ?, ?, ?, 0)"
ADD_LINK = "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_RAISE = "INSERT INTO raises VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
SET_RAISE = """UPDATE raises SET score = ?, shares = ?, carry = ?, tunnel = ?, anchor = ?, before = ?, after = ?, title = ?,
    heading = ?, region = ?, path = ?, kind = ?, position = ?, depth = ?, nofollow = ?, source = ? WHERE id = ?"""
SET_SCORE = "UPDATE urls SET score = ?, shares = ?, carry = ? WHERE number = ?"
SET_RAISED_SCORE = "UPDATE raises SET score = ?, shares = ?, carry = ? WHERE id = ?"
SET_STATE = "UPDATE urls SET state = ?, reason = ?, changed = ? WHERE number = ?"
SET_TRIES = "UPDATE urls SET tries = ? WHERE number = ?"
SET_SEEN_ANCHORS = "UPDATE urls SET seen_anchors = ? WHERE number = ?"
SET_NOTE = "INSERT OR REPLACE INTO notes VALUES (?, ?)"
_FIXED = "SELECT urls.number, state, reason, added, changed, tries, host, links.url, "
_COUNTS = """{0}.score, {0}.shares, {0}.carry, {0}.tunnel, {1}.anchor, {1}.before, {1}.after, {1}.title, {1}.heading, {1}.region,
    {1}.path, {1}.kind, {1}.position, {1}.depth, {1}.nofollow, coalesce(sources.url, '')"""
_FIRST, _RAISED = _COUNTS.format("urls", "links"), _COUNTS.format("raises", "raises")
_URLS = "FROM urls JOIN links USING (number)"
_SOURCE = "LEFT JOIN sources ON sources.id = "
ROW = f"{_FIXED} {_FIRST} {_URLS} {_SOURCE} links.source "
ONE = ROW + "WHERE urls.number = ?"
ONE_RAISED = f"""{_FIXED} {_RAISED} {_URLS} JOIN raises ON raises.id = ? {_SOURCE} raises.source
    WHERE urls.number = ?"""
LINK = f"SELECT {_FIRST}, links.url {_URLS} {_SOURCE} links.source WHERE urls.number = ?"
RAISED_LINK = f"""SELECT {_RAISED}, links.url
    FROM raises JOIN links USING (number) {_SOURCE} raises.source WHERE raises.id = ?"""  # noqa: S608 all of it stands here
NEXT = ROW + "WHERE urls.number > ? ORDER BY urls.number LIMIT ?"
NEXT_IN_STATE = ROW + "WHERE urls.number > ? AND state = ? ORDER BY urls.number LIMIT ?"
RAISES = "SELECT id, number, score FROM raises ORDER BY id"
SELECT_STATES = (
    "SELECT fingerprint, digest_check, host, score, state, seen_anchors, tries FROM urls ORDER BY number"
)
FIND = "SELECT number FROM urls WHERE fingerprint = ? AND digest_check = ?"
LAST_RAISE = "SELECT coalesce(max(id), 0) FROM raises WHERE number = ?"
COUNT = "SELECT count(*), coalesce(max(number), -1) + 1 FROM urls"

WRITE_ORDER = (
    ADD_HOST,
    ADD_SOURCE,
    ADD_URL,
    ADD_LINK,
    ADD_RAISE,
    SET_RAISE,
    SET_SCORE,
    SET_RAISED_SCORE,
    SET_STATE,
    SET_TRIES,
    SET_SEEN_ANCHORS,
    SET_NOTE,
)


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open the database for writing, and create it if there is none. The caller holds the lock."""
    database = connect(path, isolation_level=None)
    try:
        named = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not named and not _mark(database):
            # Before WAL: until this is committed the file is empty for readers (frontier.stored_state.is_made).
            database.executescript(_SCHEMA)
        _check(database, path)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    except BaseException:
        database.close()
        raise
    return database


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open the database for reading, beside a crawl that may be writing to it: one snapshot until it is closed."""
    database = connect(path, read_only=True, isolation_level=None)
    try:
        database.execute("BEGIN")
        _check(database, path)
    except BaseException:
        database.close()
        raise
    return database


def lock(path: Path) -> sqlite3.Connection:
    """Acquire the right to write, which lasts until the connection is closed or the process ends. StateError if it is held."""
    locked = sqlite3.connect(f"{path}.lock", timeout=0, isolation_level=None)
    try:
        locked.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        locked.close()
        if "locked" not in str(error):
            raise
        remedy = "wait for that crawl or choose another JOBDIR"
        raise StateError(str(path), "another crawl is using it", remedy) from error
    return locked


class SqliteFaults:
    """A context that turns an error of SQLite about this file into a StateError of one line. A class, since a generator is slower."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            if is_locked(error):
                raise locked(self._path) from error
            unusable = isinstance(error, sqlite3.OperationalError)
            remedy = (
                "check that it exists, may be written, and that the disk has room" if unusable else RESTORE
            )
            raise StateError(str(self._path), f"it cannot be used ({error})", remedy) from error


def _mark(database: sqlite3.Connection) -> int:
    mark: int = database.execute("PRAGMA application_id").fetchone()[0]
    return mark


def _check(database: sqlite3.Connection, path: Path) -> None:
    if _mark(database) != _APPLICATION_ID:
        raise StateError(str(path), "it is no frontier of this program", "choose another JOBDIR")
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        fault = f"it was written by version {version} of the frontier, this program reads {VERSION}"
        raise StateError(str(path), fault, "go on with the program that wrote it, or choose another JOBDIR")


_FLUSH_ROWS = 1_000  # so many buffered rows are passed to SQLite, committed or not: 5 ms
_PAGE_ROWS = 500  # rows read at a time when listing
_LOAD_ROWS = 10_000  # rows read at a time when opening

STATES = (State.WAITING, State.PROCESSING, State.ERROR, State.DISCARDED, State.COMPLETED)
"""The position of a state here is its number on disk."""
CODES = {state: code for code, state in enumerate(STATES)}


class Rows:
    """The rows of one frontier's database. Writes are buffered; reading a row with buffered writes flushes them first."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._faults = SqliteFaults(path)
        self._lock: sqlite3.Connection | None = None
        try:
            with self._faults:
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
        self._writes: dict[str, list[tuple[Any, ...]]] = {statement: [] for statement in WRITE_ORDER}
        self._raises = SparseMap()  # number of a URL -> id of its row in `raises`
        self._last_raise = 0
        self._touched: set[int] = set()  # numbers of URLs with buffered writes
        self._buffered = 0
        self._writes_begun = False  # whether the open transaction writes

    # -- writing ---------------------------------------------------------------------------------------------------

    def host_id(self, name: str) -> int:
        """The number of a host; a new host gets the next number."""
        number = self._host_ids.get(name)
        if number is None:
            number = self._host_ids[name] = len(self.hosts)
            self.hosts.append(name)
            self._writes[ADD_HOST].append((number, name))
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
        """Add a URL that is new; it waits."""
        row = (number, *digest, host, *_numbers(score), tunnel, now, now, seen_anchors)
        self._writes[ADD_URL].append(row)
        self._writes[ADD_LINK].append((number, link.url, *self._text(link)))
        self._count_write(number)

    def replace(self, number: int, link: Link, score: Score, tunnel: int) -> None:
        """Replace the link, score and tunnel steps of a URL that was pushed again."""
        values = (*_numbers(score), tunnel, *self._text(link))
        raised = self._raises[number]
        if raised:
            if self._writes[SET_RAISED_SCORE]:
                self._flush_if(number)  # by WRITE_ORDER an earlier change would overwrite this one
            self._writes[SET_RAISE].append((*values, raised))
        else:
            self._last_raise += 1
            self._raises[number] = self._last_raise
            self._writes[ADD_RAISE].append((self._last_raise, number, *values))
        self._count_write(number)

    def rescore(self, number: int, score: Score) -> None:
        """Replace the score of a URL; its link and tunnel steps stay."""
        raised = self._raises[number]
        if raised:  # earlier changes of this row are executed before: see WRITE_ORDER
            self._writes[SET_RAISED_SCORE].append((*_numbers(score), raised))
        else:
            self._writes[SET_SCORE].append((*_numbers(score), number))
        self._count_write(number)

    def set_seen_anchors(self, number: int, seen_anchors: int) -> None:
        """Set the seen-anchor mask of a URL. It is no part of a `Row`, so reading the row need not flush it."""
        self._writes[SET_SEEN_ANCHORS].append((seen_anchors, number))
        self._buffered += 1

    def move(self, number: int, state: int, reason: str, now: float) -> None:
        """Set the state of a URL, with its reason and time."""
        self._writes[SET_STATE].append((state, reason, now, number))
        self._count_write(number)

    def set_tries(self, number: int, tries: int) -> None:
        """Set the number of failed tries of a URL."""
        self._writes[SET_TRIES].append((tries, number))
        self._count_write(number)

    def put_note(self, name: str, text: str) -> None:
        self._writes[SET_NOTE].append((name, text))

    def flush(self) -> None:
        """Pass the buffered writes to SQLite, in a transaction that `commit` ends."""
        with self._faults:
            self._begin()
            for statement, rows in self._writes.items():
                if rows:
                    self._execute(statement, rows)
                    rows.clear()
        self._touched.clear()
        self._buffered = 0

    def commit(self) -> None:
        """Make all changes so far durable."""
        if any(self._writes.values()):
            self.flush()
        if self._database.in_transaction:
            with self._faults:
                self._database.execute("COMMIT")
                self._writes_begun = False

    def close(self) -> None:
        """Commit, unless opened for reading, and close the file."""
        try:
            if self._lock is not None:
                self.commit()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the file without a commit; uncommitted changes are lost."""
        for name in ("_database", "_lock"):
            connection: sqlite3.Connection | None = getattr(self, name, None)
            if connection is not None:
                connection.close()

    # -- reading ---------------------------------------------------------------------------------------------------

    def load_states(self) -> Iterator[Sequence[tuple[int, int, int, float, int, int, int]]]:
        """Yield digest (two numbers), host, score, state, seen-anchor mask and failed tries of every URL in order of arrival, in large
        batches. To be read once after opening, before `load_raises`. StateError when a URL is missing.
        """
        rows, last = self._select(COUNT)[0]
        if rows != last:
            raise StateError(str(self.path), f"{last - rows} URLs are missing", RESTORE)
        yield from self._batches(SELECT_STATES)

    def load_raises(self) -> Iterator[tuple[int, float]]:
        """Yield number and score of every raised URL, and remember its row in `raises`."""
        urls = self._select(COUNT)[0][0]
        for batch in self._batches(RAISES):
            for raised, number, score in batch:
                if not 0 <= number < urls:
                    raise StateError(str(self.path), f"URL number {number} is missing", RESTORE)
                self._raises[number] = raised
                yield number, score
            self._last_raise = batch[-1][0]

    def end_leases(self) -> None:
        """Put the URLs that an ended process had leased back to waiting."""
        with self._faults:
            self._begin()
            self._database.execute("UPDATE urls SET state = 0 WHERE state = 1")

    def find(self, digest: Digest) -> int | None:
        """The number of a URL, or None if it is unknown; for a reader that has not loaded the raises. O(URLs) in SQL, without an index."""
        found = self._select(FIND, digest)
        if not found:
            return None
        number = int(found[0][0])
        self._raises[number] = self._select(LAST_RAISE, (number,))[0][0]
        return number

    def read(self, number: int) -> Row:
        """The row of the URL with this number. StateError when it is missing or damaged."""
        self._flush_if(number)
        raised = self._raises[number]
        found = self._select(ONE_RAISED, (raised, number)) if raised else self._select(ONE, (number,))
        if not found:
            raise StateError(str(self.path), f"URL number {number} is missing", RESTORE)
        return self._row(found[0])

    def read_link(self, number: int, host: str) -> tuple[Link, float, float, int, bytes]:
        """Link, score, carry, tunnel and shares of a URL. For a raised URL the table `urls` is not read."""
        self._flush_if(number)
        raised = self._raises[number]
        found = self._select(RAISED_LINK, (raised,)) if raised else self._select(LINK, (number,))
        if not found:
            raise StateError(str(self.path), f"URL number {number} is missing", RESTORE)
        try:
            score, shares, carry, tunnel, *text, nofollow, source, url = found[0]
            return Link._make((url, host, *text, source, bool(nofollow))), score, carry, tunnel, bytes(shares)
        except (TypeError, ValueError) as error:
            raise StateError(str(self.path), f"URL number {number} is damaged", RESTORE) from error

    def listing(self, state: State | None = None, last: int = -1) -> Iterator[Row]:
        """Yield the rows after number `last` in order of arrival. They are read in batches, so that the caller may write in between."""
        while True:
            if self._buffered:
                self.flush()
            if state is None:
                batch = self._select(NEXT, (last, _PAGE_ROWS))
            else:
                batch = self._select(NEXT_IN_STATE, (last, CODES[state], _PAGE_ROWS))
            if not batch:
                return
            for raw in batch:
                row = self.read(raw[0]) if self._raises[raw[0]] else self._row(raw)
                if state in (None, row.state):  # it may have changed since the batch was read
                    yield row
            last = batch[-1][0]

    def note(self, name: str) -> str | None:
        if self._writes[SET_NOTE]:
            self.flush()
        found = self._select("SELECT text FROM notes WHERE name = ?", (name,))
        return found[0][0] if found else None

    def notes(self, prefix: str = "") -> dict[str, str]:
        if self._writes[SET_NOTE]:
            self.flush()
        return dict(self._select("SELECT * FROM notes WHERE substr(name, 1, ?) = ?", (len(prefix), prefix)))

    # -- inside ----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Begin a transaction that writes, if none is open. One that only reads is ended before: SQLite would not wait for a lock."""
        if not self._writes_begun:
            if self._database.in_transaction:
                self._database.execute("COMMIT")
            self._database.execute("BEGIN IMMEDIATE")
            self._writes_begun = True

    def _flush_if(self, number: int) -> None:
        if number in self._touched:
            self.flush()

    def _text(self, link: Link) -> tuple[object, ...]:
        return (
            link.anchor, link.before, link.after, link.title, link.heading, link.region, link.path, link.kind,
            link.position, link.depth, link.nofollow, self._source_id(link.source_url),
        )  # fmt: skip

    def _batches(self, statement: str) -> Iterator[list[tuple[Any, ...]]]:
        with self._faults:
            cursor = self._database.execute(statement)
            while batch := cursor.fetchmany(_LOAD_ROWS):
                yield batch

    def _source_id(self, url: str) -> int:
        if not url:
            return 0
        if url != self._source[0]:
            self._sources += 1
            self._source = (url, self._sources)
            self._writes[ADD_SOURCE].append((self._sources, url))
        return self._source[1]

    def _count_write(self, number: int) -> None:
        self._touched.add(number)
        self._buffered += 1
        if self._buffered >= _FLUSH_ROWS:
            self.flush()

    def _execute(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        try:
            self._database.executemany(statement, rows)
        except UnicodeEncodeError:  # half a surrogate pair; the rows before it were executed already
            again = statement.replace("INSERT INTO", "REPLACE INTO")
            self._database.executemany(again, map(_encodable, rows))

    def _select(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with self._faults:
            if not self._database.in_transaction:  # a new snapshot for each read costs as much as the read
                self._database.execute("BEGIN")
            return self._database.execute(statement, values).fetchall()

    def _row(self, raw: tuple[Any, ...]) -> Row:
        number, state, reason, added, changed, tries, host, url, *counts = raw
        score, shares, carry, tunnel, *text, nofollow, source = counts
        try:
            link = Link._make((url, self.hosts[host], *text, source, bool(nofollow)))
            return Row(
                link, score, bytes(shares), carry, tunnel, STATES[state], reason, added, changed, tries
            )
        except (IndexError, TypeError, ValueError) as error:
            raise StateError(str(self.path), f"URL number {number} is damaged", RESTORE) from error


def _numbers(score: Score) -> tuple[float, bytes, float]:
    return float(score.value), score.shares, float(score.carry)


def _encodable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(one.encode("utf-8", "replace").decode() if isinstance(one, str) else one for one in row)
