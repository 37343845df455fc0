"""Turns SQLite's errors about a damaged, full or foreign file into one line that names the file.

Errors of our own making (a closed database, a wrong binding) are raised as they are.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from topiccrawler.errors import StateError


@contextmanager
def told(path: Path, what: str) -> Iterator[None]:
    """Turn faults of the file, a `what` at `path`, into a StateError."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # a fault of ours, not of the file
    except (sqlite3.Error, zlib.error) as error:
        remedy = "move it away or name another file"
        raise StateError(str(path), f"{what} unusable ({error})", remedy) from error
