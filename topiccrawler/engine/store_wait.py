"""Opens the database for pages (STORE_URL), and lets an item wait for it without blocking other pages.

Without the setting, pages are in the job's folder.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from typing import TypeVar

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.servers import page_server
from topiccrawler.store.pages import SharedPages

LOOK_SECONDS = 1.0  # between two checks whether the crawl closes
WAITED = "topic/store/wait_seconds"
Result = TypeVar("Result")


def open_store(settings: BaseSettings, job: str, topic: str) -> SharedPages | None:
    """Open the database that STORE_URL names, for the pages of this job; None = the pages are kept in the job's folder. ArgumentError for
    an invalid address."""
    url = settings.get("STORE_URL")
    return page_server(url).open_shared(url, job, topic) if url else None


class StoreWait:
    """Awaits the database on behalf of a crawl's items, and keeps the stats of these waits."""

    def __init__(self, crawler: Crawler, pages: SharedPages) -> None:
        self.pages = pages
        self._crawler = crawler

    async def result(self, handed: Future[Result]) -> Result:
        """Wait for the result of work submitted to the database. The item waits here, and so does the end of its lease."""
        begun = time.monotonic()
        waiting = asyncio.wrap_future(handed)
        try:
            while not (await asyncio.wait({waiting}, timeout=LOOK_SECONDS))[0]:
                if not self._crawler.crawling:  # after Ctrl-C the wait for an unreachable server is shortened
                    self.pages.hurry()
            return waiting.result()
        finally:
            stats = self._crawler.stats
            waited = stats.get_value(WAITED, 0.0) + time.monotonic() - begun
            stats.set_value(WAITED, round(waited, 3))
            for name, figure in self.pages.figures().items():
                stats.set_value(f"topic/store/{name}", figure)


def store_wait(crawler: Crawler, files: JobFiles) -> StoreWait | None:
    """The StoreWait of a job whose pages are in a database; None if they are in the job's folder."""
    return None if files.kept_in is None else StoreWait(crawler, files.kept_in)
