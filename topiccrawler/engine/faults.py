"""Ends a crawl or a command on an error in the user's call or in the crawl's own files.

`reported_by_scrapy` handles errors in the call. A user's mistake is one line and exit code 1 on the command line, and an exception in a
script. Scrapy by itself prints a traceback or, for an error in a spider, ends with exit status 0. So a spider's CrawlerError becomes
SystemExit where Scrapy's command line runs it. Commands print their errors themselves (engine.command).

`FatalFaults` ends a crawl whose own files fail: one line, nothing more is written, exit code 1. A damaged store or a full disk will fail
for each further page, and a page that could not be stored must not be marked as fetched. So the first CrawlerError after the start,
wherever it is raised, closes the spider. The state on disk is that of the last commit, as after a kill. A job that is resumed after the
fault is mended fetches again the pages that were under way, and nothing else.
"""

from __future__ import annotations

import inspect
import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_stack

import scrapy
from scrapy import signals
from scrapy.commands import ScrapyCommand
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.defer import deferred_from_coro
from twisted.logger import globalLogBeginner
from twisted.python.failure import Failure

from topiccrawler.errors import CrawlerError

logger = logging.getLogger(__name__)

COMMAND_LINE = str(Path(scrapy.__file__).with_name("cmdline.py"))


@contextmanager
def reported_by_scrapy(settings: BaseSettings) -> Iterator[None]:
    """Handle a CrawlerError raised while the parts of a crawl are made. In a script it is passed on to the caller. Under Scrapy's command
    line, which would print a traceback or end with exit code 0, the process ends with the one-line message and exit code 1."""
    try:
        yield
    except CrawlerError as error:
        if not is_scrapys_process():
            raise
        if settings.get("LOG_FILE"):  # scrapyd shows its users only the log
            logger.error("%s", error)  # noqa: TRY400 a user's slip deserves a line, not a traceback
        sys.stderr.write(f"{error}\n")
        say_no_more()
        raise SystemExit(1) from None


def say_no_more() -> None:
    """Disable all logging before an exit: a Deferred or task that the SystemExit passes through would log it with a traceback."""
    logging.disable(logging.CRITICAL)
    with warnings.catch_warnings(action="ignore"):  # Twisted warns when logging has begun already
        globalLogBeginner.beginLoggingTo([], discardBuffer=True, redirectStandardIO=False)


def is_scrapys_process() -> bool:
    """Whether `scrapy.cmdline.execute` is on the call stack, so that no caller can catch an exception."""
    codes = (frame.f_code for frame, _ in walk_stack(inspect.currentframe()))
    return any((code.co_name, code.co_filename) == ("execute", COMMAND_LINE) for code in codes)


def end_with_failure() -> None:
    """Make Scrapy's command line, if it is on the call stack, end with exit code 1. Its commands do so only for crawls that could not
    begin."""
    if is_scrapys_process():
        # of the only command of the process, which sets none of its own once a crawl has begun
        ScrapyCommand.exitcode = 1


STORAGE_FAILED, FRONTIER_ERROR = "storage_failed", "frontier_error"  # finish_reason


class FatalFaults:
    """The faults that end a crawl.

    `reported`: the messages of the faults so far, one line each. If there are any, `scrapy crawl` ends with exit code 1, in any project.
    `broken`: one of the job's own files failed, so nothing more may be written to any of them.
    """

    def __init__(self) -> None:
        self.reported: list[str] = []
        self.broken = False
        self._crawler: Crawler | None = None

    def connect(self, crawler: Crawler) -> None:
        """Connect to the signals for exceptions of callbacks, spider middlewares and pipelines."""
        self._crawler = crawler
        crawler.signals.connect(self._on_error, signals.item_error)
        crawler.signals.connect(self._on_error, signals.spider_error)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Catch a CrawlerError raised in the block, and end the crawl with it."""
        try:
            yield
        except CrawlerError as error:
            self.break_off(error)

    def break_off(self, error: Exception) -> None:
        """End the crawl because one of its files failed: pages under way end without being stored. An error that is no CrawlerError is a
        bug in the program, and is logged with its traceback."""
        if self.broken:
            return
        self.broken = True
        self.end(error, STORAGE_FAILED if isinstance(error, CrawlerError) else FRONTIER_ERROR)

    def end(self, error: Exception, reason: str) -> None:
        """Log the error, and close the spider with this finish_reason."""
        self.note(str(error))
        if isinstance(error, CrawlerError):
            logger.error("%s", error)
        else:
            logger.error("The queue failed; on disk is the state of the last commit", exc_info=error)
        engine = self._crawler.engine if self._crawler is not None else None
        if engine is not None and engine.spider is not None:
            deferred_from_coro(engine.close_spider_async(reason=reason))

    def note(self, text: str) -> None:
        """Record that the crawl has failed for a reason that is in the log already, and set the exit code."""
        self.reported.append(text)
        end_with_failure()

    def _on_error(self, failure: Failure) -> None:
        if isinstance(failure.value, CrawlerError):
            self.break_off(failure.value)
