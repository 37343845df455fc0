"""The link gate for requests that did not come through the scheduler's lease loop."""

from __future__ import annotations

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector

from topiccrawler.crawling.gate import LinkGate
from topiccrawler.engine.leases import GATE, GATE_REFUSED
from topiccrawler.engine.runtime import needed_runtime
from topiccrawler.model import Link
from topiccrawler.urls.canonical import canonical, host_of


class LinkGateMiddleware:
    """Downloader middleware (50, before robots.txt): the gate for what did not come through the lease loop.

    That is redirect targets, other spiders' requests and foreign schedulers'. It acts on requests that carry link
    text (`meta["via"]`); a request without any is not classified.
    """

    def __init__(self, gate: LinkGate, stats: StatsCollector) -> None:
        self.gate, self.stats = gate, stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(needed_runtime(crawler).gate, crawler.stats)

    def process_request(self, request: Request) -> None:
        via = request.meta.get("via")
        if via is None:
            return
        target, came = canonical(request.url), via.link
        if target is None or target == came.url or via.tunnel:
            return  # the lease loop has classified this very link, or has given it a second chance
        link = Link(target, host_of(target), came.anchor, came.before, came.after, source_url=came.url)
        decision = self.gate.decide(link)
        if not decision.passed:
            self.stats.inc_value(GATE_REFUSED)
            raise IgnoreRequest(decision.reason)
        request.meta[GATE] = decision.reason
