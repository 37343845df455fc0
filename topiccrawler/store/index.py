"""Indexes the pages of a job for full-text search, with SQLite FTS5 over the words of the segmenter.

The page store is authoritative, and the index may lag behind it: a killed crawl leaves
pages without an index entry. `missing` finds them, and the first search adds them (`catch_up`).

`Indexing` is the index of a running crawl. As an index can be rebuilt at any time, it must never cost a crawl a page: a fault of it is
reported once, and the crawl continues without it. A crawl collects BATCH pages for one transaction, and FTS5 the words of all of them
before it sorts them (`hashsize`): .20 ms of CPU for a page of 457 words, against .33 in batches of 64 with the defaults of FTS5.

`PageIndex` is the file. It does not store texts (content=''): after a match, the page is read from the store. FTS5 can delete from such a
table only from version 3.43 of SQLite on. So a page that is stored again becomes a new document, and the old one loses its page in the
table `documents`, with which all matches are joined. That table also has the columns by which results are ranked and filtered, because the
store has them after the text, where they are slow to read. `text` is the first column of `words`: in any other column a word of a page
takes two bytes more. `media_words` has the words of the links to pictures and files (anchor, alt text, caption) of pages that have any,
under the same numbers; a table of its own, so that they change no rank of a page.

Formula    rank = BM25 (k1 1.2, b .75; a word of the title counts TITLE_WEIGHT times) * relevance of the page
But        BM25 costs 6 µs per page. Documents are numbered by relevance, so FTS5 returns the most relevant first, and of more than
           MOST_RANKED matching pages only the first so many are ranked.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import log1p
from pathlib import Path
from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.items import Medium
from topiccrawler.resources import package_text
from topiccrawler.store.database import Database
from topiccrawler.store.pages import Judgement, PageRecord, PageStore, Selection, media_of_record, storable
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.urls.canonical import host_of

logger = logging.getLogger(__name__)

BATCH = 256  # pages per transaction
MOST_AT_ONCE = 2 * BATCH  # most pages that a resumed crawl indexes at its start: one to two seconds
BATCH_CHARACTERS = 4_000_000  # words of so many characters are a batch too, because some pages are long
MOST_CHARACTERS = 100_000  # indexed of a text; as many as a page classifier reads
TITLE_WEIGHT = 5.0
MOST_RANKED = 2_000
STEPS = 16  # steps of relevance, each with a range of document numbers; more or wider ranges make the index larger
_RANGE = 1 << 20
_ADD = "INSERT INTO documents (id, page, fetched, relevance, topic, host, day, format, kind, refused) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
FTS5_WEIGHT = 1e-6  # weight that FTS5 gives a word in half of the pages or more
COMMON_RANK = 1e-4  # below this rank all words of a query are so common
LEAST_WEIGHT = 0.1  # weight of a word in all pages
_RANKS = {"words": f"bm25(words, 1.0, {TITLE_WEIGHT})", "media_words": "bm25(media_words)"}
_FIND = {
    table: f"""SELECT page, fetched, -{rank} * relevance AS rank
    FROM {table} JOIN documents ON documents.id = {table}.rowid WHERE {table} MATCH ? AND page IS NOT NULL"""  # noqa: S608
    for table, rank in _RANKS.items()
}

_Row = tuple[int, float, float, str, str, str, str, str, bool]
_Words = tuple[str, str, str]  # of text, title, and media


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One word or phrase of a query."""

    spellings: tuple[tuple[str, ...], ...]  # alternative lists of words, any of which matches
    is_phrase: bool
    is_excluded: bool


def fts5(terms: Iterable[QueryTerm]) -> str:
    """An FTS5 expression for pages that match all terms, and none of the excluded ones."""

    def spelt(term: QueryTerm) -> str:
        joint = " " if term.is_phrase else '" AND "'
        lists = dict.fromkeys(joint.join(words) for words in term.spellings)
        return "({})".format(" OR ".join(f'("{words}")' for words in lists))

    wanted = " AND ".join(spelt(term) for term in terms if not term.is_excluded)
    unwanted = [spelt(term) for term in terms if term.is_excluded]
    return " NOT ".join([f"({wanted})" if unwanted else wanted, *unwanted])


@dataclass(frozen=True, slots=True)
class Found:
    """One page that matches a query."""

    page: int  # its row in the page store
    fetched: float  # seconds since the epoch; if the store has another time, the page was stored again since
    rank: float  # larger is better


