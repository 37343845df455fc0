"""Pages in PostgreSQL, as crawling.servers knows a page server."""

from __future__ import annotations

from topiccrawler.cluster.postgresql.address import remember_address, whole
from topiccrawler.cluster.postgresql.session import Session
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages
from topiccrawler.cluster.postgresql.writing import CrawlPages
from topiccrawler.crawling.servers import ServedPages
from topiccrawler.store.pages import SharedPages


def remember(address: str, *, for_all: bool = False) -> None:
    """For jobs that name it without its password."""
    remember_address(address, for_all=for_all)


def open_pages(address: str, job: str) -> ServedPages:
    """The pages of a job. StateError when there is no such job."""
    return PostgresPages(Session(whole(address)), job, create=False)


def open_shared(address: str, job: str, topic: str, *, indexed: bool, outage_seconds: float) -> SharedPages:
    """Nothing is asked of the server before `check`."""
    return CrawlPages(address, job, topic, indexed=indexed, outage_seconds=outage_seconds)
