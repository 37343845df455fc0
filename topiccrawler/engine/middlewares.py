"""Spider and downloader middlewares that connect a spider's output to the scheduler and ask the link gate.

`OutlinksMiddleware` moves each page's batch of links from the spider's output to the scheduler.

`LeaseEndMiddleware` notifies the leases of each output of a page, and of its end.

`LinkGateMiddleware` asks the link gate about every request of a link before it is downloaded.

`BackOffMiddleware` sends a page back to the scheduler when the robots.txt of its host was answered with 429 or 503.

`RequestGateMiddleware` and its companion `LinkContextMiddleware` ask the link model about the requests of any spider.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial, wraps
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response, TextResponse
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.asyncio import is_asyncio_available
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.admission import Admission, Moment, gate_rule, redirected
from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.harvest import GateCounts
from topiccrawler.crawling.link_gate import PASSED, Decision
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.engine.faults import FatalFaults
from topiccrawler.engine.leases import META
from topiccrawler.engine.link_rules import count_refused
from topiccrawler.engine.opening import crawl_of, faults_of, needed_crawl, parts_of_project
from topiccrawler.engine.politeness import host_key
from topiccrawler.engine.queue_stats import BACK_OFFS
from topiccrawler.engine.reading import CHALLENGE, NOT_FOLLOWED, content_type
from topiccrawler.engine.scheduler import FocusedScheduler, focused_scheduler
from topiccrawler.errors import CrawlerError
from topiccrawler.items import Outlinks
from topiccrawler.links.extract import extract
from topiccrawler.model import Link, Score, Via
from topiccrawler.pages.parse import parse
from topiccrawler.strategies.base import Strategy
from topiccrawler.text.characters import decode
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


class _LeaseMiddleware:
    """A middleware for the requests that have a lease. `scheduler`: returns our scheduler, or None under another one."""

    def __init__(self, scheduler: Callable[[], FocusedScheduler | None]) -> None:
        self._scheduler = scheduler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        needed_crawl(crawler)  # other spiders have no leases
        return cls(partial(focused_scheduler, crawler))


class LeaseEndMiddleware(_LeaseMiddleware):
    """Spider middleware (10, outside all others): counts the items of a leased page and reports the end of its output to the leases.

    `scheduler`: as for OutlinksMiddleware.
    """

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
        lease.not_followed = response.meta.pop(NOT_FOLLOWED, "")
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
    """Downloader middleware (50, before robots.txt): asks the link gate about the link of each request, just before it is downloaded.

    Every request of a link is asked about, whoever made it: our scheduler, another one, a redirect, a callback that copied the meta of its
    response. A refused request is not downloaded; its lease ends and its host may be asked for another URL at once. Requests that no
    scheduler of ours has leased pass the crawl's other admission rules here too. Requests without a link (`meta["via"]`) are the user's own
    and pass, and so do seeds.

    Stats: `topic/gate/asked`, `topic/gate/scored` (with a probability), `topic/gate/refused`, `topic/gate/tunnels` and
    `topic/gate/mean_probability`, all of requests.

    `crawl`: None outside a crawl of ours. `scheduler`: as for OutlinksMiddleware.
    """

    def __init__(
        self,
        admission: Admission,
        stats: StatsCollector,
        crawl: Crawl | None = None,
        scheduler: Callable[[], FocusedScheduler | None] = lambda: None,
    ) -> None:
        self.admission, self.stats, self.crawl = admission, stats, crawl
        self._scheduler = scheduler
        self.counts = GateCounts() if crawl is None else crawl.gate_counts

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = needed_crawl(crawler)
        # our scheduler, which is made later, replaces this function by one that counts more
        crawl.admission.refused = partial(count_refused, crawler.stats)
        return cls(crawl.admission, crawler.stats, crawl, partial(focused_scheduler, crawler))

    def process_request(self, request: Request) -> None:
        scheduler = self._scheduler()
        lease = scheduler.leases.of(request) if scheduler is not None else None
        if lease is None:
            decision = self._of_request(request)
            if not decision.passed:
                raise IgnoreRequest(decision.reason)
        elif (
            self.crawl is not None and lease.due is None
        ):  # a page that is checked again has been kept before
            decision = self.crawl.ask(lease)
            request.meta["via"] = lease.via
            self._count(lease.leased.link, decision)
            if not decision.passed and scheduler is not None:
                scheduler.refuse(lease, decision.reason)
                raise IgnoreRequest(decision.reason)

    def _of_request(self, request: Request) -> Decision:
        """The decision on a request that has no lease."""
        target = canonical(request.url)
        if target is None or (found := self.link_of(request, target)) is None:
            return PASSED
        link, tunnel = found
        decision = PASSED
        moments = (Moment.LEASED, Moment.SENT)
        if link.url != target:
            link, moments = redirected(link, target), (Moment.REDIRECTED, Moment.FOLLOWED)
        for moment in moments:
            if decision.passed:
                decision = self.admission.ask(link, moment, tunnel)
        self._count(link, decision)
        return decision

    def link_of(self, request: Request, target: str) -> tuple[Link, int] | None:
        """The link that a request follows, and the number of tunnel steps to its page; None for a request that is not checked. `target`: the
        canonical URL of the request."""
        via = request.meta.get("via")
        return (via.link, via.tunnel) if isinstance(via, Via) else None  # another project may use the key

    def _count(self, link: Link, decision: Decision) -> None:
        """Count a decision on a link in the stats; seeds are no links."""
        if not link.source_url:
            return
        counts, stats = self.counts, self.stats
        counts.add(decision)
        stats.set_value("topic/gate/asked", counts.asked)
        stats.set_value("topic/gate/scored", counts.scored)
        stats.set_value("topic/gate/refused", counts.refused)
        stats.set_value("topic/gate/tunnels", counts.tunnels)
        if (mean := counts.mean_probability) is not None:
            stats.set_value("topic/gate/mean_probability", round(mean, 4))


class BackOffMiddleware(_LeaseMiddleware):
    """Downloader middleware (110, after robots.txt): a leased request whose host has begun a back-off waits in the request queue.

    A host's first page is leased before its robots.txt is fetched, so the answer to that may be the first sign that the server is busy.
    Only requests without a response yet are sent back: those of callbacks and pipelines, with copied meta, do not pass the scheduler.

    `scheduler`: as for OutlinksMiddleware.
    """

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

    Enabled together with its companion on the spider's side, which finds the link of each request in the page that yields it:

        DOWNLOADER_MIDDLEWARES = {"topiccrawler.engine.middlewares.RequestGateMiddleware": 50}
        SPIDER_MIDDLEWARES = {"topiccrawler.engine.middlewares.LinkContextMiddleware": 950}

    Then it decides as a crawl of ours. Without the companion a link has no context, only the anchor text that CrawlSpider's rules store
    (`meta["link_text"]`) and the Referer as its source page. Start requests have no Referer and pass as seeds. A redirect is decided by the
    link that it began with. `TOPIC_LINK_THRESHOLD`: as in a crawl of ours.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        admission = Admission([gate_rule(parts_of_project(crawler, cls.__name__).gate)])
        return cls(admission, crawler.stats)

    def link_of(self, request: Request, target: str) -> tuple[Link, int] | None:
        if (found := super().link_of(request, target)) is not None:
            return found
        first = canonical((request.meta.get("redirect_urls") or [target])[0]) or target
        source = canonical((request.headers.get("Referer") or b"").decode("latin-1")) or ""
        anchor = " ".join(str(request.meta.get("link_text") or "").split())
        return Link(first, host_of(first), anchor, source_url=source), 0


class LinkContextMiddleware:
    """Spider middleware (950, after Referer) for spiders of any project, the companion of RequestGateMiddleware: stores in `meta["via"]` of
    each request the link of the response that it follows, with anchor and context as the link model reads them.

    Of several links to one URL it stores the one with the highest probability, since a crawl of ours queues a URL if any link to it passes.
    """

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(parts_of_project(crawler, cls.__name__))

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        links: dict[str, list[Link]] | None = None
        async for output in result:
            if (
                isinstance(output, Request)
                and "via" not in output.meta
                and isinstance(response, TextResponse)
            ):
                if links is None:
                    links = self._links(response)
                if found := links.get(canonical(output.url) or ""):
                    odds = self.parts.link_model.log_odds(found)
                    output.meta["via"] = Via(found[odds.index(max(odds))])
            yield output

    def _links(self, response: TextResponse) -> dict[str, list[Link]]:
        """The links of a response by canonical URL, in document order."""
        html, encoding = decode(response.body, http_content_type_encoding(content_type(response)))
        depth = response.meta.get("depth", 0) + 1
        found: dict[str, list[Link]] = {}
        for link in extract(
            parse(html),
            canonical(response.url) or response.url,
            depth=depth,
            context=self.parts.context,
            extra_parameters=self.parts.dropped_parameters,
            encoding=encoding,
        ):
            found.setdefault(link.url, []).append(link)
        return found
