"""The live progress line: how many pages, how many kept, how well it goes, what is left."""

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

from topiccrawler.crawling.harvest_counter import HarvestCounter
from topiccrawler.engine.runtime import Runtime, needed_runtime

if TYPE_CHECKING:
    from tqdm import tqdm

logger = logging.getLogger(__name__)
LIVE_SECONDS = 0.5
KNOWN_END = "{n_fmt}/{total_fmt} pages, {remaining} left, {rate_noinv_fmt}{postfix}  {bar}"
OPEN_END = "{n_fmt} pages, {elapsed}, {rate_noinv_fmt}{postfix}  {bar}"  # {bar}: without it nothing is cut to the width


@dataclass(eq=False)
class Progress:
    """On a terminal one line that changes in place, with log lines above it; elsewhere a log line now and then."""

    line: Callable[[], str]  # for a log
    brief: Callable[[], str]  # for a terminal, behind the pages and their rate
    harvest: HarvestCounter
    pages: int | None  # how many will be fetched, if known
    seconds: float
    live: bool
    _bar: tqdm[Any] | None = None
    _stream: Any = None
    _loop: AsyncioLoopingCall | LoopingCall | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = crawler.settings.getfloat("TOPIC_PROGRESS_SECONDS", 30.0)
        if seconds <= 0:
            raise NotConfigured("TOPIC_PROGRESS_SECONDS is 0")
        live = sys.stderr.isatty() and not crawler.settings.get("LOG_FILE")
        runtime = needed_runtime(crawler)
        own = getattr(crawler.spider, "progress_line", None)  # of a spider that collects something else
        line = own or partial(progress_line, runtime)
        brief = partial(brief_line, runtime) if own is None else partial(_behind_pages, own)
        seconds = LIVE_SECONDS if live else seconds
        extension = cls(line, brief, runtime.harvest, runtime.params.pages, seconds, live)
        crawler.signals.connect(extension.started, signals.engine_started)
        crawler.signals.connect(extension.stopped, signals.spider_closed)
        return extension

    def started(self) -> None:
        """The crawl is under way."""
        if self.live:
            from tqdm import tqdm  # only a terminal needs it

            self._bar = tqdm(
                total=self.pages,
                initial=self.harvest.pages,  # of earlier runs: the rate is of this one
                bar_format=KNOWN_END if self.pages else OPEN_END,
                unit="",
                dynamic_ncols=True,
                file=sys.stderr,
            )
            handler = get_scrapy_root_handler()
            if isinstance(handler, logging.StreamHandler):
                self._stream = handler.setStream(_AboveBar(handler.stream))
        self._loop = create_looping_call(self.show)
        self._loop.start(self.seconds, now=False)

    def stopped(self) -> None:
        """Show the last state and give the terminal back."""
        if self._loop is not None and self._loop.running:
            self._loop.stop()
            self.show()
        if self._bar is not None:
            self._bar.close()
            handler = get_scrapy_root_handler()
            if self._stream is not None and isinstance(handler, logging.StreamHandler):
                handler.setStream(self._stream)

    def show(self) -> None:
        """One line of progress."""
        if self._bar is None:
            logger.info("%s", self.line())
        else:
            self._bar.n = self.harvest.pages
            self._bar.set_postfix_str(self.brief())


def progress_line(runtime: Runtime) -> str:
    """Pages, kept, harvest rate over the job and over the last pages of this run, URLs waiting, hosts known."""
    harvest, recently = runtime.harvest, ""
    if harvest.recent_pages:
        recently = f" (last {harvest.recent_pages}: {harvest.recent_harvest_rate:.2f})"
    return (
        f"{harvest.pages} pages, {harvest.kept} kept, harvest rate {harvest.harvest_rate:.2f}{recently}"
        f", {len(runtime.frontier)} queued, {len(runtime.hosts)} hosts"
    )


def brief_line(runtime: Runtime) -> str:
    """The same without pages and hosts, for a terminal of 80 columns."""
    harvest, recently = runtime.harvest, ""
    if harvest.recent_pages:
        recently = f" (last {harvest.recent_pages}: {harvest.recent_harvest_rate:.0%})"
    return f"{harvest.kept} kept = {harvest.harvest_rate:.0%}{recently}, {len(runtime.frontier)} queued"


def _behind_pages(line: Callable[[], str]) -> str:
    return line().partition(", ")[2]


class _AboveBar:
    """A stream that writes whole lines above the progress bar."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        from tqdm import tqdm

        if text.strip():
            tqdm.write(text.rstrip("\n"), file=self._stream)

    def flush(self) -> None:
        self._stream.flush()
