"""Saves what can be read of a damaged page store into a new file of the same name.

SQLite ends a walk through a table at the first broken page, and an index may be broken where the table is not. So each row is looked up by
its number, on a way of its own; one that cannot be read is left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from topiccrawler.errors import StateError, file_faults
from topiccrawler.store.pages import COLUMNS, PageRecord, PageStore, record_from

ROW_BYTES = 64  # no row is shorter
DAMAGED = ".damaged"  # what the old file is called afterwards
_AT = f"SELECT {', '.join(COLUMNS)} FROM pages NOT INDEXED WHERE rowid = ?"  # noqa: S608
_LAST = ("SELECT max(rowid) FROM pages NOT INDEXED", "SELECT max(rowid) FROM pages INDEXED BY pages_fetched")
_BESIDE = ("", "-wal", "-shm")


def repair(path: Path, most: int) -> int:
    """Save the pages of a damaged store; how many. `most`: rows it may have had, where the file itself cannot say. StateError when none
    can be read: then all is as it was. No crawl may be running."""
    new = path.with_name(f"{path.name}.repaired")
    with file_faults(StateError, path, "cannot be repaired", "make room on its disk"):
        new.unlink(missing_ok=True)
        saved = 0
        with closing(PageStore(new)) as store:
            for record in _readable(path, most):
                with suppress(StateError):  # a row of other types than ours
                    store.put(record)
                    saved += 1
        if not saved:
            for end in _BESIDE:
                Path(f"{new}{end}").unlink(missing_ok=True)
            raise StateError(str(path), "no page in it can be read", "use a copy, or begin another job")
        for end in _BESIDE:
            if (beside := Path(f"{path}{end}")).exists():
                beside.replace(f"{path}{DAMAGED}{end}")
        new.replace(path)
    return saved


def _readable(path: Path, most: int) -> Iterator[PageRecord]:
    with closing(sqlite3.connect(path)) as database:
        last = most
        for asked in _LAST:
            with suppress(sqlite3.Error):
                last = max(last, int(database.execute(asked).fetchone()[0] or 0))
        # A damaged number may be any; a store has no more rows than room.
        last = min(last, max(most, path.stat().st_size // ROW_BYTES))
        for row in range(1, last + 1):
            with suppress(sqlite3.Error, TypeError, ValueError):
                if (found := database.execute(_AT, (row,)).fetchone()) is not None:
                    yield record_from(found)
