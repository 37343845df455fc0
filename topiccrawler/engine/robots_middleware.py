"""Obeys robots.txt as RFC 9309 says: a host whose file cannot be read is closed for a while, and files are read again after a day.

Scrapy takes a server that fails, or that sends what cannot be decompressed, for one that allows everything, and asks once in a crawl. Here

    2xx             the rules count until the file is too old
    3xx, 4xx        there are no rules, all is allowed; so are more than MOST_REDIRECTS redirects. After 429 the host backs off first
                    (engine.politeness), and the file is asked for again soon
    5xx, no answer  the host is closed, unless an earlier file is known, which counts on (2.4). The file is asked for again after
                    RETRY_SECONDS, then after twice as long, at most `most_seconds`

The URLs of a closed host go back to the queue with their scores. Its clock runs until the file is asked for again, so it takes no slot of
other hosts; and hosts that have failed before may use only a part of all slots (AGAIN_SHARE) for the next try, as each of them may take
DOWNLOAD_TIMEOUT. When nothing else waits, the crawl ends after GIVE_UP tries; the URLs stay in the queue of the job.
"""

from __future__ import annotations

import logging
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.signals import robots_parsed
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler
from twisted.internet.defer import Deferred

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.robots_notes import CLOSED, ROBOTS_NOTE, UNREACHABLE, RobotsNote
from topiccrawler.engine.download_failures import INCOMPLETE, OF_HOST, REDIRECTS, reason_of
from topiccrawler.engine.incomplete_answers import FLAG
from topiccrawler.engine.leases import PostponedError
from topiccrawler.engine.opening import crawl_of
from topiccrawler.engine.pausing import HeldBackError
from topiccrawler.engine.politeness import ROBOTS, host_key
from topiccrawler.engine.reading import USAGE
from topiccrawler.engine.scheduler import focused_scheduler
from topiccrawler.pages.robots_txt import product_token

logger = logging.getLogger(__name__)

