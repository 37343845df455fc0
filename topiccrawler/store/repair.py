"""Copies what can be read of a damaged page store into a new file with the same name.

SQLite ends a scan of a table at the first damaged database page, and an index may be damaged where the table is not. So each row is looked
up separately by its number; a row that cannot be read is left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from topiccrawler.errors import StateError, file_faults
from topiccrawler.store.pages import COLUMNS, PageRecord, PageStore, record_from

ROW_BYTES = 64  # least size of a row
DAMAGED = ".damaged"  # suffix that the old file gets
_AT = f"SELECT {', '.join(COLUMNS)} FROM pages NOT INDEXED WHERE rowid = ?"  # noqa: S608
_LAST = ("SELECT max(rowid) FROM pages NOT INDEXED", "SELECT max(rowid) FROM pages INDEXED BY pages_fetched")
_BESIDE = ("", "-wal", "-shm")


def repair(path: Path, most: int) -> int:
    """Copy the pages of a damaged store, and return their number. No crawl of the job may be running.

    `most`: the number of rows to look up at least, if the file does not show how many it has. Raises StateError if no page can be read;
    then the files are as before.
    """
    new = path.with_name(f"{path.name}.repaired")
    with file_faults(StateError, path, "cannot be repaired", "make room on its disk"):
        new.unlink(missing_ok=True)
        saved = 0
        with closing(PageStore(new)) as store:
            for record in _readable(path, most):
                with suppress(StateError):  # a damaged row may have values of wrong types
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
        for query in _LAST:
            with suppress(sqlite3.Error):
                last = max(last, int(database.execute(query).fetchone()[0] or 0))
        # A damaged row number may be huge, so it is limited by the size of the file.
        last = min(last, max(most, path.stat().st_size // ROW_BYTES))
        for row in range(1, last + 1):
            with suppress(sqlite3.Error, TypeError, ValueError):
                if (found := database.execute(_AT, (row,)).fetchone()) is not None:
                    yield record_from(found)
