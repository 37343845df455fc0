"""The scheduler Scrapy calls: best URL of a host that is ready, one lease at a time.

The conflict: Scrapy's engine asks for a request whenever it has room, but order is lost in the downloader's line, so
only what can start at once may be handed out; and the engine sleeps when it gets nothing, so it must be woken the
moment the next host is ready.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro

from topiccrawler.engine.clock import Clock
from topiccrawler.engine.lease_commit import commit_lease
from topiccrawler.engine.lease_limits import LeaseLimits
from topiccrawler.engine.lease_signals import LeaseSignals
from topiccrawler.engine.leases import META, Lease, Leases
from topiccrawler.engine.politeness import Politeness, host_key
from topiccrawler.engine.queue_stats import QueueStats
from topiccrawler.engine.request_queue import RequestQueue
from topiccrawler.engine.runtime import Runtime
from topiccrawler.engine.wake_timer import WAKE, WakeTimer
from topiccrawler.frontier.base import Leased, Pushed, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link, Page, Via
from topiccrawler.urls.canonical import canonical, host_of

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 10.0
REFUSALS_AT_ONCE = 200  # then the engine has its slot; some 10 ms


class FocusedScheduler(BaseScheduler):
    """Leases rows of the frontier as Requests; keeps other Requests in a request queue under the same host clocks."""

    clock: Clock
    hosts: Hosts
    side: RequestQueue
    politeness: Politeness

    def __init__(self, crawler: Crawler, *, checkpoint_pages: int) -> None:
        self.crawler = crawler
        self.checkpoint_pages = checkpoint_pages
        self.runtime: Runtime | None = None
        self.armed = False  # rows are handed out only after the spider's own start() has sent its seeds
        self.leases = Leases(self._ended)
        self.lease_signals = LeaseSignals(self.leases)
        self.wake_timer = WakeTimer(crawler)
        self.queue_stats: QueueStats | None = None
        self.limits: LeaseLimits | None = None
        self._next_sweep = 0.0
        self._seen: set[bytes] = set()
        self._closing = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, checkpoint_pages=crawler.settings.getint("FRONTIER_CHECKPOINT_PAGES", 100))

    # --- the life of a crawl

    def open(self, spider: Spider) -> None:
        """Take the crawl's parts from the spider; a spider without them gets a polite queue of its own Requests."""
        settings = self.crawler.settings
        self.runtime = getattr(spider, "runtime", None)
        self.clock = self.runtime.clock if self.runtime else Clock()
        self.hosts = self.runtime.hosts if self.runtime else Hosts()
        # Only now have add-ons set what they set; the spider, and its runtime, are made before them.
        self.hosts.delay_seconds = settings.getfloat("DOWNLOAD_DELAY")
        self.hosts.concurrency = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        self.side = RequestQueue(self.hosts)
        self.politeness = Politeness(
            self.hosts,
            self.clock,
            user_agent=settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT"),
            crawl_delay_max_seconds=settings.getfloat("FRONTIER_CRAWL_DELAY_MAX_SECONDS", 60.0),
            backoff_seconds=settings.getfloat("FRONTIER_BACKOFF_SECONDS", 10.0),
            backoff_max_seconds=settings.getfloat("FRONTIER_BACKOFF_MAX_SECONDS", 3600.0),
        )
        self.politeness.connect(self.crawler)
        self.lease_signals.connect(self.crawler)
        if self.runtime is not None:
            self.limits = LeaseLimits(self.runtime, self.leases, settings.getint("CONCURRENT_REQUESTS"))
            self.queue_stats = QueueStats(self.runtime.ordering, self.runtime.harvest, self.crawler.stats)
            self.queue_stats.restore(self.clock())

    def close(self, reason: str) -> None:
        """Put back what is still leased, keep the strategy's state, let go of the files."""
        self._closing = True
        self.wake_timer.cancel()
        if self.runtime is None:
            return
        runtime = self.runtime
        runtime.files.commit()
        left = [url for lease in self.leases.drop_all() for url in (lease.leased.link.url, *lease.claimed)]
        runtime.frontier.release(self.clock(), left)
        runtime.ordering.checkpoint()
        if self.queue_stats is not None:
            self.queue_stats.finish(self.clock())
        runtime.frontier.close()
        runtime.files.close()

    def has_pending_requests(self) -> bool:
        """True while anything waits that will be fetched, be its host ready or resting. O(1)."""
        if len(self.side):
            return True
        return self.limits is not None and self.armed and self.limits.more_to_come(self.clock())

    # --- what comes in

    def seed(self, links: Sequence[Link]) -> None:
        """Queue the seeds and begin to hand out rows."""
        runtime = self._parts()
        self._count_pushed(runtime.ordering.seed(links, self.clock()))
        runtime.frontier.commit()
        self.armed = True

    def take_links(self, page: Page, links: Sequence[Link], lease_number: object) -> None:
        """A page was read: the strategy scores all its links, the frontier queues them."""
        lease = self.leases.get(lease_number)
        if lease is not None:
            lease.page = page
        self._count_pushed(self._parts().ordering.visit(page, links, self.clock()))

    def enqueue_request(self, request: Request) -> bool:
        """A Request object: a retry or redirect of a lease, or somebody's own. It stays an object, closures and all."""
        if request is WAKE:
            return True
        lease = self.leases.get(request.meta.get(META))
        host = host_key(request)
        if lease is not None:
            lease.moving = False
            if not self._may_move(lease, request, host):
                return False
        elif not request.dont_filter and self._is_repeat(request):
            return False
        request.meta["download_slot"] = host
        self.side.push(request, host)
        self._count("frontier/requests/enqueued")
        return True

    def _is_repeat(self, request: Request) -> bool:
        assert self.crawler.request_fingerprinter  # noqa: S101 Scrapy's own way of saying it is set by now
        fingerprint = self.crawler.request_fingerprinter.fingerprint(request)
        if fingerprint in self._seen:
            self._count("frontier/requests/duplicate")
            return True
        self._seen.add(fingerprint)
        return False

    def _may_move(self, lease: Lease, request: Request, host: str) -> bool:
        """A retry may always come back; a redirect only when its target is a page not known yet."""
        link, target = lease.leased.link, canonical(request.url)
        if target is None:
            self.leases.fail(lease, State.DISCARDED, "redirect to no page")
            return False
        if target not in (link.url, *lease.claimed):
            there = Link(target, host_of(target), link.anchor, depth=link.depth, source_url=link.url)
            if not self._parts().frontier.lease_url(there, lease.leased.score, self.clock()):
                self._count("frontier/redirects/known")
                self.leases.fail(lease, State.DISCARDED, "redirect to a known page")
                return False
            lease.claimed.append(target)
        now = self.clock()
        self._parts().frontier.release_slot(link.url, now)
        self._release_slot(lease, now)
        lease.host = host  # a turn is asked for anew where the request goes next
        return True

    def _release_slot(self, lease: Lease, now: float) -> None:
        if lease.holds_slot:
            self.hosts.done(lease.host, now)
            lease.holds_slot = False

    # --- what goes out

    def next_request(self) -> Request | None:
        """The next request that can start at once, or None; never raises: a lasting fault ends the crawl."""
        if self._closing:
            return None
        try:
            return self._next(self.clock())
        except Exception:
            self._closing = True
            logger.exception(
                "The frontier failed; the crawl ends. What is on disk is the state of the last commit."
            )
            if self.crawler.engine is not None:
                deferred_from_coro(self.crawler.engine.close_spider_async(reason="frontier_error"))
            return None

    def _next(self, now: float) -> Request | None:
        self.lease_signals.end_lost_moves()
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_SECONDS
            self._count(
                "frontier/swept", self.lease_signals.sweep(self.crawler, self.side, now, SWEEP_SECONDS)
            )
            if self.queue_stats is not None:
                self.queue_stats.show(now)
        if self.crawler.engine is not None:
            self.side.release_slots(self.crawler.engine.downloader.active, now)
        if (aside := self.side.pop(now)) is not None:
            return self._begin_slot(*aside)
        leasing = self._may_lease()
        if leasing:
            tunnels: dict[str, int] = {}
            leased = self._parts().ordering.lease(
                now, lambda row: self._refusal(row, tunnels), REFUSALS_AT_ONCE
            )
            if leased is not None:
                return self._request(leased, tunnels.get(leased.link.url, 0))
        self.wake_timer.at([self.side.next_ready(now), self.hosts.next_ready(now) if leasing else None], now)
        return None

    def _may_lease(self) -> bool:
        limits = self.limits
        return limits is not None and self.armed and limits.has_room(self.side) and not limits.reached()

    def _begin_slot(self, request: Request, host: str) -> Request:
        """The request queue took a slot of the host: for a lease, or for a request of somebody else."""
        if (lease := self.leases.get(request.meta.get(META))) is not None:
            lease.holds_slot = True
        else:
            self.side.watch(request, host)
        return request

    def _refusal(self, row: Leased, tunnels: dict[str, int]) -> str | None:
        """The gate in the lease loop: a refusal here costs nothing and keeps the host's slot."""
        decision = self._parts().gate.decide(row.link, row.tunnel)
        if not decision.passed:
            self._count("topic/gate/refused")
            return decision.reason
        if decision.tunnel:
            tunnels[row.link.url] = decision.tunnel
            self._count("topic/gate/tunnels")
        return None

    def _request(self, leased: Leased, tunnel: int) -> Request:
        lease, link = self.leases.begin(leased), leased.link
        self._count("frontier/leased")
        return Request(
            link.url,
            errback=self.lease_signals.failed,
            headers={"Referer": link.source_url} if link.source_url else None,
            meta={
                META: lease.number,
                "via": Via(link, leased.score, leased.carry, tunnel),
                "depth": link.depth,
                "download_slot": link.host,
            },
        )

    # --- how a lease ends, and when the crawl does

    def _ended(self, lease: Lease, state: State, reason: str) -> None:
        runtime, now = self._parts(), self.clock()
        commit_lease(runtime, lease, state, reason, now, self.checkpoint_pages)
        self._release_slot(lease, now)
        runtime.frontier.commit()
        self._count(f"frontier/ended/{state.value}")
        enough = self.limits is not None and self.limits.reached() and not len(self.leases)
        if enough and self.crawler.engine is not None:
            deferred_from_coro(self.crawler.engine.close_spider_async(reason="enough"))

    def _parts(self) -> Runtime:
        if self.runtime is None:
            raise RuntimeError(
                "only a spider with a runtime (topiccrawler.engine.runtime) sends links and has leases"
            )
        return self.runtime

    def _count_pushed(self, pushed: Mapping[Pushed, int]) -> None:
        for kind, count in pushed.items():
            self._count(f"frontier/pushed/{kind.value}", count)

    def _count(self, key: str, count: int = 1) -> None:
        if self.crawler.stats is not None and count:
            self.crawler.stats.inc_value(key, count)


def focused_scheduler(crawler: Crawler) -> FocusedScheduler | None:
    """The crawl's scheduler when it is ours. Scrapy's metaclass calls any scheduler an instance of any other."""
    scheduler: Any = crawler.engine.scheduler if crawler.engine is not None else None
    return scheduler if FocusedScheduler in type(scheduler).__mro__ else None
