"""Tracks the leased requests under way and finds out how each of them ends.

A request can end in some fifteen ways, several of them without a signal. Scrapy's engine never notifies a scheduler that a request is
finished. Yet a lease must end exactly once, and only when its links are queued *and* each of its items is stored or dropped. Five hooks see
the ends: the request's errback, the outermost spider middleware, the item signals, the spider_error signal, and the request coming back as
a retry or a redirect. A periodic sweep ends the leases that all hooks have missed.

`Lease` is the state of one leased request.

`Leases` holds the open leases, and the signal handlers and the errback that update them.
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

from topiccrawler.crawling.fetch import Fetch, Outcome
from topiccrawler.crawling.outages import passes, status_reason
from topiccrawler.crawling.page_filter import OFF_TOPIC
from topiccrawler.engine.download_failures import PASSING, reason_of, way_of
from topiccrawler.engine.log_formatter import FAILED
from topiccrawler.engine.pausing import HeldBackError
from topiccrawler.errors import CrawlerError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.items import is_page, page_of
from topiccrawler.pages.kinds import kind_of_text

logger = logging.getLogger(__name__)

META = "topic_lease"  # key of the lease's number in request.meta


class PostponedError(IgnoreRequest):
    """Raised in place of a request that must not be sent now: the URL of its lease keeps waiting, and nothing counts against it."""


@dataclass(slots=True, kw_only=True)
class Lease(Fetch):
    """A fetch with the state of its request in Scrapy's engine."""

    number: int
    host: str  # host that the request is sent to; changes with a redirect
    holds_slot: bool = False  # whether the request queue occupied a slot of `host` for it
    moving: bool = False  # the request is on its way back to the scheduler as a retry or redirect
    items: int = 0  # items that left the spider
    settled_items: int = 0  # items stored, dropped or failed
    kept_items: int = 0  # stored pages
    kept_format: str = ""  # this and `kept_kind`: of the stored page
    kept_kind: str = ""
    kept_copy: bool = False  # the stored page is an alias of another one
    iterated: bool = False  # the callback's output is exhausted
    drop_reason: str = ""
    not_followed: str = ""  # the robots tag by which the page's links were not queued
    missing_since: float | None = None  # when a sweep first did not find it in the engine

    @property
    def is_relevant(self) -> bool:
        """Whether the page reached the page threshold, also when it is a copy and was not stored. Without a page among the items it is
        the value that the strategy was notified of."""
        if self.page is None or not (self.kept_items or self.drop_reason):
            return self.page is not None and self.page.is_target
        return self.kept_items > 0 or self.drop_reason != OFF_TOPIC

    def outcome(self, state: State, reason: str) -> Outcome:
        """The outcome for the crawl: final state and reason of the URL, and what became of its page."""
        if self.not_followed:
            reason = f"{reason}; links not followed: {self.not_followed}"
        return Outcome(state, reason, self.is_relevant, self.kept_format, self.kept_kind, self.kept_copy)

    def release_slot(self, hosts: Hosts, now: float) -> None:
        """Release the slot of the host, if the request queue occupied one for this lease."""
        if self.holds_slot:
            hosts.done(self.host, now)
            self.holds_slot = False


OnEnd = Callable[[Lease, State, str], None]


OnPostpone = Callable[[Lease], None]
OnFailure = Callable[[Lease, str, str], None]


