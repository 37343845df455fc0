"""The frontier's database file: its tables, its version, and who may write to it.

A file found on disk may be another program's, another version's, damaged, or a running crawl's; each of these is
refused in one line before anything is changed. Mark (application_id) and version stand in the file's header. A writer
holds a lock on a small file beside it, which ends with the process; readers need none.

    urls     number, digest, host, score, shares, carry, tunnel, state, reason, times
    links    number, url, link text, source page
    raises   id, number, score, shares, carry, tunnel, link text, source page: counts instead of what urls and links say
    hosts    id, name        sources  id, url        notes  name, text

Plain columns throughout; no pickle. WAL with synchronous=NORMAL: a committed transaction survives any kill of the
process; when the power fails the last ones may be lost, none is torn.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from topiccrawler.errors import StateError

VERSION = 3
RESTORE = "put back a copy, or choose another JOBDIR"
_APPLICATION_ID = 1_416_589_382  # "TopF"
_CACHE_KIB = 16_384

_SCHEMA = """
BEGIN;
CREATE TABLE hosts (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE sources (id INTEGER PRIMARY KEY, url TEXT NOT NULL);
CREATE TABLE urls (number INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL, digest_check INTEGER NOT NULL,
    host INTEGER NOT NULL, score REAL NOT NULL, shares BLOB NOT NULL, carry REAL NOT NULL, tunnel INTEGER NOT NULL, state INTEGER NOT NULL,
    reason TEXT NOT NULL, added REAL NOT NULL, changed REAL NOT NULL, seen_anchors INTEGER NOT NULL);
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
PRAGMA user_version = 3;
COMMIT;
"""

# What frontier.rows writes and reads.
ADD_HOST = "INSERT INTO hosts VALUES (?, ?)"
ADD_SOURCE = "INSERT INTO sources VALUES (?, ?)"
ADD_URL = "INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, '', ?, ?, ?)"
ADD_LINK = "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_RAISE = "INSERT INTO raises VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
SET_RAISE = """UPDATE raises SET score = ?, shares = ?, carry = ?, tunnel = ?, anchor = ?, before = ?, after = ?, title = ?,
    heading = ?, region = ?, path = ?, kind = ?, position = ?, depth = ?, nofollow = ?, source = ? WHERE id = ?"""
SET_SCORE = "UPDATE urls SET score = ?, shares = ?, carry = ? WHERE number = ?"
SET_RAISED_SCORE = "UPDATE raises SET score = ?, shares = ?, carry = ? WHERE id = ?"
SET_STATE = "UPDATE urls SET state = ?, reason = ?, changed = ? WHERE number = ?"
SET_SEEN_ANCHORS = "UPDATE urls SET seen_anchors = ? WHERE number = ?"
SET_NOTE = "INSERT OR REPLACE INTO notes VALUES (?, ?)"
ROW = """SELECT number, state, reason, added, changed, host, links.url, score, shares, carry, tunnel,
    anchor, before, after, title, heading, region, path, kind, position, depth, nofollow, coalesce(sources.url, '')
    FROM urls JOIN links USING (number) LEFT JOIN sources ON sources.id = source """
ONE = ROW + "WHERE number = ?"
NEXT = ROW + "WHERE number > ? ORDER BY number LIMIT ?"
NEXT_IN_STATE = ROW + "WHERE number > ? AND state = ? ORDER BY number LIMIT ?"
RAISE = """SELECT score, shares, carry, tunnel,
    anchor, before, after, title, heading, region, path, kind, position, depth, nofollow, coalesce(sources.url, '')
    FROM raises LEFT JOIN sources ON sources.id = source WHERE raises.id = ?"""
RAISES = "SELECT id, number, score FROM raises ORDER BY id"
BEFORE_RAISE = 7  # columns of ROW that a raise leaves as they are
STATES = "SELECT fingerprint, digest_check, host, score, state, seen_anchors FROM urls ORDER BY number"
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
    SET_SEEN_ANCHORS,
    SET_NOTE,
)


def open_to_write(path: Path) -> sqlite3.Connection:
    """The database, made if there is none. The caller holds the lock."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        named = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not named and not _mark(database):
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(_SCHEMA)
        _check(database, path)
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    except BaseException:
        database.close()
        raise
    return database


def open_to_read(path: Path) -> sqlite3.Connection:
    """The database as it is now, beside a crawl that may be writing to it: one snapshot until it is closed."""
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)
    try:
        database.execute("BEGIN")
        _check(database, path)
    except BaseException:
        database.close()
        raise
    return database


def lock(path: Path) -> sqlite3.Connection:
    """The right to write, until it is closed or the process is gone."""
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


@contextmanager
def sqlite_faults(path: Path) -> Iterator[None]:
    """SQLite's complaint becomes one line."""
    try:
        yield
    except sqlite3.Error as error:
        unusable = isinstance(error, sqlite3.OperationalError)
        remedy = "check that it exists, may be written, and that the disk has room" if unusable else RESTORE
        raise StateError(str(path), f"it cannot be used ({error})", remedy) from error


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
