"""Shows a line with pages, pages kept, harvest rate and what is left."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from scrapy.utils.log import get_scrapy_root_handler
from twisted.internet.task import LoopingCall

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.harvest import HarvestCounter
from topiccrawler.engine.opening import needed_crawl
from topiccrawler.engine.queue_stats import QueueStats

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    from tqdm import tqdm

LIVE_SECONDS = 0.5
KNOWN_END = "{n_fmt}/{total_fmt} pages, {remaining} left, {rate_noinv_fmt}{postfix}  {bar}"
OPEN_END = "{n_fmt} pages, {elapsed}, {rate_noinv_fmt}{postfix}  {bar}"  # {bar}: without it nothing is cut to the width


@dataclass(eq=False)
class Progress:
    """Scrapy extension that shows progress: on a terminal a line that is updated in place, below the log; elsewhere a log line every
    `seconds`."""

    line: Callable[[], str]  # text for a log
    brief: Callable[[], str]  # text for a terminal, after the number of pages and their rate
    harvest: HarvestCounter
    pages: int | None  # how many will be fetched; None = not known
    seconds: float  # between two updates
    live: bool  # on a terminal
    _bar: tqdm[Any] | None = None
    _stream: Any = None
    _loop: AsyncioLoopingCall | LoopingCall | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        if seconds <= 0:
            raise NotConfigured("LOGSTATS_INTERVAL is 0")
        live = sys.stderr.isatty() and not crawler.settings.get("LOG_FILE")
        crawl = needed_crawl(crawler)
        own = getattr(crawler.spider, "progress_line", None)  # a spider that collects something else has it
        line = own or partial(progress_line, crawl, partial(_has_our_queue, crawler))
        brief = partial(brief_line, crawl) if own is None else partial(_behind_pages, own)
        seconds = LIVE_SECONDS if live else seconds
        extension = cls(line, brief, crawl.harvest, crawl.limits.pages, seconds, live)
        crawler.signals.connect(extension.started, signals.engine_started)
        crawler.signals.connect(extension.stopped, signals.spider_closed)
        return extension

    def started(self) -> None:
        """Start the periodic update, and on a terminal the progress bar."""
        if self.live:
            from tqdm import tqdm  # only a terminal needs it
            from tqdm.contrib import DummyTqdmFile  # writes whole lines above the bar

            self._bar = tqdm(
                total=self.pages,
                initial=self.harvest.pages,  # of earlier runs, so that the rate is that of this run
                bar_format=KNOWN_END if self.pages else OPEN_END,
                unit="",
                dynamic_ncols=True,
                file=sys.stderr,
            )
            handler = get_scrapy_root_handler()
            if isinstance(handler, logging.StreamHandler):
                self._stream = handler.setStream(DummyTqdmFile(handler.stream))
        self._loop = create_looping_call(self.show)
        self._loop.start(self.seconds, now=False)

    def stopped(self) -> None:
        """Show the final state, stop the updates and remove the progress bar."""
        if self._loop is not None and self._loop.running:
            self._loop.stop()
            self.show()
        if self._bar is not None:
            self._bar.close()
            handler = get_scrapy_root_handler()
            if self._stream is not None and isinstance(handler, logging.StreamHandler):
                handler.setStream(self._stream)

    def show(self) -> None:
        """Log the progress line, or update the progress bar."""
        if self._bar is None:
            logger.info("%s", self.line())
        else:
            self._bar.n = self.harvest.pages
            self._bar.set_postfix_str(self.brief())


def harvest_line(crawl: Crawl) -> str:
    """The part of the progress line for a log that is about fetched pages: pages, kept pages, harvest rate of the job and of the last pages
    of this run."""
    harvest, recently = crawl.harvest, ""
    if harvest.recent_pages:
        recently = f" (last {harvest.recent_pages}: {harvest.recent_harvest_rate:.2f})"
    return f"{_away(crawl)}{harvest.pages} pages, {harvest.kept} kept, harvest rate {harvest.harvest_rate:.2f}{recently}"


def progress_line(crawl: Crawl, has_our_queue: Callable[[], bool] = lambda: True) -> str:
    """The progress line for a log: `harvest_line`, and of a queue of ours the waiting URLs, known hosts, and the estimated number of relevant
    pages in it; at the end the kept pages by kind."""
    if not has_our_queue():
        return f"{harvest_line(crawl)}{_kinds(crawl)}"
    waiting, hosts = crawl.frontier.look().waiting(), len(crawl.hosts)
    return f"{harvest_line(crawl)}, {waiting} queued, {hosts} hosts{_relevant_waiting(crawl, ', about {} relevant pages wait')}{_kinds(crawl)}"


def _has_our_queue(crawler: Crawler) -> bool:
    """Whether the scheduler is ours, so that it has QueueStats; the scheduler cannot be imported here."""
    return isinstance(getattr(crawler.engine.scheduler, "queue_stats", None), QueueStats)


def brief_line(crawl: Crawl) -> str:
    """The progress line without pages and hosts, for a terminal of 80 columns."""
    harvest, recently = crawl.harvest, ""
    if harvest.recent_pages:
        recently = f" (last {harvest.recent_pages}: {harvest.recent_harvest_rate:.0%})"
    articles = f" ({harvest.articles} articles)" if harvest.kinds else ""
    return f"{_away(crawl)}{harvest.kept} kept{articles} = {harvest.harvest_rate:.0%}{recently}, {crawl.frontier.look().waiting()} queued{_relevant_waiting(crawl, ' (about {} relevant)')}"


def _kinds(crawl: Crawl) -> str:
    by_kind = crawl.harvest.by_kind()
    return f"; kept: {by_kind}" if by_kind else ""


def _relevant_waiting(crawl: Crawl, words: str) -> str:
    found = crawl.estimator.estimate()
    return "" if found is None else words.format(round(found.relevant))


def _away(crawl: Crawl) -> str:
    away = crawl.outages.line(crawl.clock())
    return f"{away}; " if away else ""


def _behind_pages(line: Callable[[], str]) -> str:
    return line().partition(", ")[2]
