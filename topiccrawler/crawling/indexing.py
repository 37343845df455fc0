"""Keeps the search index of a job beside its page store.

The index can be made again from the store at any time, so it must never cost a crawl a page: a fault of it is told once, and the
crawl goes on without. It is written after the store, and holds what the store holds up to some page: one that a resumed
crawl finds far behind is left to the first search, which has the time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from topiccrawler.errors import StateError
from topiccrawler.store.index import BATCH, PageIndex
from topiccrawler.store.pages import PageRecord, PageStore

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 2 * BATCH  # pages that a crawl indexes before it goes on: one to two seconds


class Indexing:
    """Of a crawl."""

    def __init__(self, store: PageStore, path: Path) -> None:
        self._store, self._path = store, path
        self._index: PageIndex | None = None
        self._begun = False

    def begin(self) -> None:
        """Open the index and bring it to where the store is; a second call does nothing."""
        if self._begun:
            return
        self._begun = True
        with self._told():
            self._index = PageIndex(self._path)
            if len(missing(self._store, self._index)) > MOST_AT_ONCE:
                logger.info("%s is far behind: the first `scrapy search` goes on with it", self._path)
                self._let_go()
            else:
                catch_up(self._store, self._index)

    def add(self, row: int, record: PageRecord) -> None:
        """Index a page that was stored in this row."""
        if self._index is not None:
            self._index.add(row, record)

    def commit(self) -> None:
        """Write what was added when it is worth a transaction; the store has committed."""
        if self._index is not None and self._index.is_full:
            with self._told():
                self._index.commit()

    def close(self) -> None:
        """Write all and let go."""
        if self._index is not None:
            with self._told():
                self._index.close()

    def abandon(self) -> None:
        """Let go without a commit."""
        if self._index is not None:
            self._index.abandon()

    def _let_go(self) -> None:
        if self._index is not None:
            self._index.abandon()
            self._index = None

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except StateError as fault:
            self._let_go()
            logger.warning("Pages are no longer indexed: %s", fault)


def missing(store: PageStore, index: PageIndex) -> list[int]:
    """Rows of the store that the index lacks, or has in an earlier state."""
    return index.missing(store.changed(*index.extent()))


def catch_up(store: PageStore, index: PageIndex, told: Callable[[int, int], None] | None = None) -> int:
    """Index what is missing; how many pages that were. `told`: hears of pages done and to do, a batch at a time."""
    rows = missing(store, index)
    for done, row in enumerate(rows, start=1):
        record = store.at(row)
        if record is not None:
            index.add(row, record)
        if index.is_full:
            index.commit()
            if told is not None:
                told(done, len(rows))
    index.commit()
    return len(rows)
