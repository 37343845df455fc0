"""Implements the page server of crawling.servers with PostgreSQL."""

from __future__ import annotations

from topiccrawler.cluster.postgresql.session import Session, remember_address, whole
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages
from topiccrawler.cluster.postgresql.writing import CrawlPages
from topiccrawler.crawling.servers import ServedPages

remember, open_shared = remember_address, CrawlPages


def open_pages(address: str, job: str) -> ServedPages:
    """Open the pages of a job, with the remembered password. StateError when there is no such job."""
    return PostgresPages(Session(whole(address)), job, create=False)