class PageIndex(Database):
    """The full-text index of pages, in one file. Nothing is durable before commit()."""

    what = "search index"
    application = 0x746F7069  # "topi"
    version = 1
    schema = package_text("store/index.sql")

    def __init__(self, path: Path | str) -> None:
        self._waiting: dict[int, tuple[_Row, _Words | None]] = {}
        self._characters = 0  # of the words of the waiting pages
        super().__init__(path)

    def add(self, page: int, record: PageRecord, segmenter: Segmenter = PLAIN) -> None:
        """Index the page in a row of the page store. A copy or a page off topic is recorded, but cannot be found.

        `segmenter`: the segmenter of the crawl.
        """
        values = (
            record.fetched,
            record.relevance,
            record.topic,
            host_of(record.url),
            record.day,
            record.format,
            record.kind,
            record.refused,
        )
        row: Any = (page, *map(storable, values))  # as the store has them
        is_found = (record.stored or record.refused) and not record.alias_of
        words = _words(record, segmenter) if is_found else None
        self._waiting[page] = row, words
        self._characters += sum(map(len, words or ()))

    def judge(self, judgements: Iterable[Judgement]) -> None:
        """Set what judging pages again has changed; pages that are not indexed yet are left out."""
        rows = [(one.relevance, one.refused, one.topic, one.row) for one in judgements]
        changed = "UPDATE documents SET relevance = ?, refused = ?, topic = ? WHERE page = ?"
        with self._faults():
            self._database.executemany(changed, [tuple(map(storable, row)) for row in rows])

    @property
    def is_full(self) -> bool:
        """Whether enough pages wait to be worth the cost of a commit."""
        return len(self._waiting) >= BATCH or self._characters >= BATCH_CHARACTERS

    def commit(self) -> None:
        """Make everything so far durable."""
        if self._waiting:
            with self._faults():
                self._write()
        super().commit()

    def close(self) -> None:
        """Commit, release the disk space of merged parts of the index, and close."""
        if not self._closed:
            self.commit()
            with self._faults():
                # execute() would release only one page of the file
                self._database.executescript("PRAGMA incremental_vacuum")
        super().close()

    def missing(self, stored: Iterable[tuple[int, float]]) -> list[int]:
        """The rows that are not indexed in their present state. `stored`: rows of the page store, with the times they were fetched."""
        with self._faults():
            known = "SELECT 1 FROM documents WHERE page = ? AND fetched = ?"
            return [row[0] for row in stored if self._database.execute(known, row).fetchone() is None]

    def extent(self) -> tuple[int, float]:
        """The last row of the page store that is indexed, and the latest time at which an indexed page was fetched."""
        with self._faults():
            query = "SELECT coalesce(max(page), 0), (SELECT coalesce(max(fetched), 0) FROM documents) FROM documents"
            page, fetched = self._database.execute(query).fetchone()
            return int(page), float(fetched)

    def find(self, expression: str, selection: Selection, limit: int, *, media: bool = False) -> list[Found]:
        """The pages that match an FTS5 expression (results.search makes it), the best first, at most `limit`.

        `media`: by the words of their links to pictures and files, instead of those of text and title.
        """
        condition, values = selection.condition(host="host", day="day")
        table = "media_words" if media else "words"
        ranked = f"{_FIND[table]} AND {condition} ORDER BY {table}.rowid LIMIT {MOST_RANKED}"
        query = f"SELECT * FROM ({ranked}) ORDER BY rank DESC, page LIMIT ?"  # noqa: S608
        with self._faults():
            found = [Found(*row) for row in self._database.execute(query, (expression, *values, limit))]
            if not found or found[0].rank >= COMMON_RANK:
                return found
            weight = self._common_weight(expression, table)
        return [replace(one, rank=one.rank * weight) for one in found]

    def _common_weight(self, expression: str, table: str) -> float:
        """The factor that corrects the ranks of a query whose words are all in half of the pages or more.

        FTS5 gives such words a weight of one millionth. The corrected weight is log(1 + (N - n + .5) / (n + .5)), at least LEAST_WEIGHT,
        for n of N pages, so that ranks are readable and comparable with those of other jobs.
        """
        pages = self._database.execute("SELECT count(*) FROM documents WHERE page IS NOT NULL").fetchone()[0]
        matching = f"SELECT count(*) FROM {table} WHERE {table} MATCH ?"  # noqa: S608
        having = self._database.execute(matching, (expression,)).fetchone()[0]
        return max(LEAST_WEIGHT, log1p(max(0.0, pages - having + 0.5) / (having + 0.5))) / FTS5_WEIGHT

    def _open(self) -> None:
        self._database.execute("PRAGMA auto_vacuum = INCREMENTAL")  # has an effect on a new file only
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
        # Sorted by number, because a smaller number makes FTS5 write what it has collected so far.
        put = "INSERT INTO words (rowid, text, title) VALUES (?, ?, ?)"
        self._database.executemany(put, [row[:3] for row in sorted(documents)])
        put = "INSERT INTO media_words (rowid, text) VALUES (?, ?)"
        self._database.executemany(put, [(row[0], row[3]) for row in sorted(documents) if row[3]])
        self._waiting.clear()
        self._characters = 0

    def _next_number(self, relevance: float) -> int:
        """An unused document number; a lower step of relevance has larger numbers. A full step continues in the range of the next."""
        first = (STEPS - min(STEPS, max(0, int(relevance * STEPS)))) * _RANGE
        query = "SELECT coalesce(max(id), ?) FROM documents WHERE id BETWEEN ? AND ?"
        last = first + _RANGE - 1
        while True:
            used = int(self._database.execute(query, (first, first, last)).fetchone()[0])
            if used < last:
                return used + 1
            first, last = last + 1, last + _RANGE


