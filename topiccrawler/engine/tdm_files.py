"""Fetches the file of TDMRep (/.well-known/tdmrep.json) of the hosts of kept pages, and completes the pages' field `usage` by it.

The file is asked for once a host and run, when the first page of the host is kept that does not itself say what the file would; it passes
robots.txt, delays and slots as any request. Pages of the host wait for the answer in their pipeline, at most TIMEOUT_SECONDS; no other page
does. A host that does not answer with such a file states nothing. With ROBOTSTXT_OBEY=False no file is asked for, as robots.txt is not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from topiccrawler.engine.opening import needed_crawl
from topiccrawler.engine.politeness import host_key
from topiccrawler.pages.read import ReadItem
from topiccrawler.pages.robots_txt import path_matcher
from topiccrawler.pages.usage import TDM, WELL_KNOWN, TdmFile, usage_text

TIMEOUT_SECONDS = 10.0
MOST_BYTES = 500_000
_NO_FILE = TdmFile(b"", path_matcher)


class TdmFilePipeline:
    """Item pipeline (400, behind the one that decides what is kept). `download`: returns the response to a request; `slot_of`: the download
    slot of a host."""

    def __init__(
        self, download: Callable[[Request], Awaitable[Response]], slot_of: Callable[[str], str]
    ) -> None:
        self._download, self._slot_of = download, slot_of
        self._files: dict[
            str, TdmFile | list[Deferred[None]]
        ] = {}  # by scheme and host; a list: it is asked for

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = needed_crawl(crawler)
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured

        def download(request: Request) -> Awaitable[Response]:
            crawler.stats.inc_value("topic/tdm_files/asked")
            return crawler.engine.download_async(request)

        return cls(download, crawl.hosts.paces.key)

    def process_item(self, item: Any) -> Any:
        if not isinstance(item, ReadItem) or any(TDM in one.preferences for one in item.statements):
            return item
        parts = urlsplit(item.url)
        root = f"{parts.scheme}://{parts.netloc}"
        file = self._files.get(root)
        if isinstance(file, TdmFile):
            return _completed(item, file)
        return self._completed_later(item, root)

    async def _completed_later(self, item: ReadItem, root: str) -> ReadItem:
        waiting = self._files.get(root)
        if isinstance(waiting, list):
            answered: Deferred[None] = Deferred()
            waiting.append(answered)
            await maybe_deferred_to_future(answered)
        else:
            self._files[root] = waiting = []
            file = _NO_FILE
            try:
                file = await self._asked(root)
            finally:  # also when the crawl ends meanwhile: others wait
                self._files[root] = file
                for answered in waiting:
                    answered.callback(None)
        found = self._files[root]
        return _completed(item, found) if isinstance(found, TdmFile) else item

    async def _asked(self, root: str) -> TdmFile:
        meta = {"dont_retry": True, "download_timeout": TIMEOUT_SECONDS, "download_maxsize": MOST_BYTES}
        request = Request(f"{root}{WELL_KNOWN}", meta=meta, callback=NO_CALLBACK, dont_filter=True)
        request.meta["download_slot"] = self._slot_of(host_key(request))
        try:
            response = await self._download(request)
        except Exception:  # noqa: BLE001 whatever it was, also the end of the crawl: the host has stated nothing
            return _NO_FILE
        found = TdmFile(response.body, path_matcher) if response.status == 200 else _NO_FILE
        return found if len(found) else _NO_FILE


def _completed(item: ReadItem, file: TdmFile) -> ReadItem:
    if (statement := file.statement(item.url)) is not None:
        item.statements.append(statement)
        item.usage = usage_text(item.statements)
    return item
