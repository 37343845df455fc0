"""Writes the responses of a crawl to WARC files (setting WARC_OUT), and replays such files in place of the network (REPLAY_WARC).

`WarcOutMiddleware` writes each response; it works in any project and command. It is nearest to the downloader, so it sees bodies before
they are decompressed, redirects, robots.txt, and responses that are retried. Scrapy has changed two things before: a chunked body is joined
(and has no Transfer-Encoding any more), and header names are capitalized. A page rendered by a browser is written as rendered. Credentials
and cookies are left out of requests.

`ReplayDownloadHandler` replaces Scrapy's HTTP handler, so that everything above the socket runs as in a real crawl. It answers as a server
would: 301 for an alias, 404 for an unknown page, 502 for an unknown host, 405 for a method other than GET and HEAD.

`RecordedLinksMiddleware` drops links to pages that were not recorded. `scrapy compare --live` adds it, nearer to the spider than
OutlinksMiddleware (1100). So the order in which pages are fetched is compared, not how fast 404s are.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import AsyncIterator, Iterable
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from socket import gethostname
from time import perf_counter
from typing import Any, Self
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import scrapy
from scrapy import Request, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import BaseSettings
from scrapy.utils.defer import deferred_from_coro

from topiccrawler.engine.faults import end_with_failure, reported_by_scrapy
from topiccrawler.engine.opening import crawl_of, faults_of
from topiccrawler.errors import ReplayError
from topiccrawler.files import user_path
from topiccrawler.items import Outlinks
from topiccrawler.replay.pacing import Pacer
from topiccrawler.replay.warc import Recorded, RecordedWeb, recorded_paths
from topiccrawler.replay.warc_writing import ENDING, Exchange, WarcWriter

logger = logging.getLogger(__name__)

POSITION = 950  # behind the HTTP cache, nearest to the downloader
WARC_FAILED = "warc_failed"  # finish_reason
MOST_BYTES = 1_000_000_000  # size after which the next WARC file begins
# request headers that are not written
SECRET = frozenset({b"authorization", b"proxy-authorization", b"cookie"})


class WarcOutMiddleware:
    """Downloader middleware that writes GET requests over http and https, with their responses, to WARC files."""

    def __init__(self, writer: WarcWriter, crawler: Crawler) -> None:
        self.writer, self._crawler = writer, crawler
        self._failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = crawl_of(crawler)
        is_shared = crawl is not None and crawl.shared is not None
        process = f"{gethostname()}-{os.getpid()}" if is_shared else ""  # unique among a crawl's processes
        with reported_by_scrapy(crawler.settings):
            writer = writer_of(crawler.settings, process)
        middleware = cls(writer, crawler)
        crawler.signals.connect(middleware.close, signals.engine_stopped)
        return middleware

    def process_response(self, request: Request, response: Response) -> Response:
        """Write a response and return it unchanged."""
        if request.method == "GET" and request.url.startswith("http") and not self._failed:
            try:
                self.writer.write(exchange_of(request, response, time.time()))
            except ReplayError as fault:
                self._fail(fault)
            else:
                self._crawler.stats.set_value("topic/warc/responses", self.writer.written)
                self._crawler.stats.set_value("topic/warc/revisits", self.writer.revisits)
        return response

    def close(self) -> None:
        """Close the WARC file."""
        if not self._failed:
            try:
                self.writer.close()
            except ReplayError as fault:
                self._fail(fault)

    def _fail(self, fault: ReplayError) -> None:
        """End the crawl, because its responses can no longer be recorded."""
        self._failed = True
        if crawl_of(self._crawler) is not None:
            faults_of(self._crawler).end(fault, WARC_FAILED)
            return
        logger.error("%s", fault)
        end_with_failure()
        deferred_from_coro(self._crawler.engine.close_spider_async(reason=WARC_FAILED))


def writer_of(settings: BaseSettings, process: str = "") -> WarcWriter:
    """A WARC writer by the settings; NotConfigured without WARC_OUT. Nothing is written yet. `process`: the name of this process when
    several work on the crawl; it becomes part of the file's name."""
    if not settings.get("WARC_OUT"):
        raise NotConfigured
    info = {
        "software": f"topiccrawler with Scrapy/{scrapy.__version__}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "robots": "obey" if settings.getbool("ROBOTSTXT_OBEY") else "ignore",
        "http-header-user-agent": str(settings.get("USER_AGENT") or ""),
    }
    path = user_path(settings["WARC_OUT"])
    if process and path.name.endswith(ENDING):
        path = path.with_name(f"{path.name.removesuffix(ENDING)}-{process}{ENDING}")
    return WarcWriter(path, MOST_BYTES, info)


