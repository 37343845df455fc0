"""Reports requests without an answer to the crawl's outages, and sends their probes.

`OutageMiddleware` sees every request that fails: for pages, robots.txt, and whatever else a project sends. Responses are reported by
engine.politeness.

`Prober` asks a host that has answered before for its robots.txt, when a probe is due (crawling.outages). No request leaves the scheduler
meanwhile, so it wakes the engine when the network is back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Self

from scrapy import Request, signals
from scrapy.core.engine import ExecutionEngine
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.asyncio import CallLaterResult, call_later
from scrapy.utils.defer import deferred_from_coro

from topiccrawler.crawling.outages import Outages
from topiccrawler.engine.download_failures import PASSING, reason_of, way_of
from topiccrawler.engine.opening import needed_crawl
from topiccrawler.engine.politeness import PROBE, ROBOTS, host_key
from topiccrawler.engine.waking import WAKE

TIMEOUT_SECONDS = 10.0  # of a probe


class Prober:
    """Sends the probes of one crawl, one at a time. `engine`: a function, because Scrapy makes the engine after the middlewares."""

    def __init__(
        self, engine: Callable[[], ExecutionEngine], outages: Outages, clock: Callable[[], float]
    ) -> None:
        self._engine, self._outages, self._clock = engine, outages, clock
        self._timer: CallLaterResult | None = None
        self._due: float | None = None  # what the timer is set to
        self._closed = False

    def check(self) -> None:
        """Set the timer for the next probe, if there is one."""
        due = self._outages.next_probe()
        if due == self._due or self._closed:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._due, self._timer = due, None
        if due is not None:
            self._timer = call_later(max(0.0, due - self._clock()), self._begin)

    def close(self) -> None:
        """Send no more probes."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    def _begin(self) -> None:
        self._timer = self._due = None
        found = None if self._closed else self._outages.probe(self._clock())
        if found is not None:
            deferred_from_coro(self._probe(*found))
        self.check()

    async def _probe(self, way: str, root: str) -> None:
        meta = {
            PROBE: True,
            "dont_obey_robotstxt": True,
            "dont_redirect": True,
            "dont_retry": True,
            "dont_cache": True,
            "download_timeout": TIMEOUT_SECONDS,
        }
        with suppress(Exception):  # the middleware reports it; a damaged note may have a root that is no URL
            request = Request(f"{root}/robots.txt", dont_filter=True, meta=meta)
            await self._engine().download_async(request)
        self._outages.probed(way, self._clock())
        if not self._closed:
            self.check()
            if not self._outages.stops and self._engine().spider is not None:
                self._engine().crawl(WAKE)


class OutageMiddleware:
    """Downloader middleware (950, next to the downloader): reports failures, and has a probe sent when they need one."""

    def __init__(self, outages: Outages, clock: Callable[[], float], prober: Prober) -> None:
        self._outages, self._clock, self._prober = outages, clock, prober

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = needed_crawl(crawler)
        prober = Prober(lambda: crawler.engine, crawl.outages, crawl.clock)
        crawler.signals.connect(prober.close, signals.spider_closed)
        return cls(crawl.outages, crawl.clock, prober)

    def process_exception(self, request: Request, exception: Exception) -> None:
        reason = reason_of(exception)
        if reason is not None and (sign := PASSING.get(reason)) is not None:
            is_robots = ROBOTS in request.meta
            host, way = host_key(request), way_of(request)
            self._outages.failed(host, reason, sign, self._clock(), way=way, is_robots=is_robots)
            self._prober.check()

    def process_response(self, request: Request, response: Response) -> Response:
        self._prober.check()  # a page that arrives while the network seems away
        return response
