"""Slows down the requests to a host as its server asks.

The signs are Crawl-delay, Retry-After, the statuses 429 and 503, challenges in place of pages, and slow responses. Scrapy applies them in the downloader, to requests
that already wait in a queue without scores. The frontier must know earlier that a host backs off. So they are applied to the host clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from itertools import islice
from typing import Any, Self

from scrapy import Request, signals
from scrapy.core.downloader import Slot
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from scrapy.settings import BaseSettings
from scrapy.statscollectors import StatsCollector
from scrapy.utils.httpobj import urlparse_cached

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.outages import RETRY_AFTER, Outages, Patience
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.engine.download_failures import way_of
from topiccrawler.frontier.host_ranking import Pace, Paces
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.pages.metadata import http_time
from topiccrawler.pages.site_rules import MOST_LINES, each_once

CRAWL_DELAY = "robots"  # reason of a host's delay
LONGEST_CRAWL_DELAY = 60.0  # seconds; a longer Crawl-delay in robots.txt is cut to this


@dataclass(eq=False)
class Politeness:
    """Receives signals of Scrapy's engine, adapts the delays of hosts, and reports responses to the crawl's outages, which back hosts
    off."""

    hosts: Hosts
    outages: Outages
    clock: Callable[[], float]
    stats: StatsCollector
    slots: Mapping[str, Slot]  # of the downloader; AutoThrottle sets their delays; empty when it is off
    _: KW_ONLY
    user_agent: str
    # receives the Sitemap lines of robots.txt, if the ROBOTSTXT_PARSER has `sitemaps`
    listings: SiteListings | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, crawl: Crawl) -> Self:
        """Create the object and connect its signal handlers. Call it after AutoThrottle is made: it reads the delay that AutoThrottle has
        set."""
        settings = crawler.settings
        politeness = cls(
            crawl.hosts,
            crawl.outages,
            crawl.clock,
            crawler.stats,
            crawler.engine.downloader.slots if settings.getbool("AUTOTHROTTLE_ENABLED") else {},
            user_agent=settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT"),
            listings=crawl.ordering.listings,
        )
        crawler.signals.connect(politeness.robots_parsed, signals.robots_parsed)
        crawler.signals.connect(politeness.response_downloaded, signals.response_downloaded)
        return politeness

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Apply the Crawl-delay of a robots.txt to its host, at most LONGEST_CRAWL_DELAY, and pass on its sitemaps. A file that is read
        again without it ends the delay."""
        host = host_key(request)
        if self.listings is not None:
            lines: Iterable[str] = getattr(robotparser, "sitemaps", list)()
            self.listings.declare(host, each_once(islice(lines, MOST_LINES), request.url))
        seconds = min(float(robotparser.crawl_delay(self.user_agent) or 0.0), LONGEST_CRAWL_DELAY)
        if seconds > 0 or CRAWL_DELAY in self.hosts.delays(host):
            self.hosts.set_delay(host, seconds, CRAWL_DELAY)

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Report a response to the outages, and set the delay that AutoThrottle computed."""
        host, now = host_key(request), self.clock()
        reason = self.outages.answered(
            f"{urlparse_cached(request).scheme}://{host}",
            host,
            response.status,
            now,
            begun=now - request.meta.get("download_latency", 0.0),
            way=way_of(request),
            is_probe=PROBE in request.meta,
            is_robots=ROBOTS in request.meta,
            retry_after=retry_after_seconds(response, now),
        )
        if reason is not None:
            asked = reason == RETRY_AFTER
            self.stats.inc_value("frontier/back_offs/retry_after" if asked else "frontier/back_offs/back_off")
        if (slot := self.slots.get(request.meta.get("download_slot", ""))) is not None:
            self.hosts.set_delay(host, float(slot.delay), "autothrottle")


ROBOTS = "topic_robots"  # key in request.meta of a request for a robots.txt
PROBE = "topic_probe"  # key in request.meta of a request that probes the network


def paces_of(settings: BaseSettings) -> Paces:
    """The delay and concurrency of hosts: DOWNLOAD_DELAY and CONCURRENT_REQUESTS_PER_DOMAIN, and DOWNLOAD_SLOTS for single hosts."""
    usual = Pace(settings.getfloat("DOWNLOAD_DELAY"), settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
    slots = settings.getdict("DOWNLOAD_SLOTS")
    return Paces(usual, {host: _pace(slot, usual) for host, slot in slots.items()})


def _pace(slot: Mapping[str, Any], usual: Pace) -> Pace:
    return Pace(
        float(slot.get("delay", usual.delay_seconds)), int(slot.get("concurrency", usual.concurrency))
    )


def patience_of(settings: BaseSettings) -> Patience:
    """How often failures are tried again, and after which gaps."""
    return Patience(
        url_tries=settings.getint("FRONTIER_URL_TRIES"),
        first_seconds=settings.getfloat("FRONTIER_BACKOFF_SECONDS"),
        most_seconds=settings.getfloat("FRONTIER_BACKOFF_MAX_SECONDS"),
    )


def host_key(request: Request) -> str:
    """The host of a request in the spelling of `Link.host`: lower case, without a dot at its end, an IPv6 address in brackets, with the port
    when it is not the default of the scheme."""
    parts = urlparse_cached(request)
    host = (parts.hostname or "").lower().rstrip(".")
    if ":" in host:
        host = f"[{host}]"
    try:
        port = parts.port
    except ValueError:
        port = None
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return host if port is None or port == usual else f"{host}:{port}"


def retry_after_seconds(response: Response, now: float) -> float | None:
    """The Retry-After header in seconds from now; the header has a number of seconds or an HTTP date. None when it is absent or invalid."""
    text = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    date = http_time(text)
    return None if date is None else max(0.0, date - now)
