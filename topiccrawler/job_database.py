"""Opens the database of a job, job.sqlite: one SQLite file with all that a crawl keeps, so that one transaction ends a page.

`JobDatabase` is the file. Queue, pages, fingerprints, search index and crawl log share its connection: each executes its own statements,
none commits alone, and `commit` makes the whole durable or, in a process that is killed, none of it. What buffers its writes adds a function
to `before_commit`. The statements that make the tables are in the folders of those who use them; all tables are made at once, so a
job.sqlite that is there has all of them.

One process writes: it holds a lock on a small file beside the database, which ends with the process. Any number of others read, also
while the crawl runs (WAL), each from the snapshot of its first query.

A file found on disk may be that of another program, of another version or of a running crawl, or be damaged. Each of these is refused in
one line. After a fault nothing more is read or written, for SQLite may have rolled the transaction back, and what others have in memory
would not fit. Errors of the program (a closed database, a wrong binding) are not changed. Plain columns throughout; no pickle. WAL with
synchronous=NORMAL: a commit survives any kill of the process. After a power failure the last ones may be lost, but none is torn.
"""

from __future__ import annotations

import math
import shlex
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.resources import package_text
from topiccrawler.sqlite_files import connect, is_locked, locked

JOB_DATABASE = "job.sqlite"
MEMORY = ":memory:"
REPAIR = "scrapy pages {folder} repair"
_APPLICATION = 0x746F706A  # "topj"
_VERSION = 1
_CACHE_KIB = 16_384
_AT_ONCE = 1_000  # rows read with one query
_CHECKED = ("pages", "samples", "fingerprints", "checks")  # the queue is checked when it is loaded


def schema() -> str:
    """The SQL that makes all tables of a job."""
    pages = package_text("store/pages.sql")
    samples = pages.replace("pages", "samples")  # pages off topic have the same fields
    return "\n".join((package_text("frontier/queue.sql"), pages, samples, package_text("store/job.sql")))


