"""The full-text index of a job's pages: SQLite FTS5 over the words as the segmenter gives them.

The page store stays the truth and the index may lag behind it: a killed crawl, a job of an earlier build and TOPIC_INDEX=False
leave pages unindexed, which `missing` names and the first search adds. As it can be made again at any time, it must never cost a crawl a
page: a fault of it is reported once, and the crawl goes on without (`Indexing`). A crawl collects BATCH pages for one transaction, and
FTS5 the words of all of them before it sorts them (`hashsize`): .20 ms of CPU a page of 457 words, against .33 in batches of 64
with what FTS5 has by itself.

Texts are not kept (content=''): a word is found, the page it stands in is read from the store. FTS5 deletes from such a table only
from version 3.43 of SQLite on, so a page that is stored anew becomes a new document; the old one loses its page in `documents`,
by which all that is found is joined. That table also has what results are ranked and filtered by, because the store keeps those
columns behind the text. `text` is the first column of `words`: in another one a word of a page takes two bytes more.

Formula    rank = BM25 (k1 1.2, b .75; a word of the title counts TITLE_WEIGHT times) * relevance of the page
But        BM25 costs 6 µs a page. Documents are numbered by relevance, so FTS5 gives the most relevant first, and of more than
           MOST_RANKED matching pages only the first so many are ranked.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite, log1p
from pathlib import Path

from topiccrawler.errors import StateError
from topiccrawler.resources import package_text
from topiccrawler.store.database import Database
from topiccrawler.store.pages import PageRecord, PageStore, Selection
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.urls.canonical import host_of

logger = logging.getLogger(__name__)

BATCH = 256  # pages a transaction
MOST_AT_ONCE = 2 * BATCH  # pages that a crawl indexes before it goes on: one to two seconds
BATCH_CHARACTERS = 4_000_000  # or so many of words: some pages are long
MOST_CHARACTERS = 100_000  # of a text; as many as a page classifier reads
TITLE_WEIGHT = 5.0
MOST_RANKED = 2_000
STEPS = 16  # of relevance, each a range of numbers: more ranges, or wider ones, make the index larger
_RANGE = 1 << 20
_ADD = "INSERT INTO documents (id, page, fetched, relevance, topic, host, day, format) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
FTS5_WEIGHT = 1e-6  # of a word that half of the pages have
COMMON_RANK = 1e-4  # below it all words of a query are such
LEAST_WEIGHT = 0.1  # of one that all have
_FIND = f"""SELECT page, fetched, -bm25(words, 1.0, {TITLE_WEIGHT}) * relevance AS rank
    FROM words JOIN documents ON documents.id = words.rowid WHERE words MATCH ? AND page IS NOT NULL"""  # noqa: S608

_Row = tuple[int, float, float, str, str, str, str]
_Words = tuple[str, str]


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One word or phrase of a query."""

    spellings: tuple[tuple[str, ...], ...]  # any of these lists of words
    is_phrase: bool
    is_excluded: bool


def fts5(terms: Iterable[QueryTerm]) -> str:
    """What all terms but those excluded match, as SQLite's FTS5 has it."""

    def spelt(term: QueryTerm) -> str:
        joint = " " if term.is_phrase else '" AND "'
        lists = dict.fromkeys(joint.join(words) for words in term.spellings)
        return "({})".format(" OR ".join(f'("{words}")' for words in lists))

    wanted = " AND ".join(spelt(term) for term in terms if not term.is_excluded)
    unwanted = [spelt(term) for term in terms if term.is_excluded]
    return " NOT ".join([f"({wanted})" if unwanted else wanted, *unwanted])


@dataclass(frozen=True, slots=True)
class Found:
    """One page that matches."""

    page: int  # its row in the page store
    fetched: float  # seconds since the epoch; another in the store: the page was stored anew since
    rank: float  # larger is better