def exchange_of(request: Request, response: Response, seconds: float) -> Exchange:
    """A request and its response as bytes of HTTP, without credentials. `seconds`: time since the epoch."""
    parts = urlsplit(request.url)
    target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    asked = [(name, value) for name, value in _headers(request) if name.lower() not in SECRET | {b"host"}]
    asked.insert(0, (b"Host", parts.netloc.rpartition("@")[2].encode()))
    version = (response.protocol or "HTTP/1.1").encode("ascii", "replace")
    version = version if version.startswith(b"HTTP/1") else b"HTTP/1.1"
    phrase = HTTPStatus(response.status).phrase if response.status in set(HTTPStatus) else "Unknown"
    return Exchange(
        request.url,
        seconds,
        _head(f"GET {target} HTTP/1.1".encode(), asked),
        _head(b"%b %d %b" % (version, response.status, phrase.encode()), _headers(response)),
        response.body,
        response.status,
        "" if response.ip_address is None or request.meta.get("proxy") else str(response.ip_address),
        "dataloss" in response.flags,
    )


def _headers(of: Request | Response) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, values in of.headers.items() for value in values or ()]


def _head(first: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    lines = [first, *(b"%b: %b" % (name, b" ".join(value.splitlines())) for name, value in headers)]
    return b"\r\n".join([*lines, b"", b""])


_REASONS = {
    404: b"not in the recorded web",
    405: b"a recorded web knows GET only",
    502: b"host not in the recorded web",
}

_PACERS: WeakKeyDictionary[Crawler, Pacer] = WeakKeyDictionary()


class ReplayDownloadHandler(BaseDownloadHandler):
    """Download handler that answers requests from recorded WARC files. One index serves both http and https."""

    lazy = True

    def __init__(self, crawler: Crawler, web: RecordedWeb) -> None:
        super().__init__(crawler)
        self.web = web
        self._pacer = _pacer_of(crawler) if crawler.settings.getbool("REPLAY_PACED") else None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, shared_web(crawler.settings.get("REPLAY_WARC")))

    async def download_request(self, request: Request) -> Response:
        """Answer a request from the recording, after the wait of the pacer if REPLAY_PACED is set."""
        began = perf_counter()
        recorded = self._answer(request)
        took = perf_counter() - began
        if self._pacer is not None and _is_page(recorded):
            await self._pacer.wait(self._still)
        headers = Headers()
        for name, value in recorded.headers:
            headers.appendlist(name, value)
        kind = responsetypes.from_args(headers=headers, url=request.url, body=recorded.body)
        body = b"" if request.method == "HEAD" else recorded.body
        response = kind(url=request.url, status=recorded.status, headers=headers, body=body)
        request.meta["download_latency"] = took  # without the wait of the pacer
        return response

    def _still(self) -> bool:
        """Whether the spider has processed all responses so far."""
        scraping = self.crawler.engine.scraper.slot
        return scraping is None or scraping.is_idle()

    def _answer(self, request: Request) -> Recorded:
        if request.method not in ("GET", "HEAD"):
            return _refusal(request.url, 405)
        return self.web.response(request.url) or _refusal(request.url, self.web.find(request.url).status)


def replayed_web(settings: BaseSettings) -> RecordedWeb:
    """The recorded web that the setting REPLAY_WARC names. ReplayError, which names the setting, when it cannot be read."""
    try:
        return shared_web(settings["REPLAY_WARC"])
    except ReplayError as error:
        raise ReplayError(f"REPLAY_WARC: {error.what}", error.fault, error.remedy) from None


def shared_web(setting: str | Iterable[str]) -> RecordedWeb:
    """The recorded web for a value of REPLAY_WARC. It is cached, so that both schemes and the add-on's early check share one index."""
    paths = recorded_paths(setting)
    return _opened(tuple((path, os.stat(path).st_mtime_ns) for path in paths))


@lru_cache(maxsize=2)
def _opened(versions: tuple[tuple[Path, int], ...]) -> RecordedWeb:
    return RecordedWeb([path for path, _ in versions])


def _pacer_of(crawler: Crawler) -> Pacer:
    """The pacer of a crawler, shared by the handlers of both schemes."""
    if crawler not in _PACERS:
        _PACERS[crawler] = Pacer(crawler.settings.getint("CONCURRENT_REQUESTS"))
    return _PACERS[crawler]


def _is_page(recorded: Recorded) -> bool:
    """Whether a recorded response is a page that the crawl reads: not a redirect, an error or a robots.txt, which cost no time to read."""
    return recorded.status == 200 and urlsplit(recorded.url).path != "/robots.txt"


def _refusal(url: str, status: int) -> Recorded:
    body = b"<!DOCTYPE html><title>%d</title><p>%b" % (status, _REASONS.get(status, b"no answer"))
    return Recorded(url, status, [(b"Content-Type", b"text/html; charset=utf-8")], body)


_HELD = range(200, 400)


class RecordedLinksMiddleware:
    """Spider middleware that drops links to pages without a recording. It needs the setting REPLAY_WARC."""

    def __init__(self, web: RecordedWeb) -> None:
        self.web = web

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(shared_web(crawler.settings.get("REPLAY_WARC")))

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, Outlinks):
                yield Outlinks(
                    output.page, [link for link in output.links if self.web.find(link.url).status in _HELD]
                )
            else:
                yield output
