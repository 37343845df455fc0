"""Fetches URLs for a command by Scrapy's own downloader: robots.txt, delays, proxies, REPLAY_WARC and WARC_OUT apply as in a crawl.

A process can run a reactor only once, and what a command fetches next may depend on what it got. So the command's work is one coroutine,
which the spider's `start` awaits and which fetches as often as it wants.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import StopDownload
from scrapy.http import Response
from scrapy.settings import BaseSettings, Settings

from topiccrawler.engine.defaults import set_defaults
from topiccrawler.engine.download_failures import BAD_ANSWER, reason_of
from topiccrawler.errors import one_line
from topiccrawler.seeding.answers import BadAnswerError, Fetch, NoAnswerError

_HEAD_ONLY = "topic_head_only"  # key in request.meta
Done = TypeVar("Done")


class FetchingSpider(Spider):
    """Runs `work(fetch)` instead of a crawl. `trusted_hosts`: HOST[:PORT] in the user's own network that may be asked
    (engine.private_network)."""

    name = "fetching"

    def __init__(
        self, work: Callable[[Fetch], Awaitable[Any]], trusted_hosts: Sequence[str] = (), **more: Any
    ) -> None:
        super().__init__(**more)
        self.trusted_hosts = trusted_hosts
        self.done: list[Any] = []  # the result of the work, or nothing if it did not end
        self.error: Exception | None = None
        self._work = work

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        set_defaults(settings)

    async def start(self) -> AsyncIterator[Any]:
        self.crawler.signals.connect(self._stop_at_body, signals.headers_received)
        self._free = asyncio.Semaphore(self.settings.getint("CONCURRENT_REQUESTS"))
        try:
            self.done.append(await self._work(self.fetch))
        except Exception as error:  # noqa: BLE001 it is raised where the command waits
            self.error = error
        for nothing in list[Any]():  # Scrapy wants an asynchronous generator
            yield nothing

    async def fetch(self, url: str, method: str = "GET", *, head_only: bool = False, **meta: Any) -> Response:
        """The response to a request, with any status, after redirects. NoAnswerError when there is none."""
        assert self.crawler.engine is not None  # noqa: S101 it has been started
        meta[_HEAD_ONLY] = head_only
        try:
            async with self._free:
                return await self.crawler.engine.download_async(Request(url, method=method, meta=meta))
        except Exception as error:
            reason = reason_of(error)
            kind = BadAnswerError if reason == BAD_ANSWER else NoAnswerError
            raise kind(reason or one_line(error) or type(error).__name__) from error

    def _stop_at_body(self, request: Request) -> None:
        if request.meta.get(_HEAD_ONLY):
            raise StopDownload(fail=False)


def run(
    settings: Settings,
    work: Callable[[Fetch], Awaitable[Done]],
    trusted_hosts: Iterable[str] = (),
    **defaults: Any,
) -> Done:
    """Run `work` with a function that fetches, and return its result. Once in a process.

    `defaults`: settings that override the project's, not `-s`. Errors of the work are raised here; KeyboardInterrupt after Ctrl-C.
    """
    own = settings.copy()
    own.set("LOG_ENABLED", False, "command")  # the command prints what failed
    own.setdict(defaults, "spider")
    process = AsyncCrawlerProcess(own)
    crawler = process.create_crawler(FetchingSpider)
    crawling = process.crawl(crawler, work=work, trusted_hosts=list(trusted_hosts))
    process.start()
    spider = cast("FetchingSpider | None", crawler.spider)
    if spider is not None and spider.error is not None:
        raise spider.error
    if spider is not None and spider.done:
        return cast("Done", spider.done[0])
    if crawling.done() and not crawling.cancelled():
        crawling.result()  # raises what kept the spider from starting
    raise KeyboardInterrupt


def fetch_all(
    settings: Settings,
    urls: Sequence[str],
    take: Callable[[str, Response | NoAnswerError], None],
    trusted_hosts: Iterable[str] = (),
) -> None:
    """Fetch each URL, and pass it to `take` with its response or the reason why there is none, in the order in which they come."""

    async def work(fetch: Fetch) -> None:
        async def one(url: str) -> None:
            try:
                found: Response | NoAnswerError = cast("Response", await fetch(url))
            except NoAnswerError as failure:
                found = failure
            take(url, found)

        await asyncio.gather(*map(one, urls))

    run(settings, work, trusted_hosts)
