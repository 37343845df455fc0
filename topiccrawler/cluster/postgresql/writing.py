"""Writes the pages of a crawl to PostgreSQL in a thread, and finds copies among the pages of all processes.

`Writer` does the work of a crawl on the server in a thread, in order, so that the reactor never waits for it. Each piece of work has a
Future. While the server is away the work is retried, and all later work waits, so that nothing is lost or done twice. After
`outage_seconds` it fails with one line; the caller then does not acknowledge the page, which is fetched again later.

`PostgresDuplicates` finds copies. Fingerprints are in PostgreSQL and in the memory of each process (store.duplicates.NearIndex, 32 bytes
a page). One process at a time searches and adds (an advisory lock of the job), after it has read the additions of the others. So when two
processes fetch the same text at once, one page is the original and the other the copy. Cost: two requests for each page with a text. A
commit does not wait for the disk of the server: a crash of the server loses the copies found in the last moment. After a broken connection
all fingerprints are read again.

`CrawlPages` combines both for one crawl.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from topiccrawler.cluster.postgresql.session import LOCK, AwayError, Result, Session
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages, key_of
from topiccrawler.crawling.servers import OUTAGE_SECONDS
from topiccrawler.errors import StateError
from topiccrawler.job_database import storable
from topiccrawler.pages.site_repeats import Fingerprint
from topiccrawler.resources import package_table
from topiccrawler.store.duplicates import NearIndex, site_compared
from topiccrawler.store.pages import Earlier, PageRecord
from topiccrawler.text.segmenter import PLAIN, Segmenter

logger = logging.getLogger(__name__)

KNOCK_SECONDS = 0.5  # between two attempts to reach a server that is away
CLOSE_SECONDS = 10.0  # that a closing crawl waits for a server that is away


class Writer:
    """A thread that does work on the server in order, for one crawl. From the first `submit` on only the thread uses the session."""

    def __init__(self, session: Session, outage_seconds: float = OUTAGE_SECONDS) -> None:
        self._session = session
        self._outage_seconds = outage_seconds
        self._calls: SimpleQueue[tuple[Callable[[Any], Any], Future[Any]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._away_since: float | None = None
        self._knock = threading.Event()  # ends the wait before the next attempt
        self._given_up = self._ended = False
        self.calls = self.outages = 0
        self.busy_seconds = 0.0

    def submit(self, work: Callable[[Any], Result]) -> Future[Result]:
        """Queue `work(connection)`, to be done in a transaction. The Future fails with StateError for a lasting fault."""
        handed: Future[Result] = Future()
        if self._ended:
            handed.set_exception(self._closed_error())
            return handed
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="postgresql", daemon=True)
            self._thread.start()
        self._calls.put((work, handed))
        return handed

    def hurry(self) -> None:
        """Wait at most CLOSE_SECONDS more for a server that is away, because the crawl closes."""
        self._outage_seconds = min(self._outage_seconds, self._seconds_away() + CLOSE_SECONDS)

    def figures(self) -> Mapping[str, float]:
        """The counters since the start, by name."""
        return {"calls": self.calls, "busy_seconds": round(self.busy_seconds, 3), "outages": self.outages}

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Finish the submitted work, and close. StateError when that takes longer than `seconds` and CLOSE_SECONDS together."""
        self.hurry()
        if not self._end(seconds + CLOSE_SECONDS):
            raise StateError(self._session.name, "does not answer", "give the command again when it does")

    def abandon(self) -> None:
        """Close at once; work that has not begun is dropped."""
        self._given_up = True
        self._knock.set()
        self._end(1.0)

    def _end(self, seconds: float) -> bool:
        self._ended = True
        if self._thread is None:
            self._session.close()
            return True
        self._calls.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    # -- the thread's side -----------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            work, handed = call
            if not handed.set_running_or_notify_cancel():
                continue
            try:
                handed.set_result(self._done(work))
            except BaseException as error:  # noqa: BLE001 it is the caller's
                handed.set_exception(error)
        self._session.close()

    def _done(self, work: Callable[[Any], Result]) -> Result:
        while not self._given_up:
            begun = time.monotonic()
            try:
                result = self._session.run(work)
            except AwayError as error:
                self._wait(error)
            else:
                self.calls += 1
                self.busy_seconds += time.monotonic() - begun
                if self._away_since is not None:
                    logger.warning("%s is back after %.0f s", self._session.name, self._seconds_away())
                    self._away_since = None
                return result
        raise self._closed_error()

    def _closed_error(self) -> StateError:
        return StateError(self._session.name, "is closed", "give the command again")

    def _wait(self, error: AwayError) -> None:
        if self._away_since is None:
            self._away_since = time.monotonic()
            self.outages += 1
            logger.warning("%s is away (%s): pages are held until it is back", self._session.name, error)
        elif self._seconds_away() >= self._outage_seconds:
            fault = f"was away for {self._seconds_away():.0f} s ({error})"
            raise StateError(self._session.name, fault, "give the same command when it is back")
        self._knock.wait(KNOCK_SECONDS)

    def _seconds_away(self) -> float:
        return 0.0 if self._away_since is None else time.monotonic() - self._away_since


AT_ONCE = 50_000  # fingerprints read in one query


_SQL = package_table("cluster/postgresql/queries.toml")


MayBe = Callable[[str, Earlier | None], bool]  # (URL, page) -> whether the page may be an original


