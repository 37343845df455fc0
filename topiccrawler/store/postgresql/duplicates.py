"""Finds copies among the pages of all processes of a job: the fingerprints lie in PostgreSQL, and side by side in each process's memory.

One process at a time looks and adds (an advisory lock of the job), after it has read what others added or changed since: so two processes that
fetch one text at the same moment find one original and one copy. That is two questions and their answers a page with a text; what is looked
through is in memory (store.duplicates.NearIndex, 32 bytes a page).

A commit is not waited for on the server's disk: what a crash of the server takes of the last moment are copies not found. All is read anew after each
connection that broke.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from topiccrawler.pages.fingerprint import Fingerprint
from topiccrawler.store.duplicates import NearIndex
from topiccrawler.store.pages import storable
from topiccrawler.store.postgresql.pages import PostgresPages, key_of
from topiccrawler.store.postgresql.schema import LOCK
from topiccrawler.urls.canonical import host_of, site_of

AT_ONCE = 50_000  # fingerprints read in one go
_OF_JOB = "FROM topiccrawler.fingerprints WHERE job = %s"
_NEWS = f"SELECT changed, row, bits {_OF_JOB} AND changed > %s ORDER BY changed LIMIT {AT_ONCE}"
_PUT = (
    "INSERT INTO topiccrawler.fingerprints (job, row, changed, key, url, digest, bits) VALUES (%s, %s, %s, %s, %s, %s, %s) "
    "ON CONFLICT (job, row) DO UPDATE SET changed = excluded.changed, digest = excluded.digest, bits = excluded.bits"
)


class PostgresDuplicates:
    """See store.base.Copies; durable at once. For one thread, as its session is. `pages`: of the job."""

    def __init__(self, pages: PostgresPages) -> None:
        self._pages, self._session = pages, pages.session
        self._forget()

    def first_of(self, url: str, print_: Fingerprint, *, across_sites: bool = True) -> str | None:
        return self._session.ask(self.looking(url, print_, across_sites=across_sites))

    def looking(self, url: str, print_: Fingerprint, *, across_sites: bool) -> Callable[[Any], str | None]:
        """The work of `first_of`, for a transaction of the caller's."""
        url = str(storable(url)).replace("\0", "\ufffd")

        def look(connection: Any) -> str | None:
            try:
                return self._look(connection, url, print_, across_sites=across_sites)
            except BaseException:  # it may be undone: what is in memory is no longer what is there
                self._forget()
                raise

        return look

    def __len__(self) -> int:
        return len(self._near)

    def commit(self) -> None:
        """Each call has committed."""

    def close(self) -> None:
        self._session.close()

    def _forget(self) -> None:
        self._near, self._changed, self._connects = NearIndex(), 0, 0

    def _look(self, connection: Any, url: str, print_: Fingerprint, *, across_sites: bool) -> str | None:
        job = self._pages.number(connection)
        if self._connects != self._session.connects:
            self._forget()
            while self._take(connection.execute(_NEWS, (job, self._changed)).fetchall()) == AT_ONCE:
                pass  # before the others have to wait
            self._connects = self._session.connects
        with connection.pipeline():
            connection.execute("SET LOCAL synchronous_commit TO off")
            connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (LOCK, job))
            own = connection.execute(f"SELECT row {_OF_JOB} AND key = %s", (job, key_of(url)))
            exact = connection.execute(f"SELECT row {_OF_JOB} AND digest = %s", (job, print_.digest))
            news = connection.execute(_NEWS, (job, self._changed))
        while self._take(news.fetchall()) == AT_ONCE:
            news = connection.execute(_NEWS, (job, self._changed))
        found = own.fetchone()
        row = found[0] if found else len(self._near)
        rows = {*(other for (other,) in exact.fetchall() if other < row), *self._near.near(print_.bits, row)}
        first = self._earliest(connection, job, sorted(rows), None if across_sites else _site(url))
        if first is None:
            self._changed += 1
            connection.execute(_PUT, (job, row, self._changed, key_of(url), url, *print_))
            self._near.put(row, print_.bits)
        return first

    def _take(self, rows: list[tuple[int, int, bytes]]) -> int:
        for self._changed, row, bits in rows:
            self._near.put(row, bytes(bits))
        return len(rows)

    def _earliest(self, connection: Any, job: int, rows: list[int], of_site: str | None) -> str | None:
        if not rows:
            return None
        asked = f"SELECT url {_OF_JOB} AND row = ANY (%s) ORDER BY row"
        for (other,) in connection.execute(asked, (job, rows)):
            if of_site is None or _site(other) == of_site:
                return str(other)
        return None


def _site(url: str) -> str:
    return site_of(host_of(url))
