"""Slows down the requests to a host as its server asks.

The signs are Crawl-delay, Retry-After, the statuses 429 and 503, challenges in place of pages, and slow responses. Scrapy applies them in the downloader, to requests
that already wait in a queue without scores. The frontier must know earlier that a host backs off. So they are applied to the host clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
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
from topiccrawler.crawling.settings_check import Number
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.errors import ArgumentError, shortened
from topiccrawler.frontier.host_ranking import Pace, Paces
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.pages.metadata import http_time
from topiccrawler.pages.site_rules import MOST_LINES, each_once

TOO_BUSY = (429, 503)
CRAWL_DELAY = "robots"  # reason of a host's delay
MOST_DOUBLINGS = 30  # of a back-off: 10 s become 340 years


@dataclass(eq=False)
class Politeness:
    """Receives signals of Scrapy's engine and adapts the delays and back-offs of hosts; changes only `Hosts` and `frontier/…` stats."""

    hosts: Hosts
    clock: Callable[[], float]
    stats: StatsCollector
    slots: Mapping[str, Slot]  # of the downloader; AutoThrottle sets their delays; empty when it is off
    _: KW_ONLY
    user_agent: str
    crawl_delay_max_seconds: float
    backoff_seconds: float
    backoff_max_seconds: float
    listings: SiteListings | None = (
        None  # receives the Sitemap lines of robots.txt, if the ROBOTSTXT_PARSER has `sitemaps`
    )
    _strikes: dict[str, int] = field(default_factory=dict)  # by host: answers in a row: 429, 503, challenges
    _challenging: set[str] = field(default_factory=set)  # hosts whose latest page was a challenge

    @classmethod
    def from_crawler(cls, crawler: Crawler, crawl: Crawl) -> Self:
        """Create the object and connect its signal handlers. Call it after AutoThrottle is made: it reads the delay that AutoThrottle has
        set."""
        settings = crawler.settings
        politeness = cls(
            crawl.hosts,
            crawl.clock,
            crawler.stats,
            crawler.engine.downloader.slots if settings.getbool("AUTOTHROTTLE_ENABLED") else {},
            user_agent=settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT"),
            crawl_delay_max_seconds=settings.getfloat("FRONTIER_CRAWL_DELAY_MAX_SECONDS", 60.0),
            backoff_seconds=settings.getfloat("FRONTIER_BACKOFF_SECONDS", 10.0),
            backoff_max_seconds=settings.getfloat("FRONTIER_BACKOFF_MAX_SECONDS", 3600.0),
            listings=crawl.ordering.listings,
        )
        crawler.signals.connect(politeness.robots_parsed, signals.robots_parsed)
        crawler.signals.connect(politeness.response_downloaded, signals.response_downloaded)
        return politeness

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Apply the Crawl-delay of a robots.txt to its host, at most `crawl_delay_max_seconds`, and pass on its sitemaps. A file that is read
        again without it ends the delay."""
        host = host_key(request)
        if self.listings is not None:
            lines: Iterable[str] = getattr(robotparser, "sitemaps", list)()
            self.listings.declare(host, each_once(islice(lines, MOST_LINES), request.url))
        seconds = min(float(robotparser.crawl_delay(self.user_agent) or 0.0), self.crawl_delay_max_seconds)
        had = CRAWL_DELAY in self.hosts.delays(host)
        if seconds > 0 or had:
            self.hosts.set_delay(host, seconds, CRAWL_DELAY)
        if seconds > 0 and not had:
            self.stats.inc_value("frontier/crawl_delay_hosts")

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Apply a response to the clock of its host: 429 and 503 start a back-off, of Retry-After or else of exponential length; otherwise
        the delay that AutoThrottle computed is set."""
        host = host_key(request)
        if response.status in TOO_BUSY:
            now = self.clock()
            strikes = self._strikes[host] = self._strikes.get(host, 0) + 1
            asked = retry_after_seconds(
                response, now
            )  # 0 asks for no pause, which a busy host needs all the same
            self._back_off(host, asked or self._gap(strikes), "retry-after" if asked else "back-off")
            self.stats.inc_value("frontier/back_offs/retry_after" if asked else "frontier/back_offs/back_off")
        elif host not in self._challenging:
            self._strikes.pop(host, None)
        if (slot := self.slots.get(request.meta.get("download_slot", ""))) is not None:
            self.hosts.set_delay(host, float(slot.delay), "autothrottle")

    def challenged(self, host: str) -> None:
        """Begin a back-off of a host that answered with a challenge, twice as long as the one before. It was answered with status 200, so
        only `recovered` resets the length."""
        strikes = self._strikes[host] = self._strikes.get(host, 0) + 1
        self._challenging.add(host)
        self._back_off(host, self._gap(strikes), "challenge")
        self.stats.inc_value("frontier/back_offs/challenge")

    def recovered(self, host: str) -> None:
        """Note that a host answered with a page."""
        if host in self._challenging:
            self._challenging.remove(host)
            self._strikes.pop(host, None)

    def _gap(self, strikes: int) -> float:
        return self.backoff_seconds * 2.0 ** min(strikes - 1, MOST_DOUBLINGS)

    def _back_off(self, host: str, seconds: float, reason: str) -> None:
        self.hosts.back_off(host, self.clock() + min(seconds, self.backoff_max_seconds), reason)


DOWNLOAD_SLOTS = "DOWNLOAD_SLOTS"
_OF_SLOT = {"delay": Number(), "concurrency": Number(1, whole=True)}


def paces_of(settings: BaseSettings) -> Paces:
    """The delay and concurrency of hosts: DOWNLOAD_DELAY and CONCURRENT_REQUESTS_PER_DOMAIN, and DOWNLOAD_SLOTS for single hosts.
    ArgumentError for a wrong value in DOWNLOAD_SLOTS."""
    usual = Pace(settings.getfloat("DOWNLOAD_DELAY"), settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
    slots = settings.getdict(DOWNLOAD_SLOTS)
    return Paces(
        usual, {host: _pace(f"{DOWNLOAD_SLOTS}: {host}", slot, usual) for host, slot in slots.items()}
    )


def _pace(what: str, slot: Any, usual: Pace) -> Pace:
    if not isinstance(slot, Mapping):
        raise ArgumentError(what, f"is {shortened(slot)}", "give hosts a delay, a concurrency, or both")
    for name, expected in _OF_SLOT.items():
        if name in slot and not expected.accepts(slot[name]):
            raise ArgumentError(f"{what}: {name}", f"is {shortened(slot[name])}", f"it must be {expected}")
    return Pace(
        float(slot.get("delay", usual.delay_seconds)), int(slot.get("concurrency", usual.concurrency))
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
