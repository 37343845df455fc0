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

from topiccrawler.engine.user_faults import end_with_failure
from topiccrawler.errors import CrawlerError

logger = logging.getLogger(__name__)

STORAGE_FAILED, FRONTIER_ERROR = "storage_failed", "frontier_error"  # finish_reason


class FatalFaults:
    """Of one crawl. `reported`: what was said of it, a line each; `scrapy crawl` then ends with exit code 1, in any project.

    `broken`: one of the job's own files failed, so nothing more may be written to any of them.
    """

    def __init__(self) -> None:
        self.reported: list[str] = []
        self.broken = False
        self._crawler: Crawler | None = None

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
            self.break_off(error)

    def break_off(self, error: Exception) -> None:
        """A file failed: pages under way end, but are kept no more. What is no CrawlerError is a fault of the program."""
        if self.broken:
            return
        self.broken = True
        self.end(error, STORAGE_FAILED if isinstance(error, CrawlerError) else FRONTIER_ERROR)

    def end(self, error: Exception, reason: str) -> None:
        """Tell it and close the spider with this finish_reason."""
        self.note(str(error))
        if isinstance(error, CrawlerError):
            logger.error("%s", error)
        else:
            logger.error("The queue failed; on disk is the state of the last commit", exc_info=error)
        engine = self._crawler.engine if self._crawler is not None else None
        if engine is not None and engine.spider is not None:
            deferred_from_coro(engine.close_spider_async(reason=reason))

    def note(self, text: str) -> None:
        """The crawl has failed, for this reason, which is in the log."""
        self.reported.append(text)
        end_with_failure()

    def _hear(self, failure: Failure) -> None:
        if isinstance(failure.value, CrawlerError):
            self.break_off(failure.value)
