"""Spider and downloader middlewares that connect a spider's output to the scheduler and apply the link gate.

`OutlinksMiddleware` moves each page's batch of links from the spider's output to the scheduler.

`LeaseEndMiddleware` notifies the leases of each output of a page, and of its end.

`LinkGateMiddleware` applies the crawl's admission rules to requests that did not come through our scheduler.

`BackOffMiddleware` sends a page back to the scheduler when the robots.txt of its host was answered with 429 or 503.

`RequestGateMiddleware` applies the link model to the requests of any spider.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial, wraps
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.asyncio import is_asyncio_available

from topiccrawler import settings as ours
from topiccrawler.crawling.admission import Admission, GateRule, Moment, redirected
from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.recipe import recipe_of
from topiccrawler.engine.faults import FatalFaults, reported_by_scrapy
from topiccrawler.engine.leases import META
from topiccrawler.engine.link_rules import count_refused
from topiccrawler.engine.opening import crawl_of, faults_of, needed_crawl
from topiccrawler.engine.politeness import host_key
from topiccrawler.engine.progress import BACK_OFFS
from topiccrawler.engine.reading import CHALLENGE
from topiccrawler.engine.scheduler import FocusedScheduler, focused_scheduler
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.items import Outlinks
from topiccrawler.model import Link, Score, Via
from topiccrawler.strategies.base import Strategy
from topiccrawler.urls.canonical import canonical, host_of

PRIORITY_STEPS = 1000  # priorities are integers in Scrapy: a score becomes thousandths


class OutlinksMiddleware:
    """Spider middleware (1100, nearer to the spider than all that handle Requests): passes each page's batch of links to the scheduler.

    Under a scheduler that is not ours, the batch becomes Requests with a priority.
    `scheduler`: returns the crawl's scheduler when it is ours, else None; a function, because Scrapy makes the scheduler after the
    middlewares. `strategy`: the spider's, if any.
    """

    def __init__(
        self,
        scheduler: Callable[[], FocusedScheduler | None],
        strategy: Strategy | None = None,
        faults: FatalFaults | None = None,
    ) -> None:
        self._scheduler = scheduler
        self.strategy = strategy
        self._faults = faults or FatalFaults()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        scheduler, crawl = partial(focused_scheduler, crawler), crawl_of(crawler)
        return cls(scheduler) if crawl is None else cls(scheduler, crawl.strategy, faults_of(crawler))

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass the batch of seeds to the scheduler, as batches of links. A job whose files cannot be written ends here."""
        with self._faults.guard():
            async for output in start:
                if not isinstance(output, Outlinks):
                    yield output
                elif (scheduler := self._scheduler()) is not None:
                    scheduler.seed(output.links)
                else:
                    for request in expand(output, self.strategy):
                        yield request

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, Outlinks):
                if (scheduler := self._scheduler()) is not None:
                    await prefetch(scheduler.crawl.ordering, output)
                    scheduler.accept_links(output.page, output.links, response.meta.get(META))
                else:
                    for request in expand(output, self.strategy):
                        yield request
            else:
                if isinstance(output, Request):
                    output.meta.pop(META, None)  # present if the callback copied response.meta
                yield output


async def prefetch(ordering: Ordering, outlinks: Outlinks) -> None:
    """Load what a queue on a server knows of the links in advance, so that other pages are processed meanwhile. No effect for a local
    queue."""
    ahead = ordering.prefetch(outlinks.page, outlinks.links) if is_asyncio_available() else None
    if ahead is not None:
        await asyncio.gather(*map(asyncio.wrap_future, ahead.answers))
        ahead.receive()


def expand(outlinks: Outlinks, strategy: Strategy | None) -> list[Request]:
    """One Request for each link that the strategy scores (without a strategy: for every link), with the score in thousandths as
    `priority`."""
    if strategy is None:
        scores = [Score(link.url, 0.0) for link in outlinks.links]
    else:
        scores = list(strategy.visit(outlinks.page, outlinks.links))
    best: dict[str, float] = {}
    for score in scores:
        best[score.url] = max(score.value, best.get(score.url, float("-inf")))
    links = {link.url: link for link in reversed(outlinks.links)}  # the first link to each URL
    return [
        Request(
            url,
            priority=round(value * PRIORITY_STEPS),
            meta={"via": Via(links[url], value)} if url in links else None,
        )
        for url, value in best.items()
    ]


def expanding(callback: Callable[..., Any], strategy: Strategy) -> Callable[..., AsyncIterator[Any]]:
    """Wrap a callback so that it yields Requests instead of batches of links: `scrapy parse` calls it without the spider middlewares."""

    @wraps(callback)
    async def expanded(response: Response, **arguments: Any) -> AsyncIterator[Any]:
        async for output in as_async_generator(callback(response, **arguments)):
            for one in expand(output, strategy) if isinstance(output, Outlinks) else [output]:
                yield one

    return expanded


LONGEST_HEADER = 200  # bytes


