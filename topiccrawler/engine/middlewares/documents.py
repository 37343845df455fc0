"""Reads PDF and Office files while the crawl goes on.

A file may take its reader ten seconds, and a spider's callback stops the whole engine for as long as it runs. So such files
are read on the way from the downloader, in a thread that waits for the reading process; the callback finds the result in the
request's meta.
"""

from __future__ import annotations

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.asyncio import run_in_thread

from topiccrawler.engine.runtime import needed_runtime
from topiccrawler.pages.formats.registry import IN_WORKER, recognise
from topiccrawler.pages.read import Reader

META = "topic_extract"


class DocumentMiddleware:
    """Downloader middleware (60): puts an Extract, or why there is none, into `meta` of requests for such files."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(needed_runtime(crawler).reader)

    async def process_response(self, request: Request, response: Response) -> Response:
        if 200 <= response.status < 300:
            kind = recognise(response.body, content_type(response))
            if kind in IN_WORKER:
                request.meta[META] = await run_in_thread(self.reader.extract, kind, response.body)
        return response


def content_type(response: Response) -> str:
    """The Content-Type header as text; empty when there is none."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")