class PostgresDuplicates:
    """The fingerprints of one job, as store.duplicates.DuplicateIndex; for one thread, like its session. `pages`: those of the job."""

    def __init__(self, pages: PostgresPages) -> None:
        self._pages, self._session = pages, pages.session
        self._forget()

    def first_of(
        self, url: str, print_: Fingerprint, *, across_sites: bool = True, may_be: MayBe = lambda *_: True
    ) -> str | None:
        return self._session.ask(self.looking(url, print_, across_sites=across_sites, may_be=may_be))

    def looking(
        self, url: str, print_: Fingerprint, *, across_sites: bool, may_be: MayBe
    ) -> Callable[[Any], str | None]:
        """The work of `first_of`, for a transaction of the caller."""
        url = str(storable(url)).replace("\0", "\ufffd")

        def look(connection: Any) -> str | None:
            try:
                return self._look(connection, url, print_, across_sites=across_sites, may_be=may_be)
            except BaseException:  # the transaction may be rolled back, so memory and database may differ
                self._forget()
                raise

        return look

    def _forget(self) -> None:
        self._near, self._changed, self._connects = NearIndex(), 0, 0

    def _look(
        self, connection: Any, url: str, print_: Fingerprint, *, across_sites: bool, may_be: MayBe
    ) -> str | None:
        job = self._pages.number(connection)
        if self._connects != self._session.connects:
            self._forget()
            while (
                self._apply_news(connection.execute(_SQL["news"], (job, self._changed, AT_ONCE)).fetchall())
                == AT_ONCE
            ):
                pass  # read most of them before the lock, for which others wait
            self._connects = self._session.connects
        with connection.pipeline():
            connection.execute("SET LOCAL synchronous_commit TO off")
            connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (LOCK, job))
            own = connection.execute(_SQL["own"], (job, key_of(url)))
            exact = connection.execute(_SQL["exact"], (job, print_.digest))
            news = connection.execute(_SQL["news"], (job, self._changed, AT_ONCE))
        while self._apply_news(news.fetchall()) == AT_ONCE:
            news = connection.execute(_SQL["news"], (job, self._changed, AT_ONCE))
        found = own.fetchone()
        row = found[0] if found else len(self._near)
        rows = {*(other for (other,) in exact.fetchall() if other < row), *self._near.near(print_.bits, row)}
        first = self._earliest(
            connection, job, sorted(rows), None if across_sites else site_compared(url), may_be
        )
        if first is None:
            self._changed += 1
            connection.execute(_SQL["put"], (job, row, self._changed, key_of(url), url, *print_))
            self._near.put(row, print_.bits)
        return first

    def _apply_news(self, rows: list[tuple[int, int, bytes]]) -> int:
        for self._changed, row, bits in rows:
            self._near.put(row, bytes(bits))
        return len(rows)

    def _earliest(
        self, connection: Any, job: int, rows: list[int], of_site: str | None, may_be: MayBe
    ) -> str | None:
        if not rows:
            return None
        for other, *stored in connection.execute(_SQL["earlier"], (job, rows)):
            page = None if stored[0] is None else Earlier(*stored)
            if (of_site is None or site_compared(other) == of_site) and may_be(other, page):
                return str(other)
        return None


class CrawlPages(Writer):
    """The pages of one crawl, and its writer. `url`: address of the database; `job`: name of the crawl there; `topic`: its topic. The
    server is not called before `check`."""

    def __init__(self, url: str, job: str, topic: str, *, outage_seconds: float = OUTAGE_SECONDS) -> None:
        session = Session(url)
        self.address, self.job, self.topic = session.address, job, topic
        self.pages = PostgresPages(session, job)  # for the reactor's thread
        self._kept = PostgresPages(Session(url), job)
        self._duplicates = PostgresDuplicates(self._kept)
        super().__init__(self._kept.session, outage_seconds)

    def check(self, another: Callable[[str, str, str], tuple[str, str]] | None = None) -> None:
        """StateError when the server cannot be used, or the job there is for another topic. `another(recipe, its topic, topic)`: returns
        fault and remedy for that case."""
        found = self.pages.recipe()
        if found is not None and found[0] and found[0] != self.topic:
            fault = f"holds a crawl for topic {found[0]!r}, not {self.topic!r}"
            remedy = "go on with the topic it was begun with, or choose another TOPIC_JOB"
            if another is not None:
                fault, remedy = another(found[1], found[0], self.topic)
            raise StateError(self.pages.name, fault, remedy)

    def begin(self, recipe: Mapping[str, object], topic: str = "") -> None:
        """Store the recipe for readers, as the crawl begins or is resumed. StateError when the server accepts no writes."""
        self.topic = topic or self.topic
        self.pages.begin(self.topic, json.dumps(recipe, ensure_ascii=False))

    def keep(self, record: PageRecord, segmenter: Segmenter = PLAIN) -> Future[int]:
        """Store a page; the Future is done when it is durable, with the number of its row. `segmenter`: that of the crawl."""
        return self.submit(self._kept.putting(record, segmenter))

    def get(self, url: str) -> Future[PageRecord | None]:
        """Read a page of this job; None when it is not stored."""
        return self.submit(self._kept.getting(url))

    def first_of(
        self, url: str, print_: Fingerprint, *, across_sites: bool, may_be: MayBe = lambda *_: True
    ) -> Future[str | None]:
        """The URL of the page that this one is a copy of, whichever process has stored it. None when it is the first with this text; then
        its fingerprint is stored."""
        look = self._duplicates.looking(url, print_, across_sites=across_sites, may_be=may_be)
        return self.submit(look)

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Finish the submitted work, and close. A second call does nothing."""
        self.pages.close()
        super().close(seconds)

    def abandon(self) -> None:
        """Close at once; work that has not begun is dropped."""
        self.pages.close()
        super().abandon()
