"""The pages of a crawl, kept in PostgreSQL by one of its processes: what is kept goes by a thread (writer), what is asked at once by a connection of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future

from topiccrawler.errors import StateError
from topiccrawler.pages.fingerprint import Fingerprint
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.postgresql.duplicates import PostgresDuplicates
from topiccrawler.store.postgresql.pages import PostgresPages
from topiccrawler.store.postgresql.session import Session
from topiccrawler.store.postgresql.writer import Writer


class CrawlPages:
    """`url`: of the database; `job`: the crawl's name there; `topic`: what it is for. Nothing is asked of the server before `check`."""

    def __init__(
        self, url: str, job: str, topic: str, *, indexed: bool = True, outage_seconds: float = 600.0
    ) -> None:
        session = Session(url)
        self.address, self.job, self.topic = session.address, job, topic
        self.pages = PostgresPages(session, job)  # for the reactor's thread
        self._kept = PostgresPages(session.twin(), job, indexed=indexed)
        self._duplicates = PostgresDuplicates(self._kept)
        self._writer = Writer(self._kept.session, outage_seconds)

    def check(self, another: Callable[[str, str, str], tuple[str, str]] | None = None) -> None:
        """StateError when the server cannot be used, or the job there is for another topic. `another`: of the recipe there, its topic and the
        one asked for, fault and remedy in people's words."""
        found = self.pages.recipe()
        if found is not None and found[0] and found[0] != self.topic:
            fault = f"holds a crawl for topic {found[0]!r}, not {self.topic!r}"
            remedy = "go on with the topic it was begun with, or choose another TOPIC_JOB"
            if another is not None:
                fault, remedy = another(found[1], found[0], self.topic)
            raise StateError(self.pages.name, fault, remedy)

    def begin(self, recipe: Mapping[str, object], topic: str = "") -> None:
        """The crawl begins or goes on; its recipe is kept for those who look at it. StateError when the server takes nothing."""
        self.topic = topic or self.topic
        self.pages.begin(self.topic, json.dumps(recipe, ensure_ascii=False))

    def keep(self, record: PageRecord) -> Future[int]:
        """Store a page; done when it is durable."""
        return self._writer.submit(self._kept.putting(record))

    def first_of(self, url: str, print_: Fingerprint, *, across_sites: bool) -> Future[str | None]:
        """The page this one is a copy of, whichever process has kept it; None when it is the first, which is then remembered."""
        return self._writer.submit(self._duplicates.looking(url, print_, across_sites=across_sites))

    def hurry(self) -> None:
        """The crawl closes."""
        self._writer.hurry()

    def figures(self) -> Mapping[str, float]:
        """What it took so far."""
        return self._writer.figures()

    def close(self) -> None:
        """Finish and let go. A second call does nothing."""
        self.pages.close()
        self._writer.close()

    def abandon(self) -> None:
        """Let go at once."""
        self.pages.close()
        self._writer.abandon()
