"""Connects to SQLite files, and waits while another program has locked one.

A backup or an SQL browser may hold a lock on a file of a running job for a minute. SQLite by itself waits five seconds, or not at all
where a read became a write. So a transaction that cannot begin is begun again until it can, for `WAIT_SECONDS`.

The wait blocks its thread, and with it the crawl: a page's transaction has begun to change what is in memory, and everything that could go
on meanwhile would need the same file next. Responses on their way stay in the buffers of their connections. A download that is due when the
wait ends has timed out, and is tried again.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from topiccrawler.errors import StateError

logger = logging.getLogger(__name__)

WAIT_SECONDS = 120.0
ATTEMPT_SECONDS = 1.0  # SQLite's own wait; a longer one is reported in the log
PAUSE_SECONDS = 0.1  # before another attempt, for SQLite does not always wait

T = TypeVar("T")


class PatientConnection(sqlite3.Connection):
    """A connection whose statements wait for the locks of other programs. Its transactions are begun with the right to write
    (BEGIN IMMEDIATE), so that no statement in them finds a lock. `path`: for messages; set by `connect`."""

    path = ""

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        return self._patiently(super().execute, arguments)

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        return self._patiently(super().executemany, arguments)

    def executescript(self, *arguments: Any) -> sqlite3.Cursor:
        return self._patiently(super().executescript, arguments)

    def _patiently(self, call: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        try:
            return call(*arguments)
        except sqlite3.OperationalError as error:
            if not is_locked(error) or self.in_transaction:
                raise
        began = time.monotonic() - ATTEMPT_SECONDS
        logger.warning("%s is locked by another program; waiting for %.0f s at most", self.path, WAIT_SECONDS)
        while True:
            time.sleep(PAUSE_SECONDS)
            try:
                done = call(*arguments)
            except sqlite3.OperationalError as error:
                if not is_locked(error) or time.monotonic() - began >= WAIT_SECONDS:
                    raise
            else:
                logger.warning("%s is free after %.0f s", self.path, time.monotonic() - began)
                return done


def connect(
    path: Path | str, *, read_only: bool = False, isolation_level: Any = "IMMEDIATE"
) -> PatientConnection:
    """Connect to a file; with `read_only` it is not created. `isolation_level`: how transactions are begun implicitly; None = they are
    not."""
    place = f"{Path(path).absolute().as_uri()}?mode=ro" if read_only else path
    connection = sqlite3.connect(
        place,
        timeout=ATTEMPT_SECONDS,
        isolation_level=isolation_level,
        factory=PatientConnection,
        uri=read_only,
    )
    connection.path = str(path)
    return connection


def is_locked(error: BaseException) -> bool:
    """Whether an error says that another program holds a lock on the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def locked(path: Path | str) -> StateError:
    """The error for a file that stayed locked."""
    fault = f"locked by another program for more than {WAIT_SECONDS:.0f} s"
    remedy = (
        "close what has it open (a backup, an SQL browser), then give the same command again: the job goes on"
    )
    return StateError(str(path), fault, remedy)
