"""Indexes the pages of a job for full-text search, with SQLite FTS5 over the words of the segmenter.

`PageIndex` is a part of the page store: the words of a page are added in the transaction that stores it. It does not store texts
(content=''): after a match, the page is read from the store. FTS5 can delete from such a table only from version 3.43 of SQLite on. So a
page that is stored again becomes a new document, and the old one loses its page in the table `documents`, with which all matches are
joined. That table also has the columns by which results are ranked and filtered, because the store has them after the text, where they are
slow to read. `text` is the first column of `words`: in any other column a word of a page takes two bytes more. `media_words` has the words
of the links to pictures and files (anchor, alt text, caption) of pages that have any, under the same numbers; a table of its own, so that
they change no rank of a page.

Formula    rank = BM25 (k1 1.2, b .75; a word of the title counts TITLE_WEIGHT times) * relevance of the page
But        BM25 costs 6 µs per page. Documents are numbered by relevance, so FTS5 returns the most relevant first, and of more than
           MOST_RANKED matching pages only the first so many are ranked.
Cost       .25 ms for a page of 457 words. Batches of 256 pages would cost a third, but a killed crawl would leave pages without words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import log1p

from topiccrawler.items import Medium
from topiccrawler.job_database import JobTable, storable
from topiccrawler.store.pages import Found, Judgement, PageRecord, QueryTerm, Selection, media_of_record
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.urls.canonical import host_of

MOST_CHARACTERS = 100_000  # indexed of a text; as many as a page classifier reads
TITLE_WEIGHT = 5.0
MOST_RANKED = 2_000
STEPS = 16  # steps of relevance, each with a range of document numbers; more or wider ranges make the index larger
_RANGE = 1 << 20
_ADD = "INSERT INTO documents (id, page, relevance, topic, host, day, format, kind, language, usage, refused) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
FTS5_WEIGHT = 1e-6  # weight that FTS5 gives a word in half of the pages or more
COMMON_RANK = 1e-4  # below this rank all words of a query are so common
LEAST_WEIGHT = 0.1  # weight of a word in all pages
_RANKS = {"words": f"bm25(words, 1.0, {TITLE_WEIGHT})", "media_words": "bm25(media_words)"}
_FIND = {
    table: f"""SELECT page, -{rank} * relevance AS rank
    FROM {table} JOIN documents ON documents.id = {table}.rowid WHERE {table} MATCH ? AND page IS NOT NULL"""  # noqa: S608
    for table, rank in _RANKS.items()
}


def fts5(terms: Iterable[QueryTerm]) -> str:
    """An FTS5 expression for pages that match all terms, and none of the excluded ones."""

    def spelt(term: QueryTerm) -> str:
        joint = " " if term.is_phrase else '" AND "'
        lists = dict.fromkeys(joint.join(words) for words in term.spellings)
        return "({})".format(" OR ".join(f'("{words}")' for words in lists))

    wanted = " AND ".join(spelt(term) for term in terms if not term.is_excluded)
    unwanted = [spelt(term) for term in terms if term.is_excluded]
    return " NOT ".join([f"({wanted})" if unwanted else wanted, *unwanted])


class PageIndex(JobTable):
    """The full-text index of pages, in the job's database."""

    def add(self, page: int, record: PageRecord, segmenter: Segmenter) -> None:
        """Index the page in a row of the page store. A copy or a page off topic is recorded, but cannot be found.

        `segmenter`: the segmenter of the crawl.
        """
        known = (
            *(record.relevance, record.topic, host_of(record.url), record.day),
            *(record.format, record.kind, record.language, record.usage, record.refused),
        )
        row = tuple(map(storable, known))
        self.database.write("UPDATE documents SET page = NULL WHERE page = ?", (page,))
        number = self._next_number(float(str(row[0])))
        self.database.write(_ADD, (number, page, *row))
        if (record.stored or record.refused) and not record.alias_of:
            texts = [record.title[:MOST_CHARACTERS], record.text[:MOST_CHARACTERS], media_text(record)]
            title, text, media = map(" ".join, segmenter.words_of(texts))
            self.database.write(
                "INSERT INTO words (rowid, text, title) VALUES (?, ?, ?)", (number, text, title)
            )
            if media:
                self.database.write("INSERT INTO media_words (rowid, text) VALUES (?, ?)", (number, media))

    def judge(self, judgements: Iterable[Judgement]) -> None:
        """Set what judging pages again has changed."""
        rows = [(one.relevance, one.refused, one.topic, one.row) for one in judgements]
        changed = "UPDATE documents SET relevance = ?, refused = ?, topic = ? WHERE page = ?"
        self.database.write_many(changed, [tuple(map(storable, row)) for row in rows])

    def find(
        self, terms: tuple[QueryTerm, ...], selection: Selection, limit: int, *, media: bool = False
    ) -> list[Found]:
        """The pages that match the terms, the best first, at most `limit`.

        `media`: by the words of their links to pictures and files, instead of those of text and title.
        """
        expression = fts5(terms)
        condition, values = selection.condition(host="host", day="day")
        table = "media_words" if media else "words"
        ranked = f"{_FIND[table]} AND {condition} ORDER BY {table}.rowid LIMIT {MOST_RANKED}"
        query = f"SELECT * FROM ({ranked}) ORDER BY rank DESC, page LIMIT ?"  # noqa: S608
        found = [Found(*row) for row in self.database.read(query, (expression, *values, limit))]
        if not found or found[0].rank >= COMMON_RANK:
            return found
        weight = self._common_weight(expression, table)
        return [replace(one, rank=one.rank * weight) for one in found]

    def _common_weight(self, expression: str, table: str) -> float:
        """The factor that corrects the ranks of a query whose words are all in half of the pages or more.

        FTS5 gives such words a weight of one millionth. The corrected weight is log(1 + (N - n + .5) / (n + .5)), at least LEAST_WEIGHT,
        for n of N pages, so that ranks are readable and comparable with those of other jobs.
        """
        pages = self.database.read("SELECT count(*) FROM documents WHERE page IS NOT NULL")[0][0]
        matching = f"SELECT count(*) FROM {table} WHERE {table} MATCH ?"  # noqa: S608
        having = self.database.read(matching, (expression,))[0][0]
        return max(LEAST_WEIGHT, log1p(max(0.0, pages - having + 0.5) / (having + 0.5))) / FTS5_WEIGHT

    def _next_number(self, relevance: float) -> int:
        """An unused document number; a lower step of relevance has larger numbers. A full step continues in the range of the next."""
        first = (STEPS - min(STEPS, max(0, int(relevance * STEPS)))) * _RANGE
        query = "SELECT coalesce(max(id), ?) FROM documents WHERE id BETWEEN ? AND ?"
        last = first + _RANGE - 1
        while True:
            used = int(self.database.read(query, (first, first, last))[0][0])
            if used < last:
                return used + 1
            first, last = last + 1, last + _RANGE


def media_text(record: PageRecord) -> str:
    """The texts of a page's links to pictures and files: anchors, alt texts and captions."""
    if not record.media:
        return ""
    return "\n".join(line for one in media_of_record(record) for line in texts_of(one))[:MOST_CHARACTERS]


def texts_of(medium: Medium) -> tuple[str, str, str]:
    """The texts by which a picture or file is found."""
    return medium.anchor, medium.alt, medium.caption
