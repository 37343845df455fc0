"""The Scrapy scheduler of a focused crawl: leases the best URL of a host that is ready, one at a time.

`FocusedScheduler` is called by Scrapy's engine whenever the engine has room. The order of requests is lost in the downloader's queue, so a
URL is leased only when its request can start at once. The engine sleeps when it gets no request, so it is woken as soon as the next host is
ready.

`RequestQueue` keeps requests that are no rows of the frontier: retries, redirects, and requests that spiders and the commands shell, parse
and check send by themselves. They carry closures that no row can store, so the objects themselves are kept, under the same host clocks.
There are few of them in a focused crawl, so a scan over their hosts is enough.

`plain_scheduler` makes the scheduler of a spider without a topic: Scrapy's own, with duplicate filter and disk queue. `scrapy shell` and
`fetch`, which have a spider of their own, get one that keeps its queue in memory: on disk, Scrapy would lose the requests they wait for,
and write into the folder of a job of ours.
"""

from __future__ import annotations

import heapq
import logging
import sys
from collections.abc import Callable, Container, Iterator, Sequence
from math import inf
from typing import Any, Self, cast

from scrapy import Request
from scrapy.core.engine import ExecutionEngine
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.dupefilters import BaseDupeFilter
from scrapy.statscollectors import StatsCollector
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.spider import DefaultSpider

from topiccrawler.crawling.admission import Admission, private_network
from topiccrawler.crawling.crawl import KNOWN, LONG_SECONDS, MOVED, Crawl
from topiccrawler.crawling.fetch import Fetch, Outcome
from topiccrawler.crawling.robots_notes import robots_rule
from topiccrawler.engine.faults import FatalFaults
from topiccrawler.engine.leases import META, Lease, Leases
from topiccrawler.engine.link_rules import LinkRules
from topiccrawler.engine.opening import crawl_of, faults_of
from topiccrawler.engine.politeness import Politeness, host_key, paces_of, patience_of
from topiccrawler.engine.private_network import PrivateNetworkMiddleware, resolved_address
from topiccrawler.engine.queue_stats import QueueStats
from topiccrawler.engine.waking import WAKE, WakeTimer
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link, Page
from topiccrawler.pages.challenge_signs import CHALLENGE, Challenge
from topiccrawler.urls.canonical import canonical

logger = logging.getLogger(__name__)


def plain_scheduler(crawler: Crawler) -> Scheduler:
    """Scrapy's own scheduler; for `shell` and `fetch` one in memory without a duplicate filter. `shell` makes its spider after the
    scheduler, so the crawler has none yet."""
    if crawler.spider is not None and not isinstance(crawler.spider, DefaultSpider):
        return build_from_crawler(Scheduler, crawler)
    settings = crawler.settings
    return Scheduler(
        BaseDupeFilter(),
        mqclass=load_object(settings["SCHEDULER_MEMORY_QUEUE"]),
        pqclass=load_object(settings["SCHEDULER_PRIORITY_QUEUE"]),
        stats=crawler.stats,
        crawler=crawler,
    )


