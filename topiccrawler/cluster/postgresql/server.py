"""Pages in PostgreSQL, as crawling.servers knows a page server."""

from __future__ import annotations

from topiccrawler.cluster.postgresql.session import Session, remember_address, whole
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages
from topiccrawler.cluster.postgresql.writing import CrawlPages
from topiccrawler.crawling.servers import ServedPages

remember, open_shared = remember_address, CrawlPages


def open_pages(address: str, job: str) -> ServedPages:
    """The pages of a job. StateError when there is no such job."""
    return PostgresPages(Session(whole(address)), job, create=False)
