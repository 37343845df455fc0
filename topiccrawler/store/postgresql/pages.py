"""The pages of one job in PostgreSQL: as store.pages has them, for many processes at once.

A page is one row a job and URL, written whole (INSERT … ON CONFLICT DO UPDATE): whoever writes last wins, no half is lost, and doing it again is
harmless. Each call is a transaction of its own and durable when it returns. Its words lie beside it for the search (store.postgresql.words).
PostgreSQL takes no NUL in a text: it becomes U+FFFD.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple
from hashlib import blake2b
from typing import Any, TypeVar

from topiccrawler.errors import StateError
from topiccrawler.store.pages import COLUMNS, PageRecord, content_hash, record_from, storable
from topiccrawler.store.postgresql.selecting import condition
from topiccrawler.store.postgresql.session import Session
from topiccrawler.store.postgresql.words import words_of_page
from topiccrawler.store.selection import ALL, Selection
from topiccrawler.urls.canonical import host_of

AT_ONCE = 100  # pages read in one go
Result = TypeVar("Result")
Runs = Callable[[Callable[[Any], Result]], Result]

_NAMES = (*COLUMNS, "host", "day", "words")
_ALL = ", ".join(COLUMNS)
_PUT = (
    f"INSERT INTO topiccrawler.pages (job, key, {', '.join(_NAMES)}) VALUES (%s, %s{', %s' * (len(_NAMES) - 1)}, %s::tsvector) "  # noqa: S608
    f"ON CONFLICT (job, key) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _NAMES)} RETURNING id"
)
_OF_JOB = "FROM topiccrawler.pages WHERE job = %s"
_JOB = "SELECT id, topic, recipe FROM topiccrawler.jobs WHERE name = %s"
_ADD_JOB = (
    "INSERT INTO topiccrawler.jobs (name, topic, recipe) VALUES (%s, '', '') ON CONFLICT (name) DO NOTHING"
)


class PostgresPages:
    """See store.base.Pages. `indexed`: pages get their words as they are kept. `create`: the job may be a new one; else StateError."""

    def __init__(self, session: Session, job: str, *, indexed: bool = True, create: bool = True) -> None:
        self.session, self.job, self._indexed = session, job, indexed
        self.name = f"{session.name} job {job}"
        self._number: int | None = None
        if not create and self.recipe() is None:
            session.close()
            remedy = "give the name it was begun with (TOPIC_JOB, -a job=), and its STORE_URL"
            raise StateError(self.name, "there is no job of this name", remedy)

    def put(self, record: PageRecord) -> int:
        return self._ask(self.putting(record))

    def putting(self, record: PageRecord) -> Callable[[Any], int]:
        """The work of `put`, for a transaction of the caller's."""
        row = {name: _text(value) for name, value in zip(COLUMNS, astuple(record), strict=True)}
        row["content_hash"] = row["content_hash"] or content_hash(str(row["text"]))
        url = str(row["url"])
        values = (key_of(url), *row.values(), _text(host_of(url)), _text(record.day))
        words = words_of_page(record) if self._indexed else None

        def put(connection: Any) -> int:
            return int(connection.execute(_PUT, (self.number(connection), *values, words)).fetchone()[0])

        return put

    def get(self, url: str) -> PageRecord | None:
        return self._one(f"SELECT {_ALL} {_OF_JOB} AND key = %s", key_of(url))

    def at(self, row: int) -> PageRecord | None:
        return self._one(f"SELECT {_ALL} {_OF_JOB} AND id = %s", row)

    def best(self, selection: Selection = ALL, limit: int | None = None) -> list[int]:
        chosen, values = condition(selection)
        asked = f"SELECT id {_OF_JOB} AND stored AND {chosen} ORDER BY relevance DESC, url LIMIT %s"
        return [row for (row,) in self._rows(asked, *values, limit)]

    def nearest(self, relevance: float, limit: int) -> list[int]:
        asked = f"SELECT id {_OF_JOB} AND stored AND alias_of = '' ORDER BY abs(relevance - %s), url LIMIT %s"
        return [row for (row,) in self._rows(asked, relevance, limit)]

    def after(self, row: int, limit: int) -> list[tuple[int, PageRecord]]:
        found = self._rows(
            f"SELECT id, {_ALL} {_OF_JOB} AND id > %s AND stored ORDER BY id LIMIT %s", row, limit
        )
        return [(number, record_from(rest)) for number, *rest in found]

    def copies(self, url: str, limit: int) -> list[str]:
        asked = f"SELECT url {_OF_JOB} AND md5(alias_of) = md5(%s) AND alias_of = %s AND alias_of <> '' ORDER BY id LIMIT %s"
        return [found for (found,) in self._rows(asked, _text(url), _text(url), limit)]

    def delete(self, url: str) -> None:
        def remove(connection: Any) -> None:
            connection.execute(f"DELETE {_OF_JOB} AND key = %s", (self.number(connection), key_of(url)))

        self._ask(remove)

    def records(self) -> Iterator[PageRecord]:
        last = 0
        while found := self._rows(
            f"SELECT id, {_ALL} {_OF_JOB} AND id > %s ORDER BY id LIMIT %s", last, AT_ONCE
        ):
            for number, *rest in found:
                last = number
                yield record_from(rest)

    def recipe(self) -> tuple[str, str] | None:
        """Topic and recipe (JSON) of the job, empty before its crawl has begun; None when there is no such job."""
        found = self._ask(lambda connection: connection.execute(_JOB, (self.job,)).fetchone())
        return None if found is None else (found[1], found[2])

    def begin(self, topic: str, recipe: str) -> None:
        """The job's crawl begins or goes on: keep what it is made from."""
        kept = "UPDATE topiccrawler.jobs SET topic = %s, recipe = %s WHERE id = %s"
        self._ask(lambda connection: connection.execute(kept, (topic, recipe, self.number(connection))))

    def commit(self) -> None:
        """Each call has committed."""

    def close(self) -> None:
        self.session.close()

    def number(self, connection: Any) -> int:
        """The job's number; it gets one when it has none."""
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

    def _rows(self, asked: str, *values: object) -> list[Any]:
        def read(connection: Any) -> list[Any]:
            found: list[Any] = connection.execute(asked, (self.number(connection), *values)).fetchall()
            return found

        return self._ask(read)

    def _one(self, asked: str, value: object) -> PageRecord | None:
        rows = self._rows(asked, value)
        return record_from(rows[0]) if rows else None


def key_of(url: str) -> bytes:
    """By which a URL is found, whatever its length."""
    return blake2b(str(_text(url)).encode(), digest_size=16).digest()


def _text(value: object) -> object:
    value = storable(value)
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value