class RequestQueue:
    """A queue of Request objects by host: the highest priority among the hosts that are ready comes first; among equals, first in, first
    out.

    `fingerprint`: Scrapy's function, equal for requests for the same resource.
    """

    def __init__(self, hosts: Hosts, fingerprint: Callable[[Request], bytes]) -> None:
        self._hosts = hosts
        self._fingerprint = fingerprint
        self._met: set[bytes] = set()
        self._heaps: dict[str, list[tuple[int, int, Request]]] = {}
        self._watched: dict[Request, str] = {}
        self._count = 0
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Request]:
        return (request for heap in self._heaps.values() for _, _, request in heap)

    def hosts(self) -> list[str]:
        """The hosts of the queued requests, without those that are closed for this run."""
        return [host for host in self._heaps if self._hosts.back_off_until(host) < inf]

    def take_leased(self, until: float) -> list[Request]:
        """Remove and return the requests of leases whose hosts back off beyond the time `until`."""
        taken: list[Request] = []
        for host in [host for host in self._heaps if self._hosts.back_off_until(host) > until]:
            heap = self._heaps.pop(host)
            taken += [request for _, _, request in heap if META in request.meta]
            if left := sorted(entry for entry in heap if META not in entry[2].meta):
                self._heaps[host] = left
        self._size -= len(taken)
        return taken

    def is_repeat(self, request: Request) -> bool:
        """Whether a request with the same fingerprint was checked before; always False with `dont_filter`. The fingerprint is
        remembered."""
        if request.dont_filter:
            return False
        fingerprint, known = self._fingerprint(request), len(self._met)
        self._met.add(fingerprint)
        return len(self._met) == known

    def push(self, request: Request, host: str) -> None:
        """Keep a request until its host is ready."""
        self._count += 1
        self._size += 1
        heapq.heappush(self._heaps.setdefault(host, []), (-request.priority, self._count, request))

    def pop(self, now: float) -> tuple[Request, str] | None:
        """Remove and return the best request of a host that is ready, and the host; None if no host is ready. Occupies a slot of the
        host."""
        ready = [(heap[0][:2], host) for host, heap in self._heaps.items() if self._hosts.ready(host, now)]
        if not ready:
            return None
        _, host = min(ready)
        heap = self._heaps[host]
        _, _, request = heapq.heappop(heap)
        if not heap:
            del self._heaps[host]
        self._size -= 1
        self._hosts.occupy(host, now)
        return request, host

    def watch(self, request: Request, host: str) -> None:
        """Record that a request without a lease is under way and occupies a slot of its host."""
        self._watched[request] = host

    def release_slots(self, active: Container[Request], now: float) -> None:
        """Release the slots of watched requests that are no longer `active` in the downloader. Such requests end in as many ways as leases
        do, but how they end does not matter."""
        for request in [request for request in self._watched if request not in active]:
            self._hosts.done(self._watched.pop(request), now)

    def next_ready(self, now: float) -> float | None:
        """The time at which the first host with queued requests is ready; None when there is none, or all of them use all their slots."""
        hosts = self._hosts
        free = (host for host in self._heaps if hosts.leases(host) < hosts.paces.of(host).concurrency)
        return min((max(now, hosts.ready_at(host)) for host in free), default=None)


def complete(admission: Admission, crawler: Crawler, crawl: Crawl, rules: LinkRules) -> None:
    """Add to a crawl's admission the rules of those middlewares that are enabled, and the function that counts refused links."""
    admission.refused = rules.refused
    admission.add(*rules.rules())
    if (guard := crawler.get_downloader_middleware(PrivateNetworkMiddleware)) is not None:
        admission.add(private_network(guard.seed_hosts), resolved_address(guard.seed_hosts))
    if crawler.get_downloader_middleware(RobotsTxtMiddleware) is not None:
        admission.add(robots_rule(crawl.frontier.notes, crawl.clock))


def _never(_: str) -> bool:
    """Scrapy's own middleware closes no host."""
    return False


LITTLE_PROMISED = "little_promised"  # finish_reason
SWEEP_SECONDS = 10.0  # between two sweeps and updates of the queue stats
REFUSALS_AT_ONCE = 200  # refused URLs in one call, some 10 ms; then the engine runs


