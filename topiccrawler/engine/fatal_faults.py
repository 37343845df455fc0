"""Ends a crawl whose own files fail: one line, nothing more is written, and the command ends with exit code 1.

A store that is damaged or a disk that is full will fail for each page to come, and a page must not be marked as fetched that could
not be kept. So the first CrawlerError after the start, wherever it comes up, closes the spider. What is on disk is the state of
the last commit, as after a kill: a job resumed when the fault is mended fetches again what was under way, and nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro
from twisted.python.failure import Failure

from topiccrawler.errors import CrawlerError

logger = logging.getLogger(__name__)

STORAGE_FAILED, FRONTIER_ERROR = "storage_failed", "frontier_error"  # finish_reason


class FatalFaults:
    """Of one crawl: false until something failed for good. `told`: what was said of it, a line each."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._crawler: Crawler | None = None

    def __bool__(self) -> bool:
        return bool(self.told)

    def connect(self, crawler: Crawler) -> None:
        """Hear of what callbacks, spider middlewares and pipelines raise."""
        self._crawler = crawler
        crawler.signals.connect(self._hear, signals.item_error)
        crawler.signals.connect(self._hear, signals.spider_error)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """A CrawlerError inside ends the crawl, and goes no further."""
        try:
            yield
        except CrawlerError as error:
            self.end(error)

    def end(self, error: Exception, reason: str = STORAGE_FAILED) -> None:
        """Tell it, the first one only, and close the spider; pages under way end, but are kept no more.

        What is no CrawlerError is a fault of the program: it keeps its traceback.
        """
        first = not self.told
        self.told.append(str(error))
        if not first:
            return
        if isinstance(error, CrawlerError):
            logger.error("%s", error)
        else:
            reason = FRONTIER_ERROR
            logger.error(
                "The queue failed; the crawl ends. On disk is the state of the last commit.", exc_info=error
            )
        engine = self._crawler.engine if self._crawler is not None else None
        if engine is not None and engine.spider is not None:
            deferred_from_coro(engine.close_spider_async(reason=reason))

    def _hear(self, failure: Failure) -> None:
        if isinstance(failure.value, CrawlerError):
            self.end(failure.value)
