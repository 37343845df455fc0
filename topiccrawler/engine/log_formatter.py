"""Formats the log of failed downloads: one line for each, and for an unreachable host one line in all.

Scrapy logs such failures as errors, with tracebacks and up to four times each: the page, its retries, the robots.txt, its retries. A log
formatter can change a message and its level, but cannot leave out a traceback; and some of the loudest messages pass no formatter. So
filters are added to Scrapy's loggers as well, as its documentation proposes; they set messages that are reported or counted elsewhere to
DEBUG. Errors that no remote server has caused stay as Scrapy logs them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.utils.httpobj import urlparse_cached
from twisted.python.failure import Failure

from topiccrawler.engine.download_failures import OF_HOST, reason_of
from topiccrawler.errors import CrawlerError
from topiccrawler.resources import package_table

FAILED = "Failed: %(url)s: %(reason)s"
FAILED_HOST = FAILED + " (logged once for this host, then counted)"
MOST_LOGGED = 100_000  # failed hosts that are remembered
_PLAIN = "without_traceback"
# logger -> the beginnings of its messages that become DEBUG
_SOFTENED = {name: tuple(begin) for name, begin in package_table("engine/softened_messages.toml").items()}


class CrawlLogFormatter(LogFormatter):
    """LOG_FORMATTER: logs a failed download at INFO in one line; for an unreachable host only the first failure, further ones at DEBUG."""

    def __init__(self) -> None:
        self._logged: set[tuple[str, str]] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        for name in _SOFTENED:
            logging.getLogger(name).addFilter(soften)
        logging.getLogger("scrapy.core.scraper").addFilter(leave_out_traceback)
        logging.getLogger("scrapy.extensions.feedexport").addFilter(shorten_traceback)
        return super().from_crawler(crawler)

    def download_error(
        self, failure: Failure, request: Request, spider: Spider, errmsg: str | None = None
    ) -> LogFormatterResult:
        reason = reason_of(failure.value)
        if reason is None:
            return super().download_error(failure, request, spider, errmsg)
        host = urlparse_cached(request).netloc
        known = reason in OF_HOST
        level = logging.DEBUG if known and (host, reason) in self._logged else logging.INFO
        if known:
            if len(self._logged) >= MOST_LOGGED:
                self._logged.clear()
            self._logged.add((host, reason))
        args = {"url": request.url, "reason": reason, _PLAIN: True}
        return {"level": level, "msg": FAILED_HOST if known else FAILED, "args": args}

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        if isinstance(exception, CrawlerError):
            return _reported_elsewhere(exception)
        return super().item_error(item, exception, response, spider)

    def spider_error(
        self, failure: Failure, request: Request, response: Response | Failure, spider: Spider
    ) -> LogFormatterResult:
        if isinstance(failure.value, CrawlerError):
            return _reported_elsewhere(failure.value)
        return super().spider_error(failure, request, response, spider)


def _reported_elsewhere(error: CrawlerError) -> LogFormatterResult:
    """A DEBUG record without traceback for an error that has ended the crawl with a line of its own (engine.faults)."""
    return {"level": logging.DEBUG, "msg": "%(error)s", "args": {"error": error, _PLAIN: True}}


def soften(record: logging.LogRecord) -> bool:
    """Logging filter: set the softened messages to DEBUG, without traceback, if a remote server caused them."""
    error = record.exc_info[1] if record.exc_info else None
    if str(record.msg).startswith(_SOFTENED.get(record.name, ())) and (error is None or reason_of(error)):
        record.levelno, record.levelname, record.exc_info = logging.DEBUG, "DEBUG", None
    return True


def shorten_traceback(record: logging.LogRecord) -> bool:
    """Logging filter: replace the traceback of a feed's error by the text of the error."""
    if record.exc_info:
        record.msg, record.args, record.exc_info = f"{record.getMessage()}: {record.exc_info[1]}", None, None
    return True


def leave_out_traceback(record: logging.LogRecord) -> bool:
    """Logging filter: remove the traceback that Scrapy adds after our formatter has run."""
    if isinstance(record.args, Mapping) and record.args.get(_PLAIN):
        record.exc_info = None
    return True
