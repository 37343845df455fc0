"""How a leased request ends, of the some fifteen ways it can, several of them silent.

The engine never signals to a scheduler that a request is finished. A lease must end exactly once, and only when its links are
queued *and* each of its items is stored or dropped. Five hooks see the ends: the request's errback, the outermost spider
middleware, the item signals, the spider_error signal, and the request coming back as a retry or a redirect. Here are the leases under way
and the signal handlers that report to them. A sweep finds what slipped through all of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from scrapy import Request, signals
from scrapy.core.engine import ExecutionEngine
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from topiccrawler.crawling.crawl import Fetch, Outcome
from topiccrawler.engine.download_failures import reason_of
from topiccrawler.engine.log_formatter import FAILED
from topiccrawler.engine.pausing import HeldBackError
from topiccrawler.errors import CrawlerError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.items import PageItem, is_page

logger = logging.getLogger(__name__)

OFF_TOPIC = "off topic"  # why pages are dropped that are under the page threshold
META = "topic_lease"  # the lease's number in request.meta
GATE_REFUSED = "topic/gate/refused"  # stat


@dataclass(slots=True, kw_only=True)
class Lease(Fetch):
    """A fetch, and what is known of its end in Scrapy's engine."""

    number: int
    host: str  # where its request goes; another host after a redirect
    holds_slot: bool = False  # of `host`, occupied by the request queue
    moving: bool = False  # on its way back to the scheduler as a retry or redirect
    items: int = 0  # items that left the spider
    settled_items: int = 0  # items stored, dropped or failed
    kept_items: int = 0  # pages among them
    kept_format: str = ""  # of a page that was kept
    kept_copy: bool = False
    iterated: bool = False  # the callback is exhausted
    drop_reason: str = ""
    missing_since: float | None = None  # when the sweep first did not find it

    @property
    def is_relevant(self) -> bool:
        """Its page reached the page threshold, whether it was stored or is a copy; without a page among its items, as the strategy
        was notified."""
        if self.page is None or not (self.kept_items or self.drop_reason):
            return self.page is not None and self.page.is_target
        return self.kept_items > 0 or self.drop_reason != OFF_TOPIC

    def outcome(self, state: State, reason: str) -> Outcome:
        """How it ended, with what became of its page."""
        return Outcome(state, reason, self.is_relevant, self.kept_format, self.kept_copy)

    def release_slot(self, hosts: Hosts, now: float) -> None:
        """Release the slot that the request queue occupied."""
        if self.holds_slot:
            hosts.done(self.host, now)
            self.holds_slot = False


OnEnd = Callable[[Lease, State, str], None]


