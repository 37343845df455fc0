"""One SQLite file of ours: opened, distinguished from a foreign one and from one of another version, committed and closed.

What SQLite says of a damaged, full or foreign file becomes one line that names the file; our own slips (a closed database, a
wrong binding) stay visible. WAL with synchronous=NORMAL: a commit outlives a killed process; readers do not block the crawl.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

from topiccrawler.errors import StateError


class Database:
    """Base of what lies in such a file. Nothing is durable before commit()."""

    what: ClassVar[str]  # for messages
    application: ClassVar[int]  # in the file's header
    version: ClassVar[int]  # in the header too; files of another one are refused
    schema: ClassVar[str]  # SQL that makes the tables
    repaired_by: ClassVar[str] = ""  # the command for a damaged file; {folder}: where it is

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._closed = False
        with self._faults():
            self._database = sqlite3.connect(self.path)
        try:
            with self._faults():
                self._open()
        except StateError:
            self._database.close()
            raise

    @classmethod
    def is_begun(cls, path: Path) -> bool:
        """There is such a file, and whoever made it has also made its tables."""
        if not path.is_file():
            return False
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
                return bool(database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        except sqlite3.Error:
            return True  # opening it says what is wrong

    def commit(self) -> None:
        """Make everything so far durable."""
        with self._faults():
            self._database.commit()

    def check_whole(self) -> None:
        """StateError when the file's structure is damaged, anywhere. Reads all of it."""
        with self._faults():
            fault = str(self._database.execute("PRAGMA quick_check(1)").fetchone()[0])
            if fault != "ok":
                raise sqlite3.DatabaseError(" ".join(fault.split()))

    def check_writable(self) -> None:
        """StateError when nothing can be written now: a file that is read-only or in use."""
        with self._faults():
            self._database.execute("BEGIN IMMEDIATE")  # passes where the file is read-only
            self._database.execute(f"PRAGMA user_version = {self.version}")
            self._database.rollback()

    def abandon(self) -> None:
        """Let go without a commit."""
        self._closed = True
        self._database.close()

    def close(self) -> None:
        """Commit and let go. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            self.commit()
        finally:
            self._database.close()

    def _open(self) -> None:
        database = self._database
        asked = ("SELECT count(*) FROM sqlite_master", "PRAGMA application_id", "PRAGMA user_version")
        tables, application, version = (database.execute(query).fetchone()[0] for query in asked)
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
            database.executescript(f"BEGIN; {self.schema}; {marks}; COMMIT")

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn faults of the file into a StateError."""
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
            raise  # a fault of ours, not of the file
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            no_room = code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
            remedy = "make room on its disk" if no_room else "move it away or name another file"
            if self.repaired_by and _is_damage(error):
                remedy = f"save what can be saved: {self.repaired_by.format(folder=shlex.quote(str(self.path.parent)))}"
            raise StateError(str(self.path), f"{self.what} unusable ({error})", remedy) from error


def _is_damage(error: sqlite3.Error) -> bool:
    """SQLite has read the file and found it wrong; our own check has no code."""
    return bool(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF == sqlite3.SQLITE_CORRUPT)
