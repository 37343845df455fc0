"""Keeps what the sites of a crawl repeat (pages.site_repeats) in the job's database: the whole table now and then, and each page since."""

from __future__ import annotations

from collections.abc import Callable

from topiccrawler.errors import StateError
from topiccrawler.job_database import JobDatabase
from topiccrawler.zstandard import compress, decompress

LEVEL = 1
MOST_BYTES = 64_000_000  # of the table
_WHOLE = 0  # the number of the row with the table; those of pages follow
_ALL = "SELECT number, counts FROM site_repeats ORDER BY number"


class KeptRepeats:
    """See pages.site_repeats.KeptCounts. `opened`: returns the database; called when the first page is read."""

    def __init__(self, opened: Callable[[], JobDatabase]) -> None:
        self._opened = opened

    def load(self) -> tuple[bytes, list[bytes]]:
        database = self._opened()
        rows = dict(database.read(_ALL))
        whole = rows.pop(_WHOLE, None)
        try:
            return (b"" if whole is None else decompress(whole, MOST_BYTES)), [*rows.values()]
        except ValueError as fault:
            raise StateError(str(database.path), f"what sites repeat {fault}", "use a copy") from None

    def add(self, page: bytes) -> None:
        self._opened().write("INSERT INTO site_repeats (counts) VALUES (?)", (page,))

    def save(self, table: bytes) -> None:
        self._opened().write("DELETE FROM site_repeats")
        self._opened().write("INSERT INTO site_repeats VALUES (?, ?)", (_WHOLE, compress(table, LEVEL)))
