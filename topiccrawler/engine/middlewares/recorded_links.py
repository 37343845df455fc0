"""Keeps a replayed crawl inside its recording: links to pages that were not recorded are not queued, only counted.

A spider middleware nearer to the spider than OutlinksMiddleware (1100), which `scrapy compare --live` adds: it compares in
which order pages are fetched, not how fast 404s are.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from topiccrawler.engine.replay_handler import shared_web
from topiccrawler.items import Outlinks
from topiccrawler.replay.warc import RecordedWeb

_HELD = range(200, 400)


class RecordedLinksMiddleware:
    """Needs the setting REPLAY_WARC; counts `topic/links/not_recorded`."""

    def __init__(self, web: RecordedWeb, stats: StatsCollector) -> None:
        self.web, self.stats = web, stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(shared_web(crawler.settings.get("REPLAY_WARC")), crawler.stats)

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, Outlinks):
                recorded = [link for link in output.links if self.web.find(link.url).status in _HELD]
                self.stats.inc_value("topic/links/not_recorded", len(output.links) - len(recorded))
                yield Outlinks(output.page, recorded)
            else:
                yield output
