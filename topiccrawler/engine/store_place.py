"""Where the pages of a crawl are kept: in its folder, or in PostgreSQL (STORE_URL); and how a page waits for the database without holding up the others."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from typing import TypeVar

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from topiccrawler.store.postgresql.crawl_pages import CrawlPages

LOOK_SECONDS = 1.0  # between two looks whether the crawl closes
WAITED = "topic/store/wait_seconds"
Result = TypeVar("Result")


def open_store(settings: BaseSettings, job: str, topic: str) -> CrawlPages | None:
    """The database that STORE_URL names, for the pages of this job; None = they are kept in its folder. ArgumentError for no address."""
    url = settings.get("STORE_URL")
    if not url:
        return None
    outage_seconds = settings.getfloat("FRONTIER_OUTAGE_SECONDS")
    indexed = settings.getbool("TOPIC_INDEX")
    return CrawlPages(url, job, topic, indexed=indexed, outage_seconds=outage_seconds)


class StoreWait:
    """Of a crawl's items for the database; its stats."""

    def __init__(self, crawler: Crawler, pages: CrawlPages) -> None:
        self.pages = pages
        self._crawler = crawler

    async def result(self, handed: Future[Result]) -> Result:
        """What was handed over gives; an item waits here, and with it the end of its lease."""
        begun = time.monotonic()
        waiting = asyncio.wrap_future(handed)
        try:
            while not (await asyncio.wait({waiting}, timeout=LOOK_SECONDS))[0]:
                if not self._crawler.crawling:  # Ctrl-C: a server that is away is not waited for as long
                    self.pages.hurry()
            return waiting.result()
        finally:
            stats = self._crawler.stats
            waited = stats.get_value(WAITED, 0.0) + time.monotonic() - begun
            stats.set_value(WAITED, round(waited, 3))
            for name, figure in self.pages.figures().items():
                stats.set_value(f"topic/store/{name}", figure)
