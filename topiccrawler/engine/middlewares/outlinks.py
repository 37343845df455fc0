"""Takes each page's batch of links out of the spider's output and to the scheduler."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response

from topiccrawler.engine.leases import META
from topiccrawler.engine.scheduler import focused_scheduler
from topiccrawler.items import Outlinks
from topiccrawler.model import Score

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