class FocusedScheduler(BaseScheduler):
    """Leases rows of the frontier as Requests; keeps other Requests in a request queue under the same host clocks.

    `crawl`: the crawl; a spider without one gets Scrapy's own scheduler instead of this one. `concurrency`: the greatest number of leases
    at once. `given_up`: whether a host is closed by its robots.txt for so long that the crawl does not wait for it alone.
    """

    def __init__(
        self,
        crawl: Crawl,
        faults: FatalFaults,
        politeness: Politeness,
        rules: LinkRules,
        *,
        engine: ExecutionEngine,
        stats: StatsCollector,
        fingerprint: Callable[[Request], bytes],
        concurrency: int,
        given_up: Callable[[str], bool] = _never,
    ) -> None:
        self.crawl, self.faults, self.hosts, self.clock = crawl, faults, crawl.hosts, crawl.clock
        self.engine, self.stats = engine, stats
        self.concurrency = concurrency
        self._given_up = given_up
        self.politeness = politeness  # a reference: signals hold their handlers weakly
        self.rules = rules
        self.request_queue = RequestQueue(self.hosts, fingerprint)
        self.armed = False  # rows are leased only after the spider's own start() has sent its seeds
        self.leases = Leases(self._ended, self._postponed, self._failed)
        crawl.given_up, crawl.outages.count = self._url_given_up, self._count_try
        self.wake_timer = WakeTimer(engine)
        self.queue_stats = QueueStats(crawl.ordering, crawl.harvest, stats, crawl.outages)
        self._next_sweep = 0.0
        self._closing = self._stands = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings, crawl = crawler.settings, crawl_of(crawler)
        if crawl is None:
            return cast("Self", plain_scheduler(crawler))
        # The spider and its crawl are made before add-ons change the settings, so these are read here.
        crawl.hosts.paces = paces_of(settings)
        crawl.hosts.slots = slots = settings.getint("CONCURRENT_REQUESTS") or sys.maxsize
        crawl.outages.patience = patience_of(settings)
        rules = LinkRules.from_crawler(crawler)
        politeness = Politeness.from_crawler(crawler, crawl)
        complete(crawl.admission, crawler, crawl, rules)
        scheduler = cls(
            crawl,
            faults_of(crawler),
            politeness,
            rules,
            engine=crawler.engine,
            stats=crawler.stats,
            fingerprint=crawler.request_fingerprinter.fingerprint,
            concurrency=slots,
            given_up=getattr(crawler.get_downloader_middleware(RobotsTxtMiddleware), "given_up", _never),
        )
        scheduler.leases.connect(crawler)
        return scheduler

    def close(self, reason: str) -> None:
        """Release the open leases, store the strategy's state and the final stats, and close the files. After a fault in a file, close
        without writing."""
        self._closing = True
        self.wake_timer.cancel()
        left = self.leases.drop_all()
        with self.faults.guard():
            if not self.faults.broken:
                self.crawl.release(left, self.clock())
                self.queue_stats.finish(self.clock())
                if (estimate := self.crawl.estimator.estimate(anew=True)) is not None:
                    self.stats.set_value("topic/relevant_waiting", round(estimate.relevant))
                    self.stats.set_value("topic/promise", round(estimate.promise, 4))
                self.crawl.close()
        if self.faults.broken:
            self.crawl.abandon()

    def has_pending_requests(self) -> bool:
        """Whether any URL or request waits that will be fetched, whether its host is ready or not. O(1), but O(hosts) when nothing is under
        way and no host is ready."""
        with self.faults.guard():
            if self.request_queue.hosts() or (
                self.armed and self.crawl.has_more(self.clock(), len(self.leases))
            ):
                return not self._waits_in_vain(self.clock())
        return False

    def _waits_in_vain(self, now: float) -> bool:
        """Whether all that waits is on hosts whose robots.txt was asked for in vain too often."""
        if len(self.leases) > self._leases_waiting() or self.crawl.next_ready(now) == now:
            return False
        if self.crawl.outages.stops:  # it is the network that is away
            return False
        waiting = (host for host, _, until in self.hosts.waiting(now) if until < inf)
        hosts = {*self.request_queue.hosts(), *waiting}
        if not hosts or not all(map(self._given_up, hosts)):
            return False
        # a host that is ready may be held back by patience, for a better URL of these hosts
        view, held = self.crawl.frontier.look(), {host for host, _, _ in self.hosts.waiting(now)}
        return view.waiting() <= view.waiting_in(held)

    def seed(self, links: Sequence[Link]) -> None:
        """Queue the seeds, restore the back-offs that servers requested before the last stop, and begin to lease rows."""
        with self.faults.guard():
            self.queue_stats.restore(self.clock())
            self.crawl.seed(links, self.clock())
            self.armed = True

    def accept_links(self, page: Page, links: Sequence[Link], lease_number: object) -> None:
        """Have the strategy score all links of a page that was read, and queue them. `lease_number`: the page's lease, if it has one."""
        with self.faults.guard():
            lease = self.leases.get(lease_number)
            if lease is not None:
                self.crawl.outages.recovered(lease.host)
            self.crawl.visit(page, links, self.clock(), lease)

    def enqueue_request(self, request: Request) -> bool:
        """Queue a Request object: a retry or redirect of a lease, or a request of another component. False if it is dropped: a duplicate,
        or refused by the crawl."""
        if request is WAKE:
            return True
        lease = self.leases.of(request)
        host = host_key(request)
        if lease is not None:
            if not self._goes_on(lease, request):
                return False
        elif self.request_queue.is_repeat(request):
            return False
        request.meta["download_slot"] = self.hosts.paces.key(host)
        self.request_queue.push(request, host)
        return True

    def _goes_on(self, lease: Lease, request: Request) -> bool:
        """Handle the retry or redirect of a lease. Return whether the request is to be sent; if not, the lease has ended."""
        lease.moving = False
        refusal: str | None = None
        with self.faults.guard():
            refusal = self.crawl.come_back(lease, request.url, self.clock())
        if self.faults.broken:
            return False
        if refusal == KNOWN and (challenge := self._challenge_at(request.url)) is not None:
            self.challenged(lease, challenge)
            return False
        if refusal is not None:
            self.leases.end(lease, State.DISCARDED, refusal)
            return False
        lease.release_slot(self.hosts, self.clock())
        lease.host = host_key(request)
        return True

    def _challenge_at(self, url: str) -> Challenge | None:
        """The challenge that is known to be at the target of a redirect."""
        return self.crawl.challenges.behind(canonical(url) or url)

    def challenged(self, lease: Lease, challenge: Challenge) -> None:
        """Handle a response that is no page. After a challenge the host backs off, and the URL waits to be fetched again; the URL of a
        login wall or a soft 404, and of the last of several challenges, is discarded."""
        url, challenges = lease.leased.link.url, self.crawl.challenges
        lease.challenge = challenge.reason
        challenges.count(url, challenge)
        self._count(f"topic/challenges/{challenge.kind.replace(' ', '_')}")
        logger.info("No page: %s (%s, by %s)", url, challenge.reason, ", ".join(challenge.signs))
        if challenge.kind == CHALLENGE:
            self.crawl.outages.challenged(lease.host, self.clock())
            self._count("frontier/back_offs/challenge")
            if lease.due is None and challenges.is_tried_again(url, lease.redirect_targets, challenge):
                self.leases.postpone(lease)
                return
            self._count("topic/challenges/given_up")
        self.leases.end(lease, State.DISCARDED, challenge.reason)

    @property
    def under_way(self) -> int:
        """The number of URLs that are being fetched, read or stored."""
        return len(self.leases)

    def next_request(self) -> Request | None:
        """The next request that can start at once, or None. It never raises; an error ends the crawl."""
        if self._closing:
            return None
        try:
            return self._next(self.clock())
        except Exception as error:  # noqa: BLE001 reported by break_off
            self._closing = True
            self.faults.break_off(error)
            return None

    def _next(self, now: float) -> Request | None:
        self.crawl.ordering.learn(now)
        self.leases.end_lost_moves()
        if self._stands != self.crawl.outages.stops:  # `scrapy frontier` and a resumed job are to know it
            self._stands, self._next_sweep = self.crawl.outages.stops, now
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_SECONDS
            swept = self.leases.sweep_behind(self.engine, self.request_queue, now, SWEEP_SECONDS)
            self._count("frontier/ended/swept", swept)
            self.queue_stats.show(now)
            if self._stands or not len(self.leases):
                self.crawl.frontier.commit()  # for readers, as no page ends that would do it
        self.request_queue.release_slots(self.engine.downloader.active, now)
        if self._stands:
            return None
        self._return_held(now)
        if (waiting := self.request_queue.pop(now)) is not None:
            return self._begin_slot(*waiting)
        leasing = self.armed and self.has_room() and not self.limit_reached()
        if leasing:
            fetch = self.crawl.next(now, REFUSALS_AT_ONCE)
            if fetch is not None:
                return self._request(fetch)
        due = self.crawl.next_ready(now) if leasing else None
        self.wake_timer.at([self.request_queue.next_ready(now), due], now)
        return None

    def _return_held(self, now: float) -> None:
        """End the leases whose request would wait long for its host, or for ever because the host is closed: meanwhile each counts as a page
        under way. The URL waits in the queue instead; after a redirect its target does."""
        for request in self.request_queue.take_leased(now + LONG_SECONDS):
            if (lease := self.leases.of(request)) is None:
                continue
            if lease.redirect_targets:
                with self.faults.guard():
                    self.crawl.leave_target(lease, now)
                self.leases.end(lease, *MOVED)
            else:
                self.leases.postpone(lease)

    def _begin_slot(self, request: Request, host: str) -> Request:
        """Record who holds the slot that the request queue has occupied: the lease of the request, or the request itself."""
        if (lease := self.leases.of(request)) is not None:
            lease.holds_slot = True
        else:
            self.request_queue.watch(request, host)
        return request

    def _request(self, fetch: Fetch) -> Request:
        lease, link = self.leases.begin(fetch), fetch.leased.link
        self._count("frontier/leased")
        request = Request(
            link.url,
            errback=self.leases.failed,
            meta={
                META: lease.number,
                "via": fetch.via,
                "depth": link.depth,
                "download_slot": self.hosts.paces.key(link.host),
                "dont_retry": True,  # it goes back to the queue (crawling.outages)
            },
        )
        self.rules.mark(request, link)
        return request

    # --- how a lease ends, and when the crawl does

    def _ended(self, lease: Lease, state: State, reason: str) -> None:
        now = self.clock()
        with self.faults.guard():
            if not self.faults.broken:
                self.crawl.end(lease, lease.outcome(state, reason), now)
        if self.faults.broken:
            return
        lease.release_slot(self.hosts, now)
        self._count_ended(state, reason)
        self.end_if_enough()

    def _count_ended(self, state: State, reason: str) -> None:
        self._count(f"frontier/ended/{state.value}")
        if state is State.ERROR:
            self._count(f"frontier/failed/{reason.partition(':')[0].replace(' ', '_')}")

    def _failed(self, lease: Lease, reason: str, way: str) -> None:
        """Have the URL of a lease tried again."""
        now = self.clock()
        with self.faults.guard():
            if not self.faults.broken:
                self.crawl.fail(lease, lease.host, reason, now, way=way, answered=lease.status > 0)
        lease.release_slot(self.hosts, now)
        self._count("frontier/ended/retried")
        self.end_if_enough()

    def refuse(self, lease: Lease, reason: str) -> None:
        """End a lease whose request the link gate refuses. Its host's slot is free at once; a redirect has used the first host's."""
        if lease.redirect_targets:
            self.leases.end(lease, State.DISCARDED, reason)
            return
        now = self.clock()
        if self.leases.close(lease):
            with self.faults.guard():
                self.crawl.refuse(lease, reason, now)
            lease.release_slot(self.hosts, now)
            if not self.faults.broken:
                self.end_if_enough()

    def _count_try(self, url: str) -> None:
        with self.faults.guard():
            if not self.faults.broken:
                self.crawl.count_try(url)

    def _url_given_up(self, outcome: Outcome) -> None:
        self._count_ended(outcome.state, outcome.reason)

    def _postponed(self, lease: Lease) -> None:
        """Return the URL of a lease to the queue: it is fetched when its host is ready again."""
        now = self.clock()
        with self.faults.guard():
            if not self.faults.broken:
                if lease.challenge:
                    self.crawl.try_again(lease, now)
                else:
                    self.crawl.release([lease], now)
        lease.release_slot(self.hosts, now)
        self._count("frontier/ended/postponed")

    def end_if_enough(self) -> None:
        """Close the spider if no lease is open and a limit is reached: `pages`, `targets` or `until`."""
        if self.limit_reached() and not len(self.leases) and not self.crawl.rechecks_left:
            self.crawl.estimator.estimate(anew=True)  # the last pages may have added better links
            if self.limit_reached():
                reason = LITTLE_PROMISED if self.crawl.promises_little else "enough"
                deferred_from_coro(self.engine.close_spider_async(reason=reason))

    def has_room(self) -> bool:
        """Whether another lease may be opened: there are fewer than `concurrency`. Leases that are being read or stored count too, so that
        a kill repeats no more than these. Leases whose retry or redirect waits in the request queue do not count."""
        return len(self.leases) - self._leases_waiting() < self.concurrency

    def _leases_waiting(self) -> int:
        return sum(META in request.meta for request in self.request_queue)

    def limit_reached(self) -> bool:
        """Whether no more leases are to be opened: enough pages are fetched or under way, enough are kept, or the queue promises too
        little."""
        return self.crawl.is_enough(len(self.leases))

    def _count(self, key: str, count: int = 1) -> None:
        if count:
            self.stats.inc_value(key, count)


def focused_scheduler(crawler: Crawler) -> FocusedScheduler | None:
    """The crawler's scheduler if it is a FocusedScheduler, else None."""
    scheduler: Any = crawler.engine.scheduler
    return scheduler if is_focused(type(scheduler)) else None


def is_focused(kind: type) -> bool:
    """Whether a scheduler's class is FocusedScheduler or derived from it. `issubclass` does not work: by Scrapy's metaclass every scheduler
    is a subclass of every other."""
    return FocusedScheduler in kind.__mro__