class JobDatabase:
    """The database of one job. With `read_only` it is not created, and none of its writes works. StateError if it cannot be used."""

    def __init__(self, path: Path | str, *, read_only: bool = False) -> None:
        self.path, self.read_only = Path(path), read_only
        self.faults = _Faults(self.path)
        self.before_commit: list[Callable[[], None]] = []
        self._defined: set[str] = set()
        self._lock: sqlite3.Connection | None = None
        self._closed = self._writes = False
        with self.faults:
            if not read_only and str(path) != MEMORY:
                self._lock = _lock(self.path)
            try:
                self._connection = connect(path, read_only=read_only, isolation_level=None)
                self._open()
            except BaseException:
                self.abandon()
                raise

    def read(self, statement: str, values: tuple[object, ...] = ()) -> list[Any]:
        """The rows of a query."""
        with self.faults:
            if not self._connection.in_transaction:  # a new snapshot for each read costs as much as the read
                self._connection.execute("BEGIN")
            return self._connection.execute(statement, values).fetchall()

    def walk(self, statement: str, first: int | str = 0) -> Iterator[tuple[Any, ...]]:
        """The rows of a query whose first column ascends, and which ends with the condition that it is greater than a `?`; read piece by
        piece, so that the caller may write in between. `first`: the first column is greater than this."""
        while rows := self.read(f"{statement} ORDER BY 1 LIMIT {_AT_ONCE}", (first,)):
            yield from rows
            first = rows[-1][0]

    def write(self, statement: str, values: tuple[object, ...] = ()) -> list[Any]:
        """Execute a statement that writes, in the open transaction; returns the rows of its RETURNING clause."""
        with self.faults:
            self._begin()
            return self._connection.execute(statement, values).fetchall()

    def write_many(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Execute a statement that writes for each row, in the open transaction."""
        with self.faults:
            self._begin()
            self._connection.executemany(statement, rows)

    def stream(self, statement: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query in batches; nothing may be written before the last one."""
        with self.faults:
            cursor = self._connection.execute(statement)
            while batch := cursor.fetchmany(size):
                yield batch

    def define(self, name: str, function: Callable[[Any], Any]) -> None:
        """Make a function of one argument known to the statements, once."""
        if name not in self._defined:
            self._connection.create_function(name, 1, function, deterministic=True)
            self._defined.add(name)

    def commit(self) -> None:
        """Make everything so far durable; nothing when the database is closed."""
        if self._closed:
            return
        for write in self.before_commit:
            write()
        with self.faults:
            if self._connection.in_transaction:
                self._connection.execute("COMMIT" if self._writes else "ROLLBACK")
                self._writes = False

    def check_whole(self) -> None:
        """Raise StateError if the tables of pages are damaged. Reads them whole."""
        for table in _CHECKED:
            fault = str(self.read(f"PRAGMA quick_check({table})")[0][0])
            if fault != "ok":
                with self.faults:
                    raise sqlite3.DatabaseError(" ".join(fault.split()))

    def check_writable(self) -> None:
        """Raise StateError if the file cannot be written now, because it is read-only or in use."""
        self.commit()
        self.write(f"PRAGMA user_version = {_VERSION}")  # BEGIN IMMEDIATE does not fail for a read-only file
        with self.faults:
            self._connection.rollback()
        self._writes = False

    def close(self) -> None:
        """Commit, unless opened for reading or broken, and close. A second call does nothing."""
        try:
            if not (self._closed or self.read_only or self.faults.found):
                self.commit()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close without a commit."""
        self._closed = True
        for connection in (getattr(self, "_connection", None), self._lock):
            if connection is not None:
                connection.close()

    def _begin(self) -> None:
        """Begin a transaction that writes, if none is open. One that only reads is ended before: SQLite would not wait for a lock."""
        if not self._writes:
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
            self._connection.execute("BEGIN IMMEDIATE")
            self._writes = True

    def _open(self) -> None:
        database = self._connection
        named, application, version = (
            database.execute(query).fetchone()[0]
            for query in (
                "SELECT count(*) FROM sqlite_master",
                "PRAGMA application_id",
                "PRAGMA user_version",
            )
        )
        if (named or application) and application != _APPLICATION:
            raise StateError(
                str(self.path), "a database of another program", "name another file or move it away"
            )
        if named and version != _VERSION:
            fault = f"it was written by version {version} of this program's database, this program reads {_VERSION}"
            raise StateError(
                str(self.path), fault, "go on with the program that wrote it, or name another folder"
            )
        if self.read_only:
            return
        if not named:
            # Before WAL: until this is committed the file is empty for readers.
            marks = f"PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_VERSION}"
            database.executescript(f"BEGIN IMMEDIATE; {schema()}; {marks}; COMMIT")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")


def is_begun(path: Path) -> bool:
    """Whether there is a database. The file of a crawl that is just beginning is empty until its tables are committed."""
    return path.is_file() and path.stat().st_size > 0


class JobTable:
    """What a job's database has of one kind. `place`: the database, or the path of one, which is then opened for writing and created if
    there is none. `commit`, `close` and `abandon` are those of the database."""

    def __init__(self, place: JobDatabase | Path | str) -> None:
        self.database = place if isinstance(place, JobDatabase) else JobDatabase(place)
        self.commit, self.close, self.abandon = (
            self.database.commit,
            self.database.close,
            self.database.abandon,
        )


def storable(value: object) -> object:
    """A value without what a database refuses: lone surrogates, and numbers that are not finite."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode("utf-8")
    return 0.0 if isinstance(value, float) and not math.isfinite(value) else value


def _lock(path: Path) -> sqlite3.Connection:
    """Acquire the right to write, which lasts until the connection is closed or the process ends. StateError if it is held."""
    lock = sqlite3.connect(f"{path}.lock", timeout=0, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        if "locked" not in str(error):
            raise
        remedy = "wait for that crawl, or choose another JOBDIR or TOPIC_JOB"
        raise StateError(str(path), "another crawl is using it", remedy) from error
    return lock


class _Faults:
    """A context that turns an error of SQLite about this file into a StateError of one line, and repeats it from then on. A class, since a
    generator is slower."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.found: StateError | None = None

    def __enter__(self) -> None:
        if self.found is not None:
            raise self.found

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, sqlite3.Error) or isinstance(
            error, sqlite3.ProgrammingError | sqlite3.InterfaceError
        ):
            return
        if is_locked(error):
            raise locked(self._path) from error
        # The fault that `check_whole` finds has no code.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        remedy = "put back a copy, or move it away"
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            remedy = "make room on its disk"
        elif code == sqlite3.SQLITE_CORRUPT:
            remedy = f"save what can be saved: {REPAIR.format(folder=shlex.quote(str(self._path.parent)))}"
        elif isinstance(error, sqlite3.OperationalError):
            remedy = "check that it exists, may be written, and that the disk has room"
        self.found = StateError(str(self._path), f"it cannot be used ({error})", remedy)
        raise self.found from error
