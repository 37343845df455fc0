"""Sets host clocks as servers request, wakes the engine when one is due, and pauses a crawl; robots.txt in little memory.

Crawl-delay, Retry-After, 429 and 503, slowness: Scrapy applies these in the downloader, to requests that already wait in a queue without
scores. The frontier must know before that a host backs off. So they are passed on to the host clocks.

An engine that got no request from the scheduler polls it again after a response, or every 5 s; a crawl of cooling hosts would be idle
most of the time (20 s where 1.2 s is possible). One timer for the earliest host is enough; it goes through `engine.crawl`, the only public
way to make the engine poll.

During a pause no request is sent, including those in the downloader's slots or waiting for a robots.txt. Scrapy's own pause only stops
the polling and lets the downloader send what it has: requests behind a delay, robots.txt files, media. So the last step of a request, the
call of its download handler, waits too. That step is wrapped at the first pause; a crawl that is never paused has Scrapy's alone. A request
whose connection is open ends as usual.

Scrapy keeps the parsed robots.txt of every host for ever, 23 kB with 40 rules. A crawl of many hosts needs the same few often and most of
them once. So only the compressed text of each host is kept (some hundred bytes), and the latest PARSED files in parsed form. Sitemap lines
go to crawling.site_listings.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from email.utils import parsedate_to_datetime
from functools import lru_cache
from itertools import islice
from typing import Self

from scrapy import Request, signals
from scrapy.core.downloader import Slot
from scrapy.core.engine import ExecutionEngine
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.robotstxt import ProtegoRobotParser, RobotParser
from scrapy.settings import BaseSettings
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import CallLaterResult, call_later
from scrapy.utils.httpobj import urlparse_cached

from topiccrawler.crawling.admission import Decision
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.frontier.host_ranking import Pace, Paces
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link
from topiccrawler.pages.site_rules import MOST_LINES, each_once

WAKE = Request("data:,wake", dont_filter=True)  # enqueueing it does nothing but wake the engine


class WakeTimer:
    """At most one timer, set to the earliest time asked for."""

    def __init__(self, engine: ExecutionEngine) -> None:
        self._engine = engine
        self._timer: CallLaterResult | None = None
        self._due = float("inf")

    def at(self, times: Iterable[float | None], now: float) -> None:
        """Wake at the earliest of the times (None = never), if that is earlier than what is set."""
        due = min((time for time in times if time is not None), default=float("inf"))
        if due >= self._due:
            return
        self.cancel()
        self._due = due
        self._timer = call_later(max(0.0, due - now), self._wake)

    def cancel(self) -> None:
        """Forget the timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due = None, float("inf")

    def _wake(self) -> None:
        self._timer, self._due = None, float("inf")
        if self._engine.spider is not None:
            self._engine.crawl(WAKE)


class HeldBackError(IgnoreRequest):
    """The crawl closed while the request was held: its lease goes back to the queue, nothing was asked."""


class Pause:
    """Of one crawl. `wakes`: its scheduler knows the request that only wakes the engine."""

    def __init__(self, engine: ExecutionEngine, *, wakes: bool) -> None:
        self._engine, self._wakes = engine, wakes
        self._laid = False
        self._closing = False
        self._go = asyncio.Event()
        self._begun: Counter[str] = Counter()  # requests let go since the crawl was resumed, by download slot
        self.held = 0

    @property
    def paused(self) -> bool:
        """No request leaves."""
        return self._engine.paused and not self._closing

    def pause(self) -> None:
        """From now on; what is under way ends."""
        if not self._laid:
            self._lay()
        self._go.clear()
        self._engine.pause()

    def resume(self) -> None:
        """Go on at once; held requests to one host leave with its delay between them."""
        self._engine.unpause()
        self._begun.clear()
        self._go.set()
        if self._wakes and self._engine.spider is not None:
            self._engine.crawl(WAKE)

    def _lay(self) -> None:
        """Put the wait before the download handlers, and before the engine's one way to close a crawl, which ends it."""
        self._laid = True
        handlers, engine = self._engine.downloader.handlers, self._engine
        send, close = handlers.download_request_async, engine.close_spider_async

        async def download_request_async(request: Request) -> Response:
            if self.paused:
                await self._wait(request)
            return await send(request)

        async def close_spider_async(*, reason: str = "cancelled") -> None:
            self._closing = True
            self._go.set()
            await close(reason=reason)

        handlers.download_request_async = download_request_async  # type: ignore[method-assign]
        engine.close_spider_async = close_spider_async  # type: ignore[method-assign]

    async def _wait(self, request: Request) -> None:
        self.held += 1
        try:
            while self.paused:
                await self._go.wait()
                if self._closing:
                    raise HeldBackError("held back by a pause")
                await asyncio.sleep(self._in_turn(request))
        finally:
            self.held -= 1

    def _in_turn(self, request: Request) -> float:
        """Seconds until the request may leave: a slot's held requests do not leave all at once."""
        key = request.meta.get("download_slot", "")
        slot = self._engine.downloader.slots.get(key)
        before = self._begun[key]
        self._begun[key] += 1
        return before * slot.delay if slot is not None else 0.0


