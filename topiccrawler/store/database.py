"""Opens, checks, commits and closes an SQLite file of this package; the base class of all stores in such files.

`Database` refuses files of other programs and of other versions. SQLite's errors about a damaged, full or foreign file become one line that
names the file; errors of the program (a closed database, a wrong binding) are not changed. WAL with synchronous=NORMAL: a commit survives
a killed process, and readers do not block the crawl.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

from topiccrawler.errors import StateError
from topiccrawler.sqlite_files import connect, is_locked, locked


class Database:
    """A store in an SQLite file. Nothing is durable before commit(). StateError if the file cannot be used."""

    what: ClassVar[str]  # name of the store in messages
    application: ClassVar[int]  # application_id in the file's header
    version: ClassVar[int]  # user_version in the header; files of another version are refused
    schema: ClassVar[str]  # SQL that makes the tables
    repaired_by: ClassVar[str] = ""  # the command that repairs a damaged file; {folder}: its folder

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._closed = False
        with self._faults():
            self._database = connect(self.path)
        try:
            with self._faults():
                self._open()
        except StateError:
            self._database.close()
            raise

    @classmethod
    def is_begun(cls, path: Path) -> bool:
        """Whether the file exists and has tables, or cannot be read; not while another process is still creating it."""
        if not path.is_file():
            return False
        try:
            with closing(connect(path, read_only=True)) as database:
                return bool(database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        except sqlite3.Error:
            return True  # opening the file will report the fault

    def commit(self) -> None:
        """Make everything so far durable."""
        with self._faults():
            self._database.commit()

    def check_whole(self) -> None:
        """Raise StateError if the structure of the file is damaged. Reads the whole file."""
        with self._faults():
            fault = str(self._database.execute("PRAGMA quick_check(1)").fetchone()[0])
            if fault != "ok":
                raise sqlite3.DatabaseError(" ".join(fault.split()))

    def check_writable(self) -> None:
        """Raise StateError if the file cannot be written now, because it is read-only or in use."""
        with self._faults():
            # does not fail for a read-only file, so a write follows
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute(f"PRAGMA user_version = {self.version}")
            self._database.rollback()

    def abandon(self) -> None:
        """Close without a commit."""
        self._closed = True
        self._database.close()

    def close(self) -> None:
        """Commit and close. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            self.commit()
        finally:
            self._database.close()

    def _open(self) -> None:
        database = self._database
        queries = ("SELECT count(*) FROM sqlite_master", "PRAGMA application_id", "PRAGMA user_version")
        tables, application, version = (database.execute(query).fetchone()[0] for query in queries)
        if tables and application != self.application:
            fault = "a database of another program"
            raise StateError(str(self.path), fault, "name another file or move it away")
        if tables and version != self.version:
            fault = f"a {self.what} of version {version}, this program reads {self.version}"
            remedy = "export it with the program that wrote it or move it away"
            raise StateError(str(self.path), fault, remedy)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if not tables:
            marks = f"PRAGMA application_id = {self.application}; PRAGMA user_version = {self.version}"
            database.executescript(f"BEGIN IMMEDIATE; {self.schema}; {marks}; COMMIT")

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn errors of the file into a StateError."""
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
            raise  # an error of the program, not of the file
        except sqlite3.Error as error:
            if is_locked(error):
                raise locked(self.path) from error
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            no_room = code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
            remedy = "make room on its disk" if no_room else "move it away or name another file"
            if self.repaired_by and _is_damage(error):
                remedy = f"save what can be saved: {self.repaired_by.format(folder=shlex.quote(str(self.path.parent)))}"
            raise StateError(str(self.path), f"{self.what} unusable ({error})", remedy) from error


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether an error says that the file is damaged; the one raised by `check_whole` has no error code."""
    return bool(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF == sqlite3.SQLITE_CORRUPT)
