"""Reads responses outside the engine's thread while the crawl runs: PDF and Office files and feeds always, pages with TOPIC_READERS.

A spider's callback blocks the whole engine for as long as it runs. So such responses are read on the way from the downloader, and the
callback finds the result in the request's meta. A result is valid for one body: if another middleware changes the body later, the callback
reads it itself.

Responses are passed on in the order they came, whichever reader is done first. So a crawl gives the same results with readers and without.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import is_asyncio_available, run_in_thread
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.contents import Answer, Read
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.engine.leases import META
from topiccrawler.engine.opening import needed_crawl
from topiccrawler.pages.challenge_signs import verdict_headers
from topiccrawler.pages.formats.registry import HTML, IN_WORKER, Extract, UnreadableError, recognise
from topiccrawler.pages.read import Content
from topiccrawler.text.characters import decode

if TYPE_CHECKING:
    from topiccrawler.crawling.reading_processes import ReadingProcesses

CHALLENGE = "topic_challenge"  # key in request.meta: what the response is, if it is no page
_EXTRACT, _READ = "topic_extract", "topic_read"  # keys in request.meta


class DocumentMiddleware:
    """Downloader middleware (60): reads a response and stores the result in `meta` of its request.

    `processes`: reading processes for the pages of leased requests that go to the spider's `parse`; None = the callback reads them.
    """

    def __init__(self, crawl: Crawl, processes: ReadingProcesses | None = None) -> None:
        self.crawl, self.processes = crawl, processes
        self._last: asyncio.Future[None] | None = None  # done when the latest response was passed on

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = needed_crawl(crawler)
        processes = None
        if getattr(crawler.spider, "reads_ahead", False):
            processes = reading_processes(crawl, crawler.settings)
        middleware = cls(crawl, processes)
        if processes is not None:
            crawler.signals.connect(middleware.close, signals.engine_stopped)
        return middleware

    async def process_response(self, request: Request, response: Response) -> Response:
        is_good = 200 <= response.status < 300
        extract: Extract | UnreadableError | None = None
        if is_good:
            declared = content_type(response)
            kind = recognise(response.body, declared)
            if kind in IN_WORKER:
                charset = http_content_type_encoding(declared)
                extract = await run_in_thread(self.crawl.reader.extract, kind, response.body, charset)
                request.meta[_EXTRACT] = response.body, extract
        if self.processes is not None and META in request.meta and is_asyncio_available():
            before, self._last = self._last, asyncio.get_running_loop().create_future()
            gone = self._last
            try:
                if is_good and request.callback is None:
                    request.meta[_READ] = await self._read(self.processes, request, response, extract)
                if before is not None and not before.done():
                    await asyncio.wait({before})
            finally:
                gone.set_result(None)
        return response

    async def _read(
        self,
        processes: ReadingProcesses,
        request: Request,
        response: Response,
        extract: Extract | UnreadableError | None,
    ) -> Read | None:
        declared = content_type(response)
        if not self.crawl.reads(response.url, response.body, declared):
            return None
        return await processes.read(_answer(request, response, extract))

    def close(self) -> None:
        """End the reading processes."""
        if self.processes is not None:
            self.processes.close(wait=True)


def reading_processes(crawl: Crawl, settings: BaseSettings) -> ReadingProcesses | None:
    """The reading processes by the setting TOPIC_READERS; None if there are to be none."""
    wanted = settings.get("TOPIC_READERS")
    if wanted != "auto" and not int(wanted or 0):
        return None
    from topiccrawler.crawling.reading_processes import (  # here, because its process pool needs memory
        AutoStart,
        ReadingProcesses,
        auto_readers,
        cores,
    )

    seconds = settings.getfloat("TOPIC_READER_SECONDS")
    if wanted == "auto":
        available = cores()
        count = auto_readers(available)
        return ReadingProcesses(crawl, count, seconds, AutoStart(available)) if count else None
    return ReadingProcesses(crawl, int(wanted), seconds)


def content_with_refresh(crawl: Crawl, request: Request, response: Response) -> Content | None:
    """The content of a page that may have a refresh, for its URL to be requested instead; None for any other response.

    Few pages have one, so it is read here, if no reading process has; the callback gets the same content.
    """
    declared, header = content_type(response), _refresh_header(response)
    read = request.meta.get(_READ)
    if isinstance(read, Read) and read.answer.body is response.body:
        return read.content
    if not (header or _may_refresh(response.body)) or recognise(response.body, declared) != HTML:
        return None
    answer = _answer(request, response)
    read = request.meta[_READ] = Read(answer, crawl.content_plan, answer.content(crawl.reader))
    return read.content


_WIDE_REFRESH = b"\0".join(bytes([letter]) for letter in b"refresh")  # in UTF-16


def _may_refresh(body: bytes) -> bool:
    lower = body.lower()
    return b"refresh" in lower or _WIDE_REFRESH in lower


def _refresh_header(response: Response) -> str:
    """The header Refresh as text, in UTF-8 or else the charset that Chinese servers write; empty when there is none."""
    header = response.headers.get("Refresh") or b""
    return decode(header)[0] if header else ""


def _answer(request: Request, response: Response, extract: Extract | UnreadableError | None = None) -> Answer:
    declared = content_type(response)
    return Answer(
        response.url,
        response.body,
        http_content_type_encoding(declared),
        declared,
        extract,
        request.meta.get("depth", 0),
        _refresh_header(response),
    )


def forget_content(request: Request) -> None:
    """Remove what was read of an earlier response from the meta of the request that follows it."""
    request.meta.pop(_READ, None)
    request.meta.pop(_EXTRACT, None)


def read_ahead(crawl: Crawl, response: Response) -> dict[str, Any]:
    """What was read of this response before its callback, as keyword arguments of Crawl.read. It is removed from the meta."""
    extracted, read = response.meta.pop(_EXTRACT, None), response.meta.pop(_READ, None)
    if (
        isinstance(read, Read)
        and read.plan is crawl.content_plan
        and read.answer.body is response.body
        and read.answer.url == response.url
        and read.answer.depth == response.meta.get("depth", 0)
        and read.answer.content_type == content_type(response)
    ):
        return {"content": read.content}
    return {"extract": extracted[1] if extracted is not None and extracted[0] is response.body else None}


def content_type(response: Response) -> str:
    """The Content-Type header as text; empty when there is none."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def challenge_headers(response: Response) -> list[tuple[str, str]]:
    """The headers, with lower-case names, by which some products say that a response is a challenge."""
    return [
        (name, value.decode("latin-1"))
        for name in verdict_headers()
        if (value := response.headers.get(name)) is not None
    ]