TOO_BUSY = (429, 503)


@dataclass(eq=False)
class Politeness:
    """Listens to the engine and slows hosts down; only `frontier/…` stats and `Hosts` are changed."""

    hosts: Hosts
    clock: Callable[[], float]
    stats: StatsCollector
    slots: Mapping[str, Slot]  # the downloader's, whose delays AutoThrottle sets; empty when it is off
    _: KW_ONLY
    user_agent: str
    crawl_delay_max_seconds: float
    backoff_seconds: float
    backoff_max_seconds: float
    listings: SiteListings | None = (
        None  # gets the Sitemap lines of robots.txt, where ROBOTSTXT_PARSER has `sitemaps`
    )
    _robots: dict[str, RobotParser] = field(default_factory=dict)  # by host, as Scrapy keeps them anyway
    _strikes: dict[str, int] = field(default_factory=dict)  # answers in a row that said a host is busy

    @classmethod
    def from_crawler(cls, crawler: Crawler, crawl: Crawl) -> Self:
        """Listening from now on. Must come after AutoThrottle, whose new delay it reads."""
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
        """robots.txt may ask for a delay of its own, and name sitemaps."""
        if self.listings is not None:
            lines: Iterable[str] = getattr(robotparser, "sitemaps", list)()
            self.listings.declare(host_key(request), each_once(islice(lines, MOST_LINES), request.url))
        self._robots[host_key(request)] = robotparser
        delay = robotparser.crawl_delay(self.user_agent)
        if delay is not None and delay > 0:
            seconds = min(float(delay), self.crawl_delay_max_seconds)
            self.hosts.set_delay(host_key(request), seconds, "robots")
            self.stats.inc_value("frontier/crawl_delay_hosts")

    def robots_txt(self, link: Link) -> Decision | None:
        """What the robots.txt of a link's host says of it, for explanations; None while it has not been read."""
        parser = self._robots.get(link.host)
        if parser is None:
            return None
        return Decision(parser.allowed(link.url, self.user_agent))

    def response_downloaded(self, response: Response, request: Request) -> None:
        """A busy server is left alone for as long as it asks; a slow one is asked less often."""
        host = host_key(request)
        if response.status in TOO_BUSY:
            now = self.clock()
            strikes = self._strikes[host] = self._strikes.get(host, 0) + 1
            asked = retry_after_seconds(response, now)
            seconds = asked if asked is not None else self.backoff_seconds * 2 ** (strikes - 1)
            until = now + min(seconds, self.backoff_max_seconds)
            self.hosts.back_off(host, until, "retry-after" if asked else "back-off")
            self.stats.inc_value("frontier/back_offs/retry_after" if asked else "frontier/back_offs/back_off")
        else:
            self._strikes.pop(host, None)
        if (slot := self.slots.get(request.meta.get("download_slot", ""))) is not None:
            self.hosts.set_delay(host, float(slot.delay), "autothrottle")


def paces_of(settings: BaseSettings) -> Paces:
    """DOWNLOAD_DELAY and CONCURRENT_REQUESTS_PER_DOMAIN, and for single hosts DOWNLOAD_SLOTS."""
    usual = Pace(settings.getfloat("DOWNLOAD_DELAY"), settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
    return Paces(
        usual,
        {
            host: Pace(
                float(slot.get("delay", usual.delay_seconds)), int(slot.get("concurrency", usual.concurrency))
            )
            for host, slot in settings.getdict("DOWNLOAD_SLOTS").items()
        },
    )


def host_key(request: Request) -> str:
    """The host as `Link.host` spells it: lower case, with a port that is not the scheme's own."""
    parts = urlparse_cached(request)
    host = (parts.hostname or "").lower()
    try:
        port = parts.port
    except ValueError:
        port = None
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return host if port is None or port == usual else f"{host}:{port}"


def retry_after_seconds(response: Response, now: float) -> float | None:
    """Retry-After as seconds from now: a number of seconds or an HTTP date; None when absent or senseless."""
    text = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


PARSED = 1_000  # files
MOST_BYTES = 512_000  # of a file; RFC 9309 asks for so many to be read


class CompactRobotParser(RobotParser):
    """ROBOTSTXT_PARSER: answers as Scrapy's own does, by Protego."""

    def __init__(self, body: bytes) -> None:
        self._packed = zlib.compress(body[:MOST_BYTES])

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:  # noqa: ARG003 Scrapy's signature
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        return _parsed(self._packed).allowed(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        return _parsed(self._packed).crawl_delay(user_agent)

    def sitemaps(self) -> Iterable[str]:
        """The URLs of its Sitemap lines, as written."""
        return _parsed(self._packed).rp.sitemaps


@lru_cache(PARSED)
def _parsed(packed: bytes) -> ProtegoRobotParser:
    return ProtegoRobotParser(zlib.decompress(packed), None)
