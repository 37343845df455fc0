"""Serves a crawl from WARC files instead of the network (setting REPLAY_WARC).

It stands where Scrapy's HTTP handler stands, so that all above the socket runs as in a real crawl, and answers as a server
would: 301 for an alias, 404 for an unknown page, 502 for an unknown host, 405 for what is neither GET nor HEAD.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Self
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import BaseSettings

from topiccrawler.errors import ReplayError
from topiccrawler.replay.pacing import Pacer
from topiccrawler.replay.paths import recorded_paths
from topiccrawler.replay.warc import Recorded, RecordedWeb

_REASONS = {
    404: b"not in the recorded web",
    405: b"a recorded web knows GET only",
    502: b"host not in the recorded web",
}

_PACERS: WeakKeyDictionary[Crawler, Pacer] = WeakKeyDictionary()


class ReplayDownloadHandler(BaseDownloadHandler):
    """For http and https alike; both share one index."""

    lazy = True

    def __init__(self, crawler: Crawler, web: RecordedWeb) -> None:
        super().__init__(crawler)
        self.web = web
        self._pacer = _pacer_of(crawler) if crawler.settings.getbool("REPLAY_PACED") else None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, shared_web(crawler.settings.get("REPLAY_WARC")))

    async def download_request(self, request: Request) -> Response:
        """Answer one request from the recording."""
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
        request.meta["download_latency"] = took  # without the wait for its slot
        return response

    def _still(self) -> bool:
        """All that was answered has been read."""
        scraping = self.crawler.engine.scraper.slot
        return scraping is None or scraping.is_idle()

    def _answer(self, request: Request) -> Recorded:
        if request.method not in ("GET", "HEAD"):
            return _refusal(request.url, 405)
        return self.web.response(request.url) or _refusal(request.url, self.web.find(request.url).status)


def replayed_web(settings: BaseSettings) -> RecordedWeb:
    """What the setting REPLAY_WARC names; ReplayError, with the setting's name, when it cannot be read."""
    try:
        return shared_web(settings["REPLAY_WARC"])
    except ReplayError as error:
        raise ReplayError(f"REPLAY_WARC: {error.what}", error.fault, error.remedy) from None


def shared_web(setting: str | Iterable[str]) -> RecordedWeb:
    """The recorded web a REPLAY_WARC setting names: one index for both schemes and for the add-on's early check."""
    paths = recorded_paths(setting)
    return _opened(tuple((path, os.stat(path).st_mtime_ns) for path in paths))


@lru_cache(maxsize=2)
def _opened(versions: tuple[tuple[Path, int], ...]) -> RecordedWeb:
    return RecordedWeb([path for path, _ in versions])


def _pacer_of(crawler: Crawler) -> Pacer:
    """One line for both schemes."""
    if crawler not in _PACERS:
        _PACERS[crawler] = Pacer(crawler.settings.getint("CONCURRENT_REQUESTS"))
    return _PACERS[crawler]


def _is_page(recorded: Recorded) -> bool:
    """What a crawl reads: what redirects, refuses or permits is over before a page is."""
    return recorded.status == 200 and urlsplit(recorded.url).path != "/robots.txt"


def _refusal(url: str, status: int) -> Recorded:
    body = b"<!DOCTYPE html><title>%d</title><p>%b" % (status, _REASONS.get(status, b"no answer"))
    return Recorded(url, status, [(b"Content-Type", b"text/html; charset=utf-8")], body)