class PageIndex(Database):
    """Pages by their words, in one file. Nothing is durable before commit()."""

    what = "search index"
    application = 0x746F7069  # "topi"
    version = 1
    schema = package_text("store/index.sql")

    def __init__(self, path: Path | str) -> None:
        self._waiting: dict[int, tuple[_Row, _Words | None]] = {}
        self._characters = 0  # of their words
        super().__init__(path)

    def add(self, page: int, record: PageRecord, segmenter: Segmenter = PLAIN) -> None:
        """Index what is stored in this row of the page store; an alias and a page off topic are noted, not found. `segmenter`: of the crawl."""
        host, relevance = host_of(record.url), record.relevance if isfinite(record.relevance) else 0.0
        row = (page, record.fetched, relevance, record.topic, host, record.day, record.format)
        words = _words(record, segmenter) if record.stored and not record.alias_of else None
        self._waiting[page] = row, words
        self._characters += sum(map(len, words or ()))

    @property
    def is_full(self) -> bool:
        """Enough pages wait for a commit to be worth its cost."""
        return len(self._waiting) >= BATCH or self._characters >= BATCH_CHARACTERS

    def commit(self) -> None:
        """Make everything so far durable."""
        if self._waiting:
            with self._faults():
                self._write()
        super().commit()

    def close(self) -> None:
        """Commit, give back the room that merged parts of the index took, and let go."""
        if not self._closed:
            self.commit()
            with self._faults():
                # execute() would give back one page
                self._database.executescript("PRAGMA incremental_vacuum")
        super().close()

    def missing(self, stored: Iterable[tuple[int, float]]) -> list[int]:
        """Of these rows of the page store, with the times they were fetched, those that are not indexed as they are."""
        with self._faults():
            known = "SELECT 1 FROM documents WHERE page = ? AND fetched = ?"
            return [row[0] for row in stored if self._database.execute(known, row).fetchone() is None]

    def extent(self) -> tuple[int, float]:
        """The last row of the page store that is indexed, and the latest time at which an indexed page was fetched."""
        with self._faults():
            asked = "SELECT coalesce(max(page), 0), (SELECT coalesce(max(fetched), 0) FROM documents) FROM documents"
            page, fetched = self._database.execute(asked).fetchone()
            return int(page), float(fetched)

    def find(self, expression: str, selection: Selection, limit: int) -> list[Found]:
        """The best pages that match an FTS5 expression (results.search makes it), the best first."""
        condition, values = selection.condition(host="host", day="day")
        ranked = f"{_FIND} AND {condition} ORDER BY words.rowid LIMIT {MOST_RANKED}"
        query = f"SELECT * FROM ({ranked}) ORDER BY rank DESC, page LIMIT ?"  # noqa: S608
        with self._faults():
            found = [Found(*row) for row in self._database.execute(query, (expression, *values, limit))]
            if not found or found[0].rank >= COMMON_RANK:
                return found
            weight = self._common_weight(expression)
        return [replace(one, rank=one.rank * weight) for one in found]

    def _common_weight(self, expression: str) -> float:
        """What FTS5's weight of words that half of the pages or more have is multiplied by, so that their ranks can be read and compared
        with those of other jobs: log(1 + (N - n + .5) / (n + .5)) and LEAST_WEIGHT at least, in the place of one millionth."""
        pages = self._database.execute("SELECT count(*) FROM documents WHERE page IS NOT NULL").fetchone()[0]
        matching = "SELECT count(*) FROM words WHERE words MATCH ?"
        having = self._database.execute(matching, (expression,)).fetchone()[0]
        return max(LEAST_WEIGHT, log1p(max(0.0, pages - having + 0.5) / (having + 0.5))) / FTS5_WEIGHT

    def _open(self) -> None:
        self._database.execute("PRAGMA auto_vacuum = INCREMENTAL")  # of a new file
        super()._open()

    def _write(self) -> None:
        documents = []
        for page in self.missing((page, row[1]) for page, (row, _) in self._waiting.items()):
            row, words = self._waiting[page]
            self._database.execute("UPDATE documents SET page = NULL WHERE page = ?", (page,))
            number = self._next_number(row[2])
            self._database.execute(_ADD, (number, *row))
            if words is not None:
                documents.append((number, *words))
        # In order of their numbers: a smaller one makes FTS5 write what it has so far.
        put = "INSERT INTO words (rowid, text, title) VALUES (?, ?, ?)"
        self._database.executemany(put, sorted(documents))
        self._waiting.clear()
        self._characters = 0

    def _next_number(self, relevance: float) -> int:
        """A number never given before: those of a lower step of relevance are larger. A full step goes on in the next."""
        first = (STEPS - min(STEPS, max(0, int(relevance * STEPS)))) * _RANGE
        asked = "SELECT coalesce(max(id), ?) FROM documents WHERE id BETWEEN ? AND ?"
        last = first + _RANGE - 1
        while True:
            used = int(self._database.execute(asked, (first, first, last)).fetchone()[0])
            if used < last:
                return used + 1
            first, last = last + 1, last + _RANGE


def _words(record: PageRecord, segmenter: Segmenter) -> _Words:
    title, text = segmenter.words_of([record.title[:MOST_CHARACTERS], record.text[:MOST_CHARACTERS]])
    return " ".join(text), " ".join(title)


class Indexing:
    """The index of a crawl, which holds what the store holds up to some page; one found far behind is left to the first search."""

    def __init__(self, store: PageStore, path: Path) -> None:
        self._store, self._path = store, path
        self._index: PageIndex | None = None
        self._begun = False

    def begin(self, segmenter: Segmenter) -> None:
        """Open the index and bring it to where the store is; a second call does nothing."""
        if self._begun:
            return
        self._begun = True
        with self._reported():
            self._index = PageIndex(self._path)
            if len(missing(self._store, self._index)) > MOST_AT_ONCE:
                logger.info("%s is far behind: the first `scrapy search` goes on with it", self._path)
                self._let_go()
            else:
                catch_up(self._store, self._index, segmenter=segmenter)

    def add(self, row: int, record: PageRecord, segmenter: Segmenter) -> None:
        """Index a page that was stored in this row."""
        if self._index is not None:
            self._index.add(row, record, segmenter)

    def commit(self) -> None:
        """Write what was added when it is worth a transaction; the store has committed."""
        if self._index is not None and self._index.is_full:
            with self._reported():
                self._index.commit()

    def close(self) -> None:
        """Write all and let go."""
        if self._index is not None:
            with self._reported():
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
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except StateError as fault:
            self._let_go()
            logger.warning("Pages are no longer indexed: %s", fault)


def missing(store: PageStore, index: PageIndex) -> list[int]:
    """Rows of the store that the index lacks, or has in an earlier state."""
    return index.missing(store.changed(*index.extent()))


def catch_up(
    store: PageStore,
    index: PageIndex,
    progress: Callable[[int, int], None] | None = None,
    segmenter: Segmenter = PLAIN,
) -> int:
    """Index what is missing; how many pages that were. `progress`: called with pages done and to do, after each batch."""
    rows = missing(store, index)
    for done, row in enumerate(rows, start=1):
        record = store.at(row)
        if record is not None:
            index.add(row, record, segmenter)
        if index.is_full:
            index.commit()
            if progress is not None:
                progress(done, len(rows))
    index.commit()
    return len(rows)
