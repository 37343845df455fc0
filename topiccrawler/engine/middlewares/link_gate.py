"""The link gate for requests that did not come through the scheduler's lease loop."""

from __future__ import annotations

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest

from topiccrawler.crawl.gate import LinkGate
from topiccrawler.model import Link
from topiccrawler.urls.canonical import canonical, host_of


class LinkGateMiddleware:
    """Downloader middleware (50, before robots.txt): the gate for what did not come through the lease loop.

    That is redirect targets, other spiders' requests and foreign schedulers'. It acts on requests that carry link
    text (`meta["via"]`); a request without any is not classified.
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
            return  # the lease loop has classified this very link
        link = Link(
            target, host_of(target), via.link.anchor, via.link.before, via.link.after, source_url=via.link.url
        )
        decision = gate.decide(link, max(0, via.tunnel - 1))
        if not decision.passed:
            if self.crawler.stats is not None:
                self.crawler.stats.inc_value("topic/gate/refused")
            raise IgnoreRequest(decision.reason)
