"""Tells the leases what a page gives, and when it has given all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from topiccrawler.engine.leases import GATE
from topiccrawler.engine.runtime import needed_runtime
from topiccrawler.engine.scheduler import FocusedScheduler, focused_scheduler
from topiccrawler.errors import CrawlerError

LONGEST_HEADER = 200  # bytes


class LeaseEndMiddleware:
    """Spider middleware (10, outside all others): counts what a leased page gives and sees that it has given all.

    `scheduler`: the crawl's, when it is ours; Scrapy makes it after the middlewares.
    """

    def __init__(self, scheduler: Callable[[], FocusedScheduler | None]) -> None:
        self._scheduler = scheduler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        needed_runtime(crawler)  # other spiders have no leases
        return cls(partial(focused_scheduler, crawler))

    def process_spider_input(self, response: Response) -> None:
        scheduler = self._scheduler()
        if scheduler is not None and (lease := scheduler.lease_signals.lease_of(response)) is not None:
            lease.status = response.status
            lease.etag, lease.modified = _header(response, "ETag"), _header(response, "Last-Modified")
            lease.gate = response.meta.get(GATE, lease.gate)

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        scheduler = self._scheduler()
        lease = scheduler.lease_signals.lease_of(response) if scheduler is not None else None
        async for output in result:
            if lease is not None and not isinstance(output, Request):
                lease.items += 1
            yield output
        if scheduler is not None and lease is not None:
            scheduler.leases.iterated(lease)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        scheduler = self._scheduler()
        if scheduler is None:
            return
        if isinstance(exception, CrawlerError):
            scheduler.faults.break_off(exception)
        elif (lease := scheduler.lease_signals.lease_of(response)) is not None:
            scheduler.leases.broke(lease, f"callback: {type(exception).__name__}")


def _header(response: Response, name: str) -> str:
    """A header as text; empty when it is too long to be sent back."""
    value = response.headers.get(name) or b""
    return value.decode("latin-1").strip() if len(value) <= LONGEST_HEADER else ""