def _words(record: PageRecord, segmenter: Segmenter) -> _Words:
    texts = [record.title[:MOST_CHARACTERS], record.text[:MOST_CHARACTERS], media_text(record)]
    title, text, media = map(" ".join, segmenter.words_of(texts))
    return text, title, media


def media_text(record: PageRecord) -> str:
    """The texts of a page's links to pictures and files: anchors, alt texts and captions."""
    if not record.media:
        return ""
    return "\n".join(line for one in media_of_record(record) for line in texts_of(one))[:MOST_CHARACTERS]


def texts_of(medium: Medium) -> tuple[str, str, str]:
    """The texts by which a picture or file is found."""
    return medium.anchor, medium.alt, medium.caption


class Indexing:
    """The index of a running crawl, to which each stored page is added. An index that is far behind is left to the first search."""

    def __init__(self, store: PageStore, path: Path) -> None:
        self._store, self._path = store, path
        self._index: PageIndex | None = None
        self._begun = False

    def begin(self, segmenter: Segmenter) -> None:
        """Open the index and add the pages of the store that it lacks; a second call does nothing."""
        if self._begun:
            return
        self._begun = True
        with self._reported():
            self._index = PageIndex(self._path)
            if len(missing(self._store, self._index)) > MOST_AT_ONCE:
                logger.info("%s is far behind: the first `scrapy search` goes on with it", self._path)
                self._disable()
            else:
                catch_up(self._store, self._index, segmenter=segmenter)

    def add(self, row: int, record: PageRecord, segmenter: Segmenter) -> None:
        """Index a page that was stored in a row, unless there is no index; see `PageIndex.add`."""
        if self._index is not None:
            self._index.add(row, record, segmenter)

    def commit(self) -> None:
        """Write what was added, if it is worth a transaction. The store must have committed before."""
        if self._index is not None and self._index.is_full:
            with self._reported():
                self._index.commit()

    def close(self) -> None:
        """Write what was added, and close the index."""
        if self._index is not None:
            with self._reported():
                self._index.close()

    def abandon(self) -> None:
        """Close without writing."""
        if self._index is not None:
            self._index.abandon()

    def _disable(self) -> None:
        if self._index is not None:
            self._index.abandon()
            self._index = None

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except StateError as fault:
            self._disable()
            logger.warning("Pages are no longer indexed: %s", fault)


def missing(store: PageStore, index: PageIndex) -> list[int]:
    """The rows of the store that the index lacks, or has in an earlier state."""
    return index.missing(store.changed(*index.extent()))


def catch_up(
    store: PageStore,
    index: PageIndex,
    progress: Callable[[int, int], None] | None = None,
    segmenter: Segmenter = PLAIN,
) -> int:
    """Index the pages that the index lacks, and return their number.

    `progress`: called after each batch, with the numbers of pages done and of all pages to do.
    """
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
