"""Reports the progress of a crawl: a progress line, stats of the queue, and a stored note on why hosts wait.

`QueueStats` sets the stats that explain why nothing happens: why hosts wait, what budgets exclude, how the last refresh went. It stores the
waits of the hosts as a note of the frontier, which `scrapy frontier` reads. A resumed crawl restores from it the back-offs that servers
requested.

`Progress` shows a line with pages, pages kept, harvest rate and what is left.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from scrapy.utils.log import get_scrapy_root_handler
from twisted.internet.task import LoopingCall

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.harvest import HarvestCounter
from topiccrawler.crawling.job_files import NOTE, noted_waits
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.outages import ANSWERED_NOTE, BACK_OFF, CHALLENGED, RETRY_AFTER, Outages
from topiccrawler.engine.opening import needed_crawl
from topiccrawler.frontier.budgets import DOMAIN_PAGES, HOST_PAGES, HOST_UNPRODUCTIVE, UNPROVEN
from topiccrawler.pages.kinds import KINDS
from topiccrawler.text.engines import in_use_with_version
from topiccrawler.urls.canonical import site_of

logger = logging.getLogger(__name__)

BACK_OFFS = (RETRY_AFTER, BACK_OFF, CHALLENGED)  # reasons of waits that servers requested: they outlive a run
_NOTED_HOSTS = 1000
_WORTH_NOTING_SECONDS = 1.0
_REMEDIES = {
    HOST_PAGES: "FRONTIER_HOST_PAGES",
    DOMAIN_PAGES: "FRONTIER_DOMAIN_PAGES",
    HOST_UNPRODUCTIVE: "FRONTIER_HOST_UNPRODUCTIVE_PAGES",
    UNPROVEN: "FRONTIER_UNPROVEN_PAGES",
}
_OF_SITES = (DOMAIN_PAGES, UNPROVEN)  # bounds of a whole site, which may have a host for each page


class QueueStats:
    """The stats of a crawl's queue, hosts, budgets and learning."""

    def __init__(
        self,
        ordering: Ordering,
        harvest: HarvestCounter,
        stats: StatsCollector,
        outages: Outages | None = None,
    ) -> None:
        self._outages = outages or Outages(ordering.frontier.hosts)
        self._ordering, self._frontier = ordering, ordering.frontier
        self._harvest, self._stats = harvest, stats
        self._logged: set[str] = set()  # hosts and sites whose closing was logged
        self._waits: set[str] = set()  # keys of wait reasons that have a stat, which must return to 0

    def restore(self, now: float) -> None:
        """Restore the back-offs that servers requested before the crawl was stopped and that have not run out."""
        self._logged.update(_named(host, reason) for host, reason in self._budgets_closed().items())
        for host, reason, until in noted_waits(self._frontier.notes.get(NOTE)):
            if reason in BACK_OFFS and now < until < inf:
                self._frontier.hosts.back_off(host, until, reason)

    def show(self, now: float) -> None:
        """Set the stats, store the note on the waits of hosts, and log each host or site that a budget has newly closed. O(hosts)."""
        waits = list(self._frontier.hosts.waiting(now))
        counts = dict.fromkeys(self._waits, 0)
        for _, reason, _ in waits:
            counts[wait_key(reason)] = counts.get(wait_key(reason), 0) + 1
        self._waits.update(counts)
        for key, hosts in counts.items():
            self._stats.set_value(f"frontier/waits/{key}", hosts)
        if self._ordering.budgets is not None:
            for kind, urls in self._ordering.budgets.refused.items():
                self._stats.set_value(f"frontier/traps/{kind.replace(' ', '_')}", urls)
        if (listings := self._ordering.listings) is not None and listings.queued_sites:
            self._stats.set_value("topic/listings/sites", listings.queued_sites)
            self._stats.set_value("topic/listings/read", listings.read)
        self._show_learning()
        for host, reason in self._budgets_closed().items():
            if (named := _named(host, reason)) not in self._logged:
                self._logged.add(named)
                logger.info("%s is closed: %s (%s)", named, reason, _REMEDIES[reason])
        long = [wait for wait in waits if wait[2] - now > _WORTH_NOTING_SECONDS]
        long.sort(key=lambda wait: -wait[2])
        noted = [(host, reason, None if until == inf else round(until, 3)) for host, reason, until in long]
        self._frontier.notes.put(NOTE, json.dumps(noted[:_NOTED_HOSTS]))
        self._frontier.notes.put(ANSWERED_NOTE, self._outages.note())
        if self._outages.outages:
            self._stats.set_value("frontier/outages", self._outages.outages)

    def _show_learning(self) -> None:
        """Set the stats of the strategy's learning: the age of its model, and the slices of the last refresh."""
        for key, figure in self._ordering.learning.figures().items():
            self._stats.set_value(key, figure)
        rescoring = self._ordering.rescoring
        if rescoring.slices:
            self._stats.set_value("frontier/rescore/slowest_ms", round(1000 * rescoring.slowest_seconds, 1))

    def finish(self, now: float) -> None:
        """Set the stats that are final when the crawl ends: URLs by state and over a budget, and pages."""
        self.show(now)
        for state, count in self._frontier.look().counts().items():
            self._stats.set_value(f"frontier/urls/{state.value}", count)
        closed = self._budgets_closed()
        if closed:
            over_budget = self._frontier.look().waiting_in(closed)
            self._stats.set_value("frontier/urls/over_budget", over_budget)
            if over_budget:
                text = "%d URLs of %d hosts are over a budget and not asked for; `scrapy frontier` says why"
                logger.info(text, over_budget, len(closed))
        self._stats.set_value("topic/segmenter", in_use_with_version())
        self._stats.set_value("topic/pages", self._harvest.pages)
        self._stats.set_value("topic/kept", self._harvest.kept)
        for kind in KINDS:
            self._stats.set_value(f"topic/kept/{kind}", self._harvest.kinds[kind])

    def _budgets_closed(self) -> dict[str, str]:
        budgets = self._ordering.budgets
        return {} if budgets is None else budgets.closed


def wait_key(reason: str) -> str:
    """The last part of the stats key of a wait reason: `no_robots.txt` for `no robots.txt: http 503`."""
    return reason.partition(":")[0].replace(" ", "_")


def _named(host: str, reason: str) -> str:
    return f"Site {site_of(host)}" if reason in _OF_SITES else f"Host {host}"


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
