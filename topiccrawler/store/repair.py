"""Copies what can be read of a damaged job's database into a new file with the same name.

SQLite ends a scan of a table at the first damaged database page, and an index may be damaged where the table is not. So each page is looked
up separately by its number; one that cannot be read is left out. The words of the pages are indexed anew. Of a table that is no use in
parts (`_WHOLE`) all is copied or nothing: without its queue, a job that goes on begins with its seeds.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

from topiccrawler.errors import StateError, file_faults
from topiccrawler.job_database import JobDatabase
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import COLUMNS, PageRecord, record_from
from topiccrawler.text.segmenter import Segmenter

DAMAGED = ".damaged"  # suffix that the old file gets
ROW_BYTES = 64  # least size of a row
_AT = f"SELECT {', '.join(COLUMNS)} FROM pages NOT INDEXED WHERE rowid = ?"  # noqa: S608
_LAST = (
    "SELECT max(rowid) FROM pages NOT INDEXED",
    "SELECT max(page) FROM documents",
    "SELECT count(*) FROM visits",
)
_WHOLE = (("hosts", "sources", "urls", "links", "raises", "notes"), ("fingerprints",), ("site_repeats",))
_PARTS = ("visits", "samples", "refused", "checks", "html", "outlinks")
_BESIDE = ("", "-wal", "-shm")


def repair(path: Path, segmenter: Segmenter) -> int:
    """Copy what can be read of a damaged database, and return the number of its pages. No crawl of the job may be running.

    `segmenter`: that of the job. Raises StateError if no page can be read; then the files are as before.
    """
    new = path.with_name(f"{path.name}.repaired")
    with file_faults(StateError, path, "cannot be repaired", "make room on its disk"):
        _remove(new)
        with closing(JobDatabase(new)) as database, closing(sqlite3.connect(path)) as damaged:
            store, saved = PageStore(database), 0
            for record in _readable(damaged, path):
                with suppress(StateError):  # a damaged row may have values of wrong types
                    store.put(record, segmenter)
                    saved += 1
            for tables in (*_WHOLE, *((table,) for table in _PARTS)):
                _copy(damaged, database, tables, whole=tables in _WHOLE)
        if not saved:
            _remove(new)
            raise StateError(str(path), "no page in it can be read", "use a copy, or begin another job")
        for end in _BESIDE:
            if (beside := Path(f"{path}{end}")).exists():
                beside.replace(f"{path}{DAMAGED}{end}")
        new.replace(path)
        _remove(new)
    return saved


def _copy(damaged: sqlite3.Connection, database: JobDatabase, tables: Sequence[str], *, whole: bool) -> None:
    """Copy the rows of tables as far as they can be read; with `whole`, only if all of them can."""
    read: list[tuple[str, list[tuple[object, ...]]]] = []
    for table in tables:
        rows: list[tuple[object, ...]] = []
        read.append((table, rows))
        try:
            rows.extend(damaged.execute(f"SELECT * FROM {table}"))  # noqa: S608
        except sqlite3.Error:
            if whole:
                return
    for table, rows in read:
        for row in rows:
            with suppress(StateError):
                database.write(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608


def _readable(damaged: sqlite3.Connection, path: Path) -> Iterator[PageRecord]:
    last = 0
    for query in _LAST:
        with suppress(sqlite3.Error):
            last = max(last, int(damaged.execute(query).fetchone()[0] or 0))
    # A damaged row number may be huge, so it is limited by the size of the file.
    for row in range(1, min(last, path.stat().st_size // ROW_BYTES) + 1):
        with suppress(sqlite3.Error, TypeError, ValueError):
            if (found := damaged.execute(_AT, (row,)).fetchone()) is not None:
                yield record_from(found)


def _remove(path: Path) -> None:
    for end in (*_BESIDE, ".lock"):
        Path(f"{path}{end}").unlink(missing_ok=True)
