"""Stores the pages of one job in PostgreSQL for many processes at once, as store.pages does in a file, with full-text search.

A page is one row by job and URL, written whole (INSERT … ON CONFLICT DO UPDATE): the last writer wins, and a repeated write is harmless.
Each call is a transaction, durable when it returns. PostgreSQL accepts no NUL in a text: it becomes U+FFFD.

The search uses the index of the database (tsvector, GIN), one for all processes, filled as pages are stored. A file of FTS5 beside each
reader would be built on each machine from all texts, and be older than the store. Words are those of the segmenter, written as a tsvector
because the parser of PostgreSQL would cut them differently. Words of the title have weight A.

Formula    rank = ts_rank_cd * relevance of the page
           ts_rank_cd: cover density; a word of the title counts five times; divided by 1 + log of the length
But        not BM25: the rarity of a word does not count. If more than MOST_RANKED pages match, only the most relevant are ranked. Of a word
           PostgreSQL stores 256 positions, up to 16 383: phrases after these are not found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple
from hashlib import blake2b
from typing import Any

from topiccrawler.cluster.postgresql.session import Result, Session
from topiccrawler.errors import StateError
from topiccrawler.job_database import storable
from topiccrawler.store.index import MOST_CHARACTERS, MOST_RANKED, media_text
from topiccrawler.store.pages import (
    COLUMNS,
    Found,
    Judgement,
    PageRecord,
    QueryTerm,
    Selection,
    SqlPages,
    content_hash,
    record_from,
)
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.urls.canonical import host_of

LAST_PLACE, MOST_PLACES = 16_383, 255
MOST_BYTES = 2_000  # of a word
SHORT = MOST_BYTES // 4  # fewer characters than this are never too many bytes
BREAK = 10  # positions between title and text, so that no phrase spans both


def words_of_page(record: PageRecord, segmenter: Segmenter) -> str:
    """The tsvector of a page as text; empty for an alias and a page off topic, which no search must find."""
    if not record.stored or record.alias_of:
        return ""
    texts = [str(storable(text[:MOST_CHARACTERS])) for text in (record.title, record.text)]
    title, text = segmenter.words_of(texts)
    places: dict[str, list[str]] = {}
    _add(places, title, 1, "A")
    _add(places, text, 1 + len(title) + BREAK, "")
    return _as_text(places)


def words_of_media(record: PageRecord, segmenter: Segmenter) -> str:
    """The tsvector of a page's links to pictures and files as text; empty where `words_of_page` is."""
    if not record.media or not record.stored or record.alias_of:
        return ""
    places: dict[str, list[str]] = {}
    _add(places, segmenter.words_of([str(storable(media_text(record)))])[0], 1, "")
    return _as_text(places)


def _as_text(places: Mapping[str, Sequence[str]]) -> str:
    return " ".join(f"{quoted(word)}:{','.join(where[:MOST_PLACES])}" for word, where in places.items())


def tsquery(terms: Iterable[QueryTerm]) -> str:
    """The tsquery that matches pages with all terms and without the excluded ones."""

    def spelt(term: QueryTerm) -> str:
        joint = " <-> " if term.is_phrase else " & "
        found = (f"({joint.join(map(quoted, words))})" for words in term.spellings)
        return f"{'!' if term.is_excluded else ''}({' | '.join(dict.fromkeys(found))})"

    return " & ".join(map(spelt, sorted(terms, key=lambda term: term.is_excluded)))


def quoted(word: str) -> str:
    """Quote a word for a tsvector or tsquery."""
    if word.isalnum():
        return f"'{word}'"
    escaped = word.replace("\0", " ").replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _add(places: dict[str, list[str]], words: Sequence[str], first: int, weight: str) -> None:
    last = min(first + len(words), LAST_PLACE)
    numbers = [f"{place}{weight}" for place in range(first, last)]
    numbers += [f"{LAST_PLACE}{weight}"] * (len(words) - len(numbers))
    for word, number in zip(words, numbers, strict=True):
        if len(word) < SHORT or len(word.encode()) <= MOST_BYTES:
            places.setdefault(word, []).append(number)


WEIGHTS = "{0.2, 0.2, 0.2, 1}"  # of D, C, B, A
BY_LENGTH = 1
_ALL = ", ".join(COLUMNS)
_NAMES = (*COLUMNS, "host", "day", "words", "media_words")
_PUT = (
    f"INSERT INTO topiccrawler.pages (job, key, {', '.join(_NAMES)}) VALUES (%s, %s{', %s' * (len(_NAMES) - 2)}, %s::tsvector, %s::tsvector) "  # noqa: S608
    f"ON CONFLICT (job, key) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _NAMES)} RETURNING id"
)
_JUDGE = "UPDATE topiccrawler.pages SET relevance = %s, stored = %s, refused = %s, topic = %s, summary = %s, opinion = %s, opinion_reason = %s, judged = %s WHERE id = %s"
_JOB = "SELECT id, topic, recipe FROM topiccrawler.jobs WHERE name = %s"
_ADD_JOB = "INSERT INTO topiccrawler.jobs (name, topic, recipe) VALUES (%s, '', '') ON CONFLICT DO NOTHING"


