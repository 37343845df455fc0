"""Where the crawl's parts meet the engine: links go out of the spider here, the gate looks at strangers' requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from topiccrawler.gate import LinkGate
from topiccrawler.items import Outlinks
from topiccrawler.links.urls import canonical, host_of
from topiccrawler.model import Link, Score
from topiccrawler.scheduler import focused_scheduler
from topiccrawler.scheduling.leases import META

PRIORITY_STEPS = 1000  # a foreign scheduler wants whole numbers: scores in thousandths


class OutlinksMiddleware:
    """Spider middleware (1100, inside all that handle Requests): takes each page's batch of links to the scheduler.

    Under a scheduler that is not ours the batch becomes Requests with a priority.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Seeds use the same door as links."""
        async for output in start:
            if not isinstance(output, Outlinks):
                yield output
            elif (scheduler := focused_scheduler(self.crawler)) is not None:
                scheduler.seed(output.links)
            else:
                for request in expand(output, self.crawler.spider):
                    yield request

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, Outlinks):
                if (scheduler := focused_scheduler(self.crawler)) is not None:
                    scheduler.take_links(output.page, output.links, response.meta.get(META))
                else:
                    for request in expand(output, self.crawler.spider):
                        yield request
            else:
                if isinstance(output, Request):
                    output.meta.pop(
                        META, None
                    )  # a callback that copies response.meta copies the lease as well
                yield output


def expand(outlinks: Outlinks, spider: Spider | None) -> list[Request]:
    """One Request a link that the spider's strategy scores, `priority` in thousandths of its score."""
    runtime = getattr(spider, "runtime", None)
    if runtime is None:
        scores = [Score(link.url, 0.0) for link in outlinks.links]
    else:
        scores = list(runtime.strategy.visit(outlinks.page, outlinks.links))
    best: dict[str, float] = {}
    for score in scores:
        best[score.url] = max(score.value, best.get(score.url, float("-inf")))
    return [Request(url, priority=round(value * PRIORITY_STEPS)) for url, value in best.items()]


class LeaseEndMiddleware:
    """Spider middleware (10, outside all others): counts what a leased page gives and sees that it has given all."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_spider_input(self, response: Response) -> None:
        scheduler = focused_scheduler(self.crawler)
        if scheduler is not None and (lease := scheduler.endings.lease_of(response)) is not None:
            lease.status = response.status

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        scheduler = focused_scheduler(self.crawler)
        lease = scheduler.endings.lease_of(response) if scheduler is not None else None
        async for output in result:
            if lease is not None and not isinstance(output, Request):
                lease.items += 1
            yield output
        if scheduler is not None and lease is not None:
            scheduler.leases.iterated(lease)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        scheduler = focused_scheduler(self.crawler)
        if scheduler is not None and (lease := scheduler.endings.lease_of(response)) is not None:
            scheduler.leases.broke(lease, f"callback: {type(exception).__name__}")


class LinkGateMiddleware:
    """Downloader middleware (50, before robots.txt): the gate for what did not come through the lease loop.

    That is redirect targets, other spiders' requests and foreign schedulers'. It acts on requests that carry link
    text (`meta["via"]`); a request without any is not judged.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        runtime = getattr(self.crawler.spider, "runtime", None)
        via = request.meta.get("via")
        if runtime is None or via is None:
            return
        gate: LinkGate = runtime.gate
        target = canonical(request.url)
        if target is None or target == via.link.url:
            return  # the lease loop has judged this very link
        link = Link(
            target, host_of(target), via.link.anchor, via.link.before, via.link.after, source_url=via.link.url
        )
        verdict = gate.judge(link, max(0, via.tunnel - 1))
        if not verdict.passed:
            if self.crawler.stats is not None:
                self.crawler.stats.inc_value("topic/gate/refused")
            raise IgnoreRequest(verdict.reason)
