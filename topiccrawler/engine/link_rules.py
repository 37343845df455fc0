"""Applies Scrapy's rules for the Requests of a page to its links, as rules of the crawl's admission (crawling.admission).

DEPTH_LIMIT, URLLENGTH_LIMIT and `allowed_domains` keep links out of the queue; the request of a leased link gets its Referer. The crawl's
own instances of Scrapy's middlewares are used, so that their settings, a project's subclasses of them and one that is switched off all have
effect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.http import Response
from scrapy.spidermiddlewares.depth import DepthMiddleware
from scrapy.spidermiddlewares.referer import RefererMiddleware
from scrapy.spidermiddlewares.urllength import UrlLengthMiddleware
from scrapy.statscollectors import StatsCollector

from topiccrawler.crawling import admission
from topiccrawler.model import Link

STATS = {  # stats key by rule
    admission.DEPTH: "depth/request_ignored_count",
    admission.URL_LENGTH: "urllength/request_ignored_count",
    admission.ALLOWED_DOMAINS: "offsite/filtered",
    admission.PRIVATE_NETWORK: "topic/private_addresses/refused",
    admission.GATE: "topic/gate/not_queued",
}


def count_refused(stats: StatsCollector, rule: str, links: Sequence[Link]) -> None:
    """Count links that a rule refused, under the rule's stats key. Not counted: URLs that the user has blocked, budgets and traps."""
    if (key := STATS.get(rule)) is not None:
        stats.inc_value(key, len(links))


@dataclass(eq=False)
class LinkRules:
    """Admission rules by Scrapy's middlewares. `depth`, `url_length`, `referer`, `offsite`: the crawl's instances; None = not enabled."""

    crawler: Crawler  # its spider may change `allowed_domains` at any time
    stats: StatsCollector
    depth: DepthMiddleware | None
    url_length: UrlLengthMiddleware | None
    referer: RefererMiddleware | None
    offsite: OffsiteMiddleware | None
    _compiled: tuple[tuple[str, ...], re.Pattern[str]] | None = None  # domains, pattern of their hosts

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Collect the middlewares of a crawler. Call it after Scrapy has made them."""
        return cls(
            crawler,
            crawler.stats,
            crawler.get_spider_middleware(DepthMiddleware),
            crawler.get_spider_middleware(UrlLengthMiddleware),
            crawler.get_spider_middleware(RefererMiddleware),
            crawler.get_downloader_middleware(OffsiteMiddleware),
        )

    def rules(self) -> list[admission.Rule]:
        """The admission rules of the enabled middlewares."""
        found = [admission.allowed_domains(self._allows)]
        if self.depth is not None:
            found.append(admission.depth_limit(self.depth.maxdepth))
        if self.url_length is not None:
            found.append(admission.url_length(self.url_length.maxlength))
        return found

    def refused(self, rule: str, links: Sequence[Link]) -> None:
        """Count links that a rule refused, under the stats keys of Scrapy's middlewares or our own."""
        if rule == admission.ALLOWED_DOMAINS and self.offsite is not None:
            seen = self.offsite.domains_seen
            if new := {urlsplit(link.url).hostname or "" for link in links} - seen:
                seen |= new
                self.stats.inc_value("offsite/domains", len(new))
        count_refused(self.stats, rule, links)

    def mark(self, request: Request, link: Link) -> None:
        """Set on the request of a leased link what Scrapy's middlewares would set if the page had yielded it: depth stats, Referer, and for
        a seed `allow_offsite`."""
        if self.depth is not None:
            if self.depth.verbose_stats:
                self.stats.inc_value(f"request_depth_count/{link.depth}")
            self.stats.max_value("request_depth_max", link.depth)
        if not link.source_url:
            request.meta["allow_offsite"] = True  # a seed, as Scrapy's start requests
        elif self.referer is not None:
            self.referer.get_processed_request(request, Response(link.source_url))

    def _allows(self) -> Callable[[str], bool] | None:
        offsite, spider = self.offsite, self.crawler.spider
        domains = tuple(getattr(spider, "allowed_domains", None) or ())
        if offsite is None or spider is None or not domains:
            return None
        if type(offsite).should_follow is not OffsiteMiddleware.should_follow:
            # a project's own rule needs the Request, so its middleware checks each leased request
            return None
        if self._compiled is None or self._compiled[0] != domains:
            self._compiled = domains, offsite.get_host_regex(spider)
        matches = self._compiled[1].search
        return lambda host: matches(host) is not None