class PostgresPages(SqlPages):
    """The pages of one job: see store.pages.Pages. `create`: the job may be new; else a job that does not exist is a StateError."""

    table = "topiccrawler.pages WHERE job = ?"
    row = "id"
    is_alias_of = "md5(alias_of) = md5(?)"

    def __init__(self, session: Session, job: str, *, create: bool = True) -> None:
        self.session, self.job = session, job
        self.address = session.address  # without a password
        self.name = f"{session.name} job {job}"
        self._number: int | None = None
        if not create and self.recipe() is None:
            session.close()
            remedy = "give the name it was begun with (TOPIC_JOB, -a job=), and its STORE_URL"
            raise StateError(self.name, "there is no job of this name", remedy)

    def find(
        self,
        terms: tuple[QueryTerm, ...],
        selection: Selection,
        limit: int,
        *,
        media: bool = False,
    ) -> list[Found]:
        """The best matching pages, at most `limit`. `media`: by the words of their links to pictures and files."""
        chosen, values = self._condition(selection)
        column = "media_words" if media else "words"
        expression = tsquery(terms)
        asked = (
            f"WITH matching AS (SELECT id, {column}, relevance FROM {self.table} AND {column} @@ ?::tsquery AND {chosen} "  # noqa: S608
            f"ORDER BY relevance DESC LIMIT {MOST_RANKED}) "
            f"SELECT id, ts_rank_cd('{WEIGHTS}', {column}, ?::tsquery, {BY_LENGTH}) * relevance AS rank "
            "FROM matching ORDER BY rank DESC, id LIMIT ?"
        )
        found = self._ask(self._reading(asked, expression, *values, expression, limit))
        return [Found(*row) for row in found]

    def put(self, record: PageRecord) -> int:
        return self._ask(self.putting(record))

    def putting(self, record: PageRecord, segmenter: Segmenter = PLAIN) -> Callable[[Any], int]:
        """The work of `put`, for a transaction of the caller. `segmenter`: that of the page's crawl."""
        row = {name: _text(value) for name, value in zip(COLUMNS, astuple(record), strict=True)}
        row["content_hash"] = row["content_hash"] or content_hash(str(row["text"]))
        url = str(row["url"])
        values = (key_of(url), *row.values(), _text(host_of(url)), _text(record.day))
        words = words_of_page(record, segmenter)
        of_media = words_of_media(record, segmenter)

        def put(connection: Any) -> int:
            return int(
                connection.execute(_PUT, (self.number(connection), *values, words, of_media)).fetchone()[0]
            )

        return put

    def get(self, url: str) -> PageRecord | None:
        return self._ask(self.getting(url))

    def getting(self, url: str) -> Callable[[Any], PageRecord | None]:
        """The work of `get`, for a transaction of the caller."""
        read = self._reading(f"SELECT {_ALL} FROM {self.table} AND key = ?", key_of(url))  # noqa: S608
        return lambda connection: next(map(record_from, read(connection)), None)

    def nearest(self, relevance: float, limit: int) -> list[int]:
        which = "stored AND alias_of = '' ORDER BY abs(relevance - ?), url LIMIT ?"
        return self._numbers(which, relevance, limit)

    def judge(self, judgements: Iterable[Judgement], now: float) -> None:
        rows = [
            (one.relevance, one.kept, one.refused, *map(_text, one[4:]), now, one.row) for one in judgements
        ]

        def put(connection: Any) -> None:
            with connection.cursor() as cursor:
                cursor.executemany(_JUDGE, rows)

        self._ask(put)

    def delete(self, url: str) -> None:
        self._ask(self._reading(f"DELETE FROM {self.table} AND key = ? RETURNING id", key_of(url)))  # noqa: S608

    def recipe(self) -> tuple[str, str] | None:
        """Topic and recipe (JSON) of the job, both empty before its crawl has begun; None when there is no such job."""
        found = self._ask(lambda connection: connection.execute(_JOB, (self.job,)).fetchone())
        return None if found is None else (found[1], found[2])

    def begin(self, topic: str, recipe: str) -> None:
        """Store the topic and recipe (JSON) of the job, as its crawl begins or is resumed."""
        kept = "UPDATE topiccrawler.jobs SET topic = %s, recipe = %s WHERE id = %s"
        self._ask(lambda connection: connection.execute(kept, (topic, recipe, self.number(connection))))

    def commit(self) -> None:
        """Do nothing: each call has committed its changes."""

    def close(self) -> None:
        self.session.close()

    def number(self, connection: Any) -> int:
        """The number of the job; a job without one gets one."""
        if self._number is not None:
            return self._number
        found = connection.execute(_JOB, (self.job,)).fetchone()
        if found is not None:
            self._number = int(found[0])
            return self._number
        connection.execute(_ADD_JOB, (self.job,))  # this transaction may still fail: not remembered
        return int(connection.execute(_JOB, (self.job,)).fetchone()[0])

    def _ask(self, work: Callable[[Any], Result]) -> Result:
        return self.session.ask(work)

    def _rows(self, what: str, which: str, *values: object) -> list[Any]:
        return self._ask(self._reading(f"SELECT {what} FROM {self.table} AND {which}", *values))  # noqa: S608

    def _reading(self, asked: str, *values: object) -> Callable[[Any], list[Any]]:
        """The work of a query on the pages of the job. Each ? in the query marks a value."""
        parameters, text = tuple(map(_text, values)), asked.replace("?", "%s")

        def read(connection: Any) -> list[Any]:
            found: list[Any] = connection.execute(text, (self.number(connection), *parameters)).fetchall()
            return found

        return read

    def _condition(self, selection: Selection) -> tuple[str, list[object]]:
        return selection.condition(host="host", day="day", find="strpos")


def key_of(url: str) -> bytes:
    """The digest (16 bytes) by which a page is found, whatever the length of its URL."""
    return blake2b(str(_text(url)).encode(), digest_size=16).digest()


def _text(value: object) -> object:
    value = storable(value)
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value