class LeaseEndMiddleware:
    """Spider middleware (10, outside all others): counts the items of a leased page and reports the end of its output to the leases.

    `scheduler`: as for OutlinksMiddleware.
    """

    def __init__(self, scheduler: Callable[[], FocusedScheduler | None]) -> None:
        self._scheduler = scheduler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        needed_crawl(crawler)  # other spiders have no leases
        return cls(partial(focused_scheduler, crawler))

    def process_spider_input(self, response: Response) -> None:
        scheduler = self._scheduler()
        if scheduler is not None and (lease := scheduler.leases.lease_of(response)) is not None:
            lease.status = response.status
            lease.etag, lease.modified = _header(response, "ETag"), _header(response, "Last-Modified")

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        scheduler = self._scheduler()
        lease = scheduler.leases.lease_of(response) if scheduler is not None else None
        async for output in result:
            if lease is not None and not isinstance(output, Request):
                lease.items += 1
            yield output
        if scheduler is None or lease is None:
            return
        challenge = response.meta.get(CHALLENGE)
        if challenge is not None:
            scheduler.challenged(lease, challenge)
        else:
            scheduler.leases.iterated(lease)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        scheduler = self._scheduler()
        if scheduler is None:
            return
        if isinstance(exception, CrawlerError):
            scheduler.faults.break_off(exception)
        elif (lease := scheduler.leases.lease_of(response)) is not None:
            scheduler.leases.broke(lease, f"callback: {type(exception).__name__}")


def _header(response: Response, name: str) -> str:
    """A response header as text; empty when it is absent, or too long to be sent back in a conditional request."""
    value = response.headers.get(name) or b""
    return value.decode("latin-1").strip() if len(value) <= LONGEST_HEADER else ""


class LinkGateMiddleware:
    """Downloader middleware (50, before robots.txt): applies the admission rules to requests that our scheduler has not checked.

    These are requests of another scheduler, and those that a callback makes with the meta of its response. Only requests that carry a
    link (`meta["via"]`) are checked; in a crawl of ours, requests without one are the user's own.
    """

    def __init__(self, admission: Admission) -> None:
        self.admission = admission

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        admission = needed_crawl(crawler).admission
        # our scheduler, which is made later, replaces this function by one that counts more
        admission.refused = partial(count_refused, crawler.stats)
        return cls(admission)

    def process_request(self, request: Request) -> None:
        target = canonical(request.url)
        if META in request.meta or target is None or (found := self.link_of(request, target)) is None:
            return
        link, tunnel = found
        moment = Moment.LEASED if link.url == target else Moment.REDIRECTED
        decision = self.admission.ask(
            link if moment is Moment.LEASED else redirected(link, target), moment, tunnel
        )
        if not decision.passed:
            raise IgnoreRequest(decision.reason)

    def link_of(self, request: Request, target: str) -> tuple[Link, int] | None:
        """The link that a request follows, and the number of tunnel steps to its page; None for a request that is not checked."""
        via: Via | None = request.meta.get("via")
        return None if via is None else (via.link, via.tunnel)


class BackOffMiddleware:
    """Downloader middleware (110, after robots.txt): a leased request whose host has begun a back-off waits in the request queue.

    A host's first page is leased before its robots.txt is fetched, so the answer to that may be the first sign that the server is busy.
    Only requests without a response yet are sent back: those of callbacks and pipelines, with copied meta, do not pass the scheduler.

    `scheduler`: as for OutlinksMiddleware.
    """

    def __init__(self, scheduler: Callable[[], FocusedScheduler | None]) -> None:
        self._scheduler = scheduler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        needed_crawl(crawler)  # other spiders have no leases
        return cls(partial(focused_scheduler, crawler))

    def process_request(self, request: Request) -> Request | None:
        if META not in request.meta or (scheduler := self._scheduler()) is None:
            return None
        lease = scheduler.leases.of(request)
        if lease is None or lease.status:
            return None
        reason = scheduler.hosts.waiting_reason(host_key(request), scheduler.clock())
        return request.copy() if reason in BACK_OFFS else None


class RequestGateMiddleware(LinkGateMiddleware):
    """Downloader middleware for spiders of any project: drops requests whose link the link model of the topic TOPIC refuses.

    Enabled alone: DOWNLOADER_MIDDLEWARES = {"topiccrawler.engine.middlewares.RequestGateMiddleware": 50}. The anchor text is the one that
    CrawlSpider's rules store (`meta["link_text"]`), the source page is the Referer. Start requests have no Referer and pass as seeds. A
    redirect is scored by the link that it began with. `TOPIC_LINK_THRESHOLD`: as in a crawl of ours.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        with reported_by_scrapy(crawler.settings):
            topic = crawler.settings.get("TOPIC")
            if not topic:
                raise ArgumentError(
                    "RequestGateMiddleware", "has no topic", "set TOPIC, as TOPIC = 'finance'"
                )
            settings = Settings()
            settings.setmodule(ours, "default")
            for name in vars(ours):
                if name.startswith("TOPIC_") and name in crawler.settings:
                    settings.set(name, crawler.settings[name])
            parts = assemble(recipe_of(settings, topic, "naive_bayes"))
        return cls(Admission([GateRule(parts.gate)], partial(count_refused, crawler.stats)))

    def link_of(self, request: Request, target: str) -> tuple[Link, int] | None:
        first = canonical((request.meta.get("redirect_urls") or [target])[0]) or target
        source = canonical((request.headers.get("Referer") or b"").decode("latin-1")) or ""
        anchor = " ".join(str(request.meta.get("link_text") or "").split())
        return Link(first, host_of(first), anchor, source_url=source), 0
