"""Signal handlers that report to the leases how leased requests end (engine.leases says why it takes five hooks)."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from scrapy import Request, signals
from scrapy.core.engine import ExecutionEngine
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from topiccrawler.engine.download_faults import reason_of
from topiccrawler.engine.leases import META, Lease, Leases
from topiccrawler.engine.log_formatter import FAILED
from topiccrawler.engine.pause import HeldBackError
from topiccrawler.errors import CrawlerError
from topiccrawler.frontier.base import State
from topiccrawler.items import PageItem

logger = logging.getLogger(__name__)


class LeaseSignals:
    """Signal handlers and the errback of leased requests. Nothing here decides; it translates."""

    def __init__(self, leases: Leases) -> None:
        self._leases = leases

    def connect(self, crawler: Crawler) -> None:
        """Listen to the engine. Signals hold their handlers weakly, so this object must be kept."""
        for handler, signal in (
            (self._scheduled, signals.request_scheduled),
            (self._item_scraped, signals.item_scraped),
            (self._item_dropped, signals.item_dropped),
            (self._item_error, signals.item_error),
            (self._spider_error, signals.spider_error),
        ):
            crawler.signals.connect(handler, signal)

    def lease_of(self, response: Response | None) -> Lease | None:
        """The open lease a response belongs to."""
        request = response.request if response is not None else None
        return self._leases.get(request.meta.get(META)) if request is not None else None

    def failed(self, failure: Failure) -> Failure:
        """Errback of every leased request. The failure goes on, so that Scrapy's log and stats stay right."""
        request: Request | None = getattr(failure, "request", None)
        lease = self._leases.get(request.meta.get(META)) if request is not None else None
        error = failure.value
        if lease is None or isinstance(
            error, HeldBackError
        ):  # a closing crawl puts back what is still leased
            return failure
        if isinstance(error, HttpError):
            lease.status = error.response.status
            self._leases.end(lease, State.ERROR, f"http {lease.status}")
        elif (reason := reason_of(error)) is not None:
            if isinstance(error, IgnoreRequest):  # of which Scrapy says nothing
                logger.info(FAILED, {"url": lease.leased.link.url, "reason": reason})
            self._leases.end(lease, State.ERROR, reason)
        elif isinstance(error, IgnoreRequest):
            self._leases.end(lease, State.DISCARDED, _reason(error) or "ignored")
        else:
            self._leases.end(lease, State.ERROR, type(error).__name__)
        return failure

    def end_lost_moves(self) -> None:
        """A retry or redirect that was announced but never came back was dropped by another component."""
        for lease in self._leases:
            if lease.moving:
                self._leases.end(lease, State.DISCARDED, "redirect dropped")

    def sweep(
        self, engine: ExecutionEngine, queued: Iterable[Request], now: float, patience_seconds: float
    ) -> int:
        """End leases the engine no longer knows. Returns how many; anything but 0 is worth a look."""
        if engine.scraper.slot is None or not len(self._leases):
            return 0
        slot = engine.scraper.slot
        requests = (*engine.downloader.active, *slot.active, *(entry[1] for entry in slot.queue), *queued)
        return self._leases.sweep((request.meta.get(META) for request in requests), now, patience_seconds)

    def _scheduled(self, request: Request) -> None:
        if (lease := self._leases.get(request.meta.get(META))) is not None:
            lease.moving = True

    def _item_scraped(self, item: Any, response: Response | None) -> None:
        if (lease := self.lease_of(response)) is not None:
            if isinstance(item, PageItem):
                lease.kept_format, lease.kept_copy = item.format, bool(item.alias_of)
            self._leases.item_settled(lease, kept=True)

    def _item_dropped(self, response: Response | None, exception: BaseException) -> None:
        if (lease := self.lease_of(response)) is not None:
            self._leases.item_settled(lease, drop_reason=_reason(exception) or "dropped")

    def _item_error(self, response: Response | None, failure: Failure) -> None:
        if (lease := self.lease_of(response)) is not None and not isinstance(failure.value, CrawlerError):
            self._leases.item_settled(lease, error=f"pipeline: {type(failure.value).__name__}")

    def _spider_error(self, failure: Failure, response: Response | None) -> None:
        if (lease := self.lease_of(response)) is not None and not isinstance(failure.value, CrawlerError):
            self._leases.broke(lease, f"callback: {type(failure.value).__name__}")


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