class Leases:
    """The open leases. `on_end(lease, state, reason)` is called exactly once for each lease that ends, `on_postpone(lease)` for each
    that returns to the queue, `on_failure(lease, reason, way)` for each whose URL is to be tried again (crawling.outages)."""

    def __init__(
        self,
        on_end: OnEnd,
        on_postpone: OnPostpone = lambda _: None,
        on_failure: OnFailure = lambda *_: None,
    ) -> None:
        self._open: dict[int, Lease] = {}
        self._next = 0
        self._on_end, self._on_postpone, self._on_failure = on_end, on_postpone, on_failure

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Lease]:
        return iter(list(self._open.values()))

    def begin(self, fetch: Fetch) -> Lease:
        """Open a lease for a fetch, with the next free number."""
        self._next += 1
        leased = fetch.leased
        lease = Lease(leased, fetch.decision, due=fetch.due, number=self._next, host=leased.link.host)
        self._open[self._next] = lease
        return lease

    def get(self, number: object) -> Lease | None:
        """The open lease of that number; None if there is none."""
        return self._open.get(number) if isinstance(number, int) else None

    def of(self, request: Request) -> Lease | None:
        """The open lease of a request; None for a request without one."""
        return self.get(request.meta.get(META))

    def broke(self, lease: Lease, reason: str) -> None:
        """Record that the callback raised an exception. Items that it yielded before are still in the pipelines, so the lease may stay
        open."""
        lease.error = lease.error or reason
        self.iterated(lease)

    def iterated(self, lease: Lease) -> None:
        """Record that the callback's output is exhausted; end the lease if all its items are settled."""
        lease.iterated = True
        self._settle(lease)

    def item_settled(
        self, lease: Lease, *, kept: bool = False, drop_reason: str = "", error: str = ""
    ) -> None:
        """Record that an item of the lease left the pipelines; end the lease if it was the last."""
        lease.settled_items += 1
        lease.kept_items += kept
        lease.drop_reason = lease.drop_reason or drop_reason
        lease.error = lease.error or error
        self._settle(lease)

    def drop_all(self) -> list[Lease]:
        """Remove and return all open leases without ending them, when the crawl closes."""
        left = list(self._open.values())
        self._open.clear()
        return left

    def sweep(self, under_way: Iterable[object], now: float, patience_seconds: float) -> int:
        """End the leases that are in no queue of the engine, and return how many. `under_way`: the lease numbers in its queues.

        A lease must be missing twice, `patience_seconds` apart, because a request may be between two queues for a moment.
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
        """End an open lease; no effect on one that has ended."""
        if self.close(lease):
            self._on_end(lease, state, reason)

    def close(self, lease: Lease) -> bool:
        """Remove a lease without notifying anyone; False if it was not open."""
        return self._open.pop(lease.number, None) is not None

    def postpone(self, lease: Lease) -> None:
        """Return the URL of an open lease to the queue, with its score; no effect on a lease that has ended."""
        if self.close(lease):
            self._on_postpone(lease)

    def fail(self, lease: Lease, reason: str, way: str) -> None:
        """Return the URL of an open lease to the queue, to be tried again; a page that is only checked again ends. No effect on a lease
        that has ended."""
        if lease.due is not None:
            self.end(lease, State.ERROR, reason)
        elif self._open.pop(lease.number, None) is not None:
            self._on_failure(lease, reason, way)

    # Signal handlers and the errback of leased requests. They translate Scrapy's events to the methods above.

    def connect(self, crawler: Crawler) -> None:
        """Connect the signal handlers. Scrapy holds handlers by weak references, so the caller must keep this object."""
        for handler, signal in (
            (self._scheduled, signals.request_scheduled),
            (self._item_scraped, signals.item_scraped),
            (self._item_dropped, signals.item_dropped),
            (self._item_error, signals.item_error),
            (self._spider_error, signals.spider_error),
        ):
            crawler.signals.connect(handler, signal)

    def lease_of(self, response: Response | None) -> Lease | None:
        """The open lease that a response belongs to; None if there is none."""
        return None if response is None or response.request is None else self.of(response.request)

    def failed(self, failure: Failure) -> Failure:
        """Errback of every leased request: end its lease. The failure is returned, so that Scrapy's log and stats stay correct."""
        request: Request | None = getattr(failure, "request", None)
        lease = self.of(request) if request is not None else None
        error = failure.value
        if request is None or lease is None:
            return failure
        if isinstance(error, HeldBackError):  # a closing crawl releases its open leases
            return failure
        if isinstance(error, PostponedError):
            self.postpone(lease)
        elif isinstance(error, HttpError):
            lease.status = error.response.status
            reason = status_reason(lease.status)
            if passes(lease.status):
                self.fail(lease, reason, way_of(request))
            else:
                self.end(lease, State.ERROR, reason)
        elif (found := reason_of(error)) is not None:
            if isinstance(error, IgnoreRequest):  # Scrapy does not log these
                logger.info(FAILED, {"url": lease.leased.link.url, "reason": found})
            if found in PASSING:
                self.fail(lease, found, way_of(request))
            else:
                self.end(lease, State.ERROR, found)
        elif isinstance(error, IgnoreRequest):
            self.end(lease, State.DISCARDED, _reason(error) or "ignored")
        else:
            self.end(lease, State.ERROR, type(error).__name__)
        return failure

    def end_lost_moves(self) -> None:
        """End the leases whose retry or redirect was announced but did not reach the scheduler: another component dropped the request."""
        for lease in self:
            if lease.moving:
                self.end(lease, State.DISCARDED, "redirect dropped")

    def sweep_behind(
        self, engine: ExecutionEngine, queued: Iterable[Request], now: float, patience_seconds: float
    ) -> int:
        """Run a sweep over the queues of the engine and `queued`, and return how many leases it ended. More than 0 hints at a component
        that loses requests."""
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
            if (page := page_of(item)) is not None:
                lease.kept_format, lease.kept_copy = page.format, bool(page.alias_of)
                lease.kept_kind = page.kind or kind_of_text(page.text)
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
