"""Writes each response as it came to a WARC file (setting WARC_OUT), in any project and command.

It stands nearest to the downloader, so it sees bodies before they are decompressed, redirects, robots.txt, and answers that are tried
again. What Scrapy has changed before: a chunked body is joined (and has no Transfer-Encoding any more), header names are
capitalized. A page drawn by a browser is written as the browser gave it. Credentials and cookies are left out of requests.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from socket import gethostname
from typing import Self
from urllib.parse import urlsplit

import scrapy
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.statscollectors import StatsCollector
from scrapy.utils.defer import deferred_from_coro

from topiccrawler.engine.runtime import runtime_of
from topiccrawler.engine.user_faults import end_with_failure, reported_by_scrapy
from topiccrawler.errors import ReplayError
from topiccrawler.replay.writing import ENDING, Exchange, WarcWriter

logger = logging.getLogger(__name__)

POSITION = 950  # behind the HTTP cache, nearest to the downloader
WARC_FAILED = "warc_failed"  # finish_reason
SECRET = frozenset({b"authorization", b"proxy-authorization", b"cookie"})  # of a request


class WarcOutMiddleware:
    """GET requests over http and https, with their responses."""

    def __init__(
        self, writer: WarcWriter, stats: StatsCollector | None, crawler: Crawler | None = None
    ) -> None:
        self.writer, self._stats, self._crawler = writer, stats, crawler
        self._failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        runtime = runtime_of(crawler)
        process = process_name() if runtime is not None and runtime.shared else ""
        with reported_by_scrapy(crawler.settings):
            writer = writer_of(crawler.settings, process)
        middleware = cls(writer, crawler.stats, crawler)
        crawler.signals.connect(middleware.close, signals.engine_stopped)
        return middleware

    def process_response(self, request: Request, response: Response) -> Response:
        """Write it, and give it on unchanged."""
        if request.method == "GET" and request.url.startswith("http") and not self._failed:
            try:
                self.writer.write(exchange_of(request, response, time.time()))
            except ReplayError as fault:
                self._fail(fault)
            else:
                self._count()
        return response

    def close(self) -> None:
        """End the file."""
        if not self._failed:
            try:
                self.writer.close()
            except ReplayError as fault:
                self._fail(fault)

    def _count(self) -> None:
        if self._stats is not None:
            self._stats.set_value("topic/warc/responses", self.writer.written)
            self._stats.set_value("topic/warc/revisits", self.writer.revisits)

    def _fail(self, fault: ReplayError) -> None:
        """A crawl that should be recorded and is not ends."""
        self._failed = True
        if self._crawler is None or self._crawler.engine is None:
            raise fault
        runtime = runtime_of(self._crawler)
        if runtime is not None:
            runtime.faults.end(fault, WARC_FAILED)
            return
        logger.error("%s", fault)
        end_with_failure()
        deferred_from_coro(self._crawler.engine.close_spider_async(reason=WARC_FAILED))


def process_name() -> str:
    """Of this process among all on a crawl."""
    return f"{gethostname()}-{os.getpid()}"


def writer_of(settings: BaseSettings, process: str = "") -> WarcWriter:
    """What the settings say; nothing is written yet. `process`: one of several on a crawl, whose file has its name."""
    if not settings.get("WARC_OUT"):
        raise NotConfigured
    most = settings.getint("WARC_OUT_MAX_BYTES", 1_000_000_000)
    info = {
        "software": f"topiccrawler with Scrapy/{scrapy.__version__}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "robots": "obey" if settings.getbool("ROBOTSTXT_OBEY") else "ignore",
        "http-header-user-agent": str(settings.get("USER_AGENT") or ""),
    }
    path = Path(settings["WARC_OUT"]).expanduser()
    if process and path.name.endswith(ENDING):
        path = path.with_name(f"{path.name.removesuffix(ENDING)}-{process}{ENDING}")
    return WarcWriter(path, most, info)


def exchange_of(request: Request, response: Response, seconds: float) -> Exchange:
    """Both as bytes of HTTP."""
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