AGE_SECONDS = 86_400.0  # after which a file is read again, or sooner by its Cache-Control
RETRY_SECONDS = 60.0  # after which an unreadable file is asked for again; it doubles each time
MOST_REDIRECTS = 5  # of a robots.txt; RFC 9309, 2.3.1.2
AGAIN_SHARE = 8  # hosts whose robots.txt failed may use one of so many slots at once
GIVE_UP = 3  # tries in a row, after which the crawl does not wait for this host alone
LEAST_SHARE = 24  # Cache-Control may shorten the age of a file to a 24th: an hour of a day
MOST_DOUBLINGS = 20
_MAX_AGE = re.compile(rb"(?:^|[\s,])max-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
_NOT_TEXT = re.compile(rb"[\x01-\x08\x0e-\x1a]")  # octets of compressed data; hardly any text has them
MOST_CONTROLS = 0.02  # share of such octets in a text
_GZIP = b"\x1f\x8b"


class UnreadableError(Exception):
    """A robots.txt that was answered but cannot be read; its text says why."""


@dataclass(slots=True)
class HostRobots:
    """The robots.txt of one host. `parser`: its rules; None = it was never read."""

    parser: RobotParser | None = None
    until: float = float("-inf")  # when it is asked for again
    fault: str = ""  # of the latest try; empty = it was answered
    failures: int = 0  # tries in a row
    waiting: list[Deferred[None]] | None = None  # for the answer; None = it is not being asked for


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said to a request for its robots.txt: its rules, how long they count (seconds), and the answer in words."""

    parser: RobotParser
    seconds: float
    said: str


class UsageRobotsMiddleware(RobotsTxtMiddleware):
    """Stores in the meta of each request that may be sent what robots.txt says about the use of its page, if the ROBOTSTXT_PARSER has
    `usage`."""

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        super().process_request_2(rp, request)
        request.meta.pop(USAGE, None)  # of the request that was redirected
        if read := getattr(rp, "usage", None):
            agent = self._robotstxt_useragent or request.headers.get(b"User-Agent", self._default_useragent)
            if found := read(request.url, agent):
                request.meta[USAGE] = found


class PlainRobotsMiddleware(UsageRobotsMiddleware):
    """Scrapy's middleware, whose first waiter for a robots.txt gets the rules and all others nothing (2.19), as if all were allowed."""

    async def robot_parser(self, request: Request) -> RobotParser | None:
        await super().robot_parser(request)
        parser = self._parsers[urlparse_cached(request).netloc]
        return None if isinstance(parser, Deferred) else parser


class HostRobotsMiddleware(UsageRobotsMiddleware):
    """Downloader middleware in place of Scrapy's RobotsTxtMiddleware, with its settings, stats and the signal `robots_parsed`.

    `most_seconds`: the longest time between two tries. Spiders without a topic and replays get PlainRobotsMiddleware: a recording does not recover.
    """

    def __init__(
        self,
        crawler: Crawler,
        crawl: Crawl,
        *,
        most_seconds: float,
        slots: int,
    ) -> None:
        super().__init__(crawler)
        self._crawl = crawl
        self._most_seconds = most_seconds
        self._most_again, self._again = max(1, slots // AGAIN_SHARE), 0
        self._hosts: dict[str, HostRobots] = {}
        self._no_rules: RobotParser = build_from_crawler(self._parserimpl, crawler, b"")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | RobotsTxtMiddleware:  # type: ignore[override]
        settings, crawl = crawler.settings, crawl_of(crawler)
        if crawl is None or settings.get("REPLAY_WARC"):
            return PlainRobotsMiddleware(crawler)
        middleware = cls(
            crawler,
            crawl,
            most_seconds=settings.getfloat("FRONTIER_BACKOFF_MAX_SECONDS", 3600.0),
            slots=settings.getint("CONCURRENT_REQUESTS"),
        )
        crawl.outages.returned = middleware.network_returned
        return middleware

    async def process_request(self, request: Request) -> Request | None:  # type: ignore[override]
        scheme = urlparse_cached(request).scheme
        if request.meta.get("dont_obey_robotstxt") or scheme not in {"http", "https"}:
            return None
        host = host_key(request)
        robots = await self._robots_of(host, request)
        if robots.parser is None:
            return self._turn_away(request, host, robots.fault)
        self.process_request_2(robots.parser, request)
        return None

    def given_up(self, host: str) -> bool:
        """Whether a crawl in which nothing else waits ends without this host: after GIVE_UP tries; at once when no page has come at all and
        there is no connection, for then it is the address or the network that is wrong."""
        robots = self._hosts.get(host)
        if robots is None or robots.parser is not None or not robots.failures:
            return False
        return robots.failures >= GIVE_UP or (robots.fault in OF_HOST and self._crawl.harvest.pages == 0)

    def network_returned(self, failed: Sequence[str]) -> None:
        """Ask again at once for the files of hosts that could not be reached in an outage of the network."""
        for host in failed:
            robots = self._hosts.get(host)
            if robots is not None and robots.failures and robots.fault in OF_HOST:
                robots.until, robots.failures = float("-inf"), 0
                if robots.parser is None:
                    self._crawl.hosts.reopen(host)

    async def _robots_of(self, host: str, request: Request) -> HostRobots:
        """The robots.txt of a host, asked for if it must be. Requests that need it at the same time wait for one answer."""
        robots = self._hosts.setdefault(host, HostRobots())
        if robots.waiting is not None:
            answered: Deferred[None] = Deferred()
            robots.waiting.append(answered)
            await maybe_deferred_to_future(answered)
        elif self._crawl.clock() >= robots.until:
            if robots.failures and self._again >= self._most_again:
                self._wait(host, robots, RETRY_SECONDS)
            else:
                await self._ask(host, robots, request)
        return robots

    async def _ask(self, host: str, robots: HostRobots, request: Request) -> None:
        robots.waiting, is_again = [], robots.failures > 0
        self._again += is_again
        try:
            answer = await self._answer(host, request, is_again=is_again)
        except HeldBackError:  # the crawl closes
            raise
        except Exception as error:  # noqa: BLE001 whatever it was, no rules were read
            self._failed(host, robots, error)
        else:
            now = self._crawl.clock()
            robots.parser, robots.fault, robots.failures = answer.parser, "", 0
            robots.until = now + answer.seconds
            self._note(host, answer.said, robots)
            await self.crawler.signals.send_catch_log_async(
                signal=robots_parsed, robotparser=answer.parser, request=request
            )
        finally:
            self._again -= is_again
            waiting, robots.waiting = robots.waiting, None
            for answered in waiting:
                answered.callback(None)

    async def _answer(self, host: str, request: Request, *, is_again: bool) -> Answer:
        """The answer to a request for a robots.txt. UnreadableError, or what the downloader raises, when there are no rules to be had."""
        asked = Request(
            f"{urlparse_cached(request).scheme}://{host}/robots.txt",
            priority=self.DOWNLOAD_PRIORITY,
            meta={
                ROBOTS: True,
                "dont_obey_robotstxt": True,
                "allow_offsite": True,  # for redirects to another domain
                "redirect_ttl": MOST_REDIRECTS,
                "dont_retry": is_again,
            },
            callback=NO_CALLBACK,
        )
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await self.crawler.engine.download_async(asked)
        except HeldBackError:
            raise
        except IgnoreRequest as ignored:
            reason = reason_of(ignored)
            if reason not in {None, REDIRECTS}:
                raise UnreadableError(reason) from ignored
            # Another component refuses all of the host, and then the page as well; or it leads nowhere.
            return Answer(self._no_rules, AGE_SECONDS, reason or str(ignored))
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        said = f"http {response.status}"
        if response.status >= 500:
            raise UnreadableError(said)
        if response.status >= 300:
            soon = response.status == 429
            return Answer(self._no_rules, self._most_seconds if soon else AGE_SECONDS, said)
        if FLAG in response.flags:
            raise UnreadableError(INCOMPLETE)
        if is_packed(response.body):
            raise UnreadableError("cannot be decompressed")
        parser: RobotParser = build_from_crawler(self._parserimpl, self.crawler, response.body)
        return Answer(parser, self._age_of(response), said)

    def _failed(self, host: str, robots: HostRobots, error: Exception) -> None:
        """Close a host whose rules are not known, or keep the rules that it had; its file is asked for again later."""
        reason = str(error) if isinstance(error, UnreadableError) else reason_of(error)
        if reason is None:
            logger.error("robots.txt of %s", host, exc_info=error, extra={"spider": self.crawler.spider})
        if not isinstance(error, UnreadableError):
            self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
        robots.fault = reason or type(error).__name__
        seconds = min(RETRY_SECONDS * 2 ** min(robots.failures, MOST_DOUBLINGS), self._most_seconds)
        robots.failures += 1
        self._wait(host, robots, seconds)
        if robots.parser is None:
            self._note(host, robots.fault, robots)
            self._stats.inc_value("frontier/back_offs/robots_txt")
            level = logging.INFO if robots.failures == 1 else logging.DEBUG
            text = "robots.txt of %s cannot be read (%s): its URLs wait, it is asked for again in %.0f s"
            logger.log(level, text, host, robots.fault, seconds)

    def _wait(self, host: str, robots: HostRobots, seconds: float) -> None:
        """Ask for the file again after so many seconds; a host without rules is closed until then."""
        robots.until = self._crawl.clock() + seconds
        if robots.parser is None:
            kind = UNREACHABLE if robots.fault in OF_HOST else CLOSED
            self._crawl.hosts.back_off(host, robots.until, f"{kind}: {robots.fault}")

    def _turn_away(self, request: Request, host: str, fault: str) -> Request:
        """Send the URL of a lease back to the queue; drop a request of the spider's own, for which nobody waits. The request of a redirect
        and that of a page looked at again wait in the request queue: in the queue is only the URL that they began with, or none."""
        reason = f"robots.txt of {host} cannot be read: {fault}"
        scheduler = focused_scheduler(self.crawler)
        lease = None if scheduler is None else scheduler.leases.of(request)
        if lease is None or lease.status:
            raise IgnoreRequest(reason)
        if lease.due is None and lease.leased.link.host == host:
            raise PostponedError(reason)
        if self.given_up(host):
            raise IgnoreRequest(reason)
        return request.copy()

    def _age_of(self, response: Response) -> float:
        """How long the rules of a response count, in seconds."""
        found = _MAX_AGE.search(b",".join(response.headers.getlist("Cache-Control")))
        seconds = float(found[1]) if found else AGE_SECONDS
        return min(max(seconds, AGE_SECONDS / LEAST_SHARE), AGE_SECONDS)

    def _note(self, host: str, said: str, robots: HostRobots) -> None:
        file = None if robots.parser is self._no_rules else getattr(robots.parser, "packed", None)
        agent = product_token(self._robotstxt_useragent or self._default_useragent)
        is_closed = robots.parser is None
        note = RobotsNote(agent, said, self._crawl.clock(), robots.until, is_closed, file)
        self._crawl.frontier.notes.put(ROBOTS_NOTE + host, note.text())


def is_packed(body: bytes) -> bool:
    """Whether a body is no text: it is still compressed, by a coding that DecompressionMiddleware cannot undo."""
    if body.startswith(_GZIP):
        return True
    begin = body[:1000]
    if begin.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return False
    return len(_NOT_TEXT.findall(begin)) > MOST_CONTROLS * len(begin)
