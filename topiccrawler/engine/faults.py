"""Ends a crawl or a command for a fault of the user's call or of the crawl's own files.

A user's slip is one line and exit code 1 on the command line, an exception in a script. Scrapy gives a person either a traceback or, for
a fault in a spider, exit status 0. So a spider's CrawlerError becomes SystemExit where Scrapy's command line runs it; commands print theirs
(engine.command).

A crawl whose own files fail ends: one line, nothing more is written, exit code 1. A store that is damaged or a disk that is full will fail
for each page to come, and a page must not be marked as fetched that could not be kept. So the first CrawlerError after the start, wherever
it comes up, closes the spider. What is on disk is the state of the last commit, as after a kill: a job resumed when the fault is mended
fetches again what was under way, and nothing else.
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
from types import FrameType

import scrapy
from scrapy import signals
from scrapy.commands import ScrapyCommand
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.defer import deferred_from_coro
from twisted.logger import globalLogBeginner
from twisted.python.failure import Failure

from topiccrawler.errors import CrawlerError
from topiccrawler.messages import translated_error

logger = logging.getLogger(__name__)

COMMAND_LINE = str(Path(scrapy.__file__).with_name("cmdline.py"))


@contextmanager
def reported_by_scrapy(settings: BaseSettings) -> Iterator[None]:
    """A CrawlerError while a crawl's parts are made: a script that called for the crawl may catch it; Scrapy's command line, which
    has a traceback or exit code 0 for it, ends with its one line and exit code 1."""
    try:
        yield
    except CrawlerError as error:
        if not is_scrapys_process():
            raise
        if settings.get("LOG_FILE"):  # scrapyd shows its users the log only
            logger.error("%s", error)  # noqa: TRY400 a user's slip deserves a line, not a traceback
        sys.stderr.write(f"{translated_error(error)}\n")
        say_no_more()
        raise SystemExit(1) from None


def say_no_more() -> None:
    """A Deferred or a task that the exit passes through would print it with a traceback."""
    logging.disable(logging.CRITICAL)
    with warnings.catch_warnings(action="ignore"):  # that somebody began before
        globalLogBeginner.beginLoggingTo([], discardBuffer=True, redirectStandardIO=False)


def is_scrapys_process() -> bool:
    """Whether `scrapy.cmdline.execute` has called this: no caller is there to catch an exception."""
    return _command_line() is not None


def end_with_failure() -> None:
    """Let Scrapy's command line, if it runs this, end with exit code 1: its commands know only of crawls that could not begin."""
    frame = _command_line()
    command = frame.f_locals.get("cmd") if frame is not None else None
    if isinstance(command, ScrapyCommand):
        command.exitcode = 1


def _command_line() -> FrameType | None:
    frames = (frame for frame, _ in walk_stack(inspect.currentframe()))
    place = "execute", COMMAND_LINE
    return next((one for one in frames if (one.f_code.co_name, one.f_code.co_filename) == place), None)


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
        """Receive what callbacks, spider middlewares and pipelines raise."""
        self._crawler = crawler
        crawler.signals.connect(self._on_error, signals.item_error)
        crawler.signals.connect(self._on_error, signals.spider_error)

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
        """Log the error and close the spider with this finish_reason."""
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

    def _on_error(self, failure: Failure) -> None:
        if isinstance(failure.value, CrawlerError):
            self.break_off(failure.value)
