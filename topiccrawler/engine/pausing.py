"""Pauses a crawl.

During a pause no request is sent, including those in the downloader's slots or waiting for a robots.txt. Scrapy's own pause only stops
the polling and lets the downloader send what it has: requests behind a delay, robots.txt files, media. So the last step of a request, the
call of its download handler, waits too. That step is wrapped at the first pause; a crawl that is never paused has Scrapy's alone. A request
whose connection is open ends as usual.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from scrapy import Request
from scrapy.core.engine import ExecutionEngine
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from topiccrawler.engine.waking import WAKE


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
