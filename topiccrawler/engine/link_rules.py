"""What Scrapy does to the Requests a page gives, done to its links: they become Requests only when they are leased.

DEPTH_LIMIT, URLLENGTH_LIMIT and `allowed_domains` keep links out of the queue; a leased link gets its Referer. Scrapy's own
middlewares are asked, so that their settings, a project's subclasses of them and one that is switched off all count.

A leased request that comes back to the scheduler: where it goes on to, and whether it may.

A redirect leads the request of one leased URL to another, perhaps of another host, which may be waiting, under way or done
with already. So the target is leased along and ends with the lease; a known one ends it at once. A retry stays where it is.
Either way the host's slot is given back; the request takes a new one.
"""

from __future__ import annotations

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

from topiccrawler.engine.leases import Lease
from topiccrawler.engine.politeness import host_key
from topiccrawler.frontier.base import Frontier
from topiccrawler.model import Link, Score
from topiccrawler.urls.canonical import canonical, host_of


@dataclass(eq=False)
class LinkRules:
    """`depth`, `url_length`, `referer`, `offsite`: the crawl's own middlewares; None where there is none."""

    crawler: Crawler  # its spider may change `allowed_domains` at any time
    stats: StatsCollector
    depth: DepthMiddleware | None
    url_length: UrlLengthMiddleware | None
    referer: RefererMiddleware | None
    offsite: OffsiteMiddleware | None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """When the middlewares have been made."""
        return cls(
            crawler,
            crawler.stats,
            crawler.get_spider_middleware(DepthMiddleware),
            crawler.get_spider_middleware(UrlLengthMiddleware),
            crawler.get_spider_middleware(RefererMiddleware),
            crawler.get_downloader_middleware(OffsiteMiddleware),
        )

    def admitted(self, links: Sequence[Link]) -> Sequence[Link]:
        """The links of a page that may be queued; the others are counted under the keys of Scrapy's middlewares."""
        if self.depth is not None and (deepest := self.depth.maxdepth):
            links = self._those(links, lambda link: link.depth <= deepest, "depth/request_ignored_count")
        if self.url_length is not None:
            longest = self.url_length.maxlength
            links = self._those(
                links, lambda link: len(link.url) <= longest, "urllength/request_ignored_count"
            )
        return self._on_site(links)

    def mark(self, request: Request, link: Link) -> None:
        """Give the Request of a leased link what it would have if the page had given it."""
        if self.depth is not None:
            if self.depth.verbose_stats:
                self.stats.inc_value(f"request_depth_count/{link.depth}")
            self.stats.max_value("request_depth_max", link.depth)
        if not link.source_url:
            request.meta["allow_offsite"] = True  # a seed, as Scrapy's start requests
        elif self.referer is not None:
            self.referer.get_processed_request(request, Response(link.source_url))

    def _on_site(self, links: Sequence[Link]) -> Sequence[Link]:
        offsite, spider = self.offsite, self.crawler.spider
        if offsite is None or spider is None or not getattr(spider, "allowed_domains", None):
            return links
        if type(offsite).should_follow is not OffsiteMiddleware.should_follow:
            return links  # a project's own rule wants the Request: the downloader asks it for each lease
        allowed = offsite.get_host_regex(spider)
        hosts = {link.url: urlsplit(link.url).hostname or "" for link in links}
        off = {host for host in hosts.values() if not allowed.search(host)}
        if new := off - offsite.domains_seen:
            offsite.domains_seen |= new
            self.stats.inc_value("offsite/domains", len(new))
        return self._those(links, lambda link: hosts[link.url] not in off, "offsite/filtered")

    def _those(self, links: Sequence[Link], passes: Callable[[Link], bool], refused: str) -> Sequence[Link]:
        kept = [link for link in links if passes(link)]
        if len(kept) == len(links):
            return links
        self.stats.inc_value(refused, len(links) - len(kept))
        return kept


KNOWN = "redirect to a known page"
NO_PAGE = "redirect to no page"


def follow(lease: Lease, request: Request, frontier: Frontier, now: float) -> str | None:
    """Take the lease along to where its request goes next. A text = it goes no further, for that reason."""
    link, target = lease.leased.link, canonical(request.url)
    if target is None:
        return NO_PAGE
    if target not in (link.url, *lease.redirect_targets):
        there = Link(target, host_of(target), link.anchor, depth=link.depth, source_url=link.url)
        score = Score(target, lease.leased.score, shares=lease.leased.shares)
        if frontier.lease(now, target=(there, score)) is None:
            return KNOWN
        lease.redirect_targets.append(target)
    frontier.release(now, [link.url], slots_only=True)
    lease.release_slot(frontier.hosts, now)
    lease.host = host_key(request)
    return None