class Leases:
    """The open leases. Each is ended once, by `on_end(lease, state, reason)`."""

    def __init__(self, on_end: OnEnd) -> None:
        self._open: dict[int, Lease] = {}
        self._next = 0
        self._on_end = on_end

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Lease]:
        return iter(list(self._open.values()))

    def begin(self, fetch: Fetch) -> Lease:
        """Open a lease for a row of the crawl, and number it."""
        self._next += 1
        leased = fetch.leased
        lease = Lease(leased, fetch.decision, due=fetch.due, number=self._next, host=leased.link.host)
        self._open[self._next] = lease
        return lease

    def get(self, number: object) -> Lease | None:
        """The open lease of that number."""
        return self._open.get(number) if isinstance(number, int) else None

    def of(self, request: Request) -> Lease | None:
        """The open lease of a request."""
        return self.get(request.meta.get(META))

    def broke(self, lease: Lease, reason: str) -> None:
        """Its callback raised; items it yielded before still come through the pipelines."""
        lease.error = lease.error or reason
        self.iterated(lease)

    def iterated(self, lease: Lease) -> None:
        """Its callback is exhausted."""
        lease.iterated = True
        self._settle(lease)

    def item_settled(
        self, lease: Lease, *, kept: bool = False, drop_reason: str = "", error: str = ""
    ) -> None:
        """One of its items left the pipelines."""
        lease.settled_items += 1
        lease.kept_items += kept
        lease.drop_reason = lease.drop_reason or drop_reason
        lease.error = lease.error or error
        self._settle(lease)

    def drop_all(self) -> list[Lease]:
        """Forget what is still open, and return it: the crawl closes."""
        left = list(self._open.values())
        self._open.clear()
        return left

    def sweep(self, under_way: Iterable[object], now: float, patience_seconds: float) -> int:
        """End the leases that the engine no longer knows. `under_way`: the lease numbers it does know.

        A lease must be missed twice, `patience_seconds` apart, since requests change hands between two ticks.
        """
        known = set(under_way)
        swept = 0
        for lease in self:
            if lease.number in known:
                lease.missing_since = None
            elif lease.missing_since is None:
                lease.missing_since = now
            elif now - lease.missing_since >= patience_seconds:
                swept += 1
                self.end(lease, State.DISCARDED, "replaced by another component")
        return swept

    def _settle(self, lease: Lease) -> None:
        if not lease.iterated or lease.settled_items < lease.items:
            return
        if lease.error:
            self.end(lease, State.ERROR, lease.error)
        elif lease.kept_items:
            self.end(lease, State.COMPLETED, "kept")
        else:
            self.end(lease, State.DISCARDED, lease.drop_reason or "no page")

    def end(self, lease: Lease, state: State, reason: str) -> None:
        """It ends; what has ended stays so."""
        if self._open.pop(lease.number, None) is not None:
            self._on_end(lease, state, reason)

    # Signal handlers and the errback of leased requests. Nothing here decides; it translates.

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
        return None if response is None or response.request is None else self.of(response.request)

    def failed(self, failure: Failure) -> Failure:
        """Errback of every leased request. The failure goes on, so that Scrapy's log and stats stay right."""
        request: Request | None = getattr(failure, "request", None)
        lease = self.of(request) if request is not None else None
        error = failure.value
        if lease is None or isinstance(error, HeldBackError):  # a closing crawl puts back what is leased
            return failure
        if isinstance(error, HttpError):
            lease.status = error.response.status
            self.end(lease, State.ERROR, f"http {lease.status}")
        elif (reason := reason_of(error)) is not None:
            if isinstance(error, IgnoreRequest):  # of which Scrapy says nothing
                logger.info(FAILED, {"url": lease.leased.link.url, "reason": reason})
            self.end(lease, State.ERROR, reason)
        elif isinstance(error, IgnoreRequest):
            self.end(lease, State.DISCARDED, _reason(error) or "ignored")
        else:
            self.end(lease, State.ERROR, type(error).__name__)
        return failure

    def end_lost_moves(self) -> None:
        """A retry or redirect that was announced but never came back was dropped by another component."""
        for lease in self:
            if lease.moving:
                self.end(lease, State.DISCARDED, "redirect dropped")

    def sweep_behind(
        self, engine: ExecutionEngine, queued: Iterable[Request], now: float, patience_seconds: float
    ) -> int:
        """End leases the engine no longer knows. Returns how many; anything but 0 is worth a look."""
        if engine.scraper.slot is None or not len(self):
            return 0
        slot = engine.scraper.slot
        requests = (*engine.downloader.active, *slot.active, *(entry[1] for entry in slot.queue), *queued)
        return self.sweep((request.meta.get(META) for request in requests), now, patience_seconds)

    def _scheduled(self, request: Request) -> None:
        if (lease := self.of(request)) is not None:
            lease.moving = True

    def _item_scraped(self, item: Any, response: Response | None) -> None:
        if (lease := self.lease_of(response)) is not None:
            if isinstance(item, PageItem):
                lease.kept_format, lease.kept_copy = item.format, bool(item.alias_of)
            self.item_settled(lease, kept=is_page(item))

    def _item_dropped(self, item: Any, response: Response | None, exception: BaseException) -> None:
        if (lease := self.lease_of(response)) is not None:
            reason = _reason(exception) or "dropped" if is_page(item) else ""
            self.item_settled(lease, drop_reason=reason)

    def _item_error(self, response: Response | None, failure: Failure) -> None:
        if (lease := self.lease_of(response)) is not None and not isinstance(failure.value, CrawlerError):
            self.item_settled(lease, error=f"pipeline: {type(failure.value).__name__}")

    def _spider_error(self, failure: Failure, response: Response | None) -> None:
        if (lease := self.lease_of(response)) is not None and not isinstance(failure.value, CrawlerError):
            self.broke(lease, f"callback: {type(failure.value).__name__}")


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
