"""Pauses and resumes a crawl so that no request is sent during a pause.

This includes requests in the downloader's slots and those that wait for a robots.txt. Scrapy's own pause only stops polling the scheduler
and lets the downloader send what it has: requests behind a delay, robots.txt files, media. So the last step of a request, the call of its
download handler, waits too. That step is wrapped at the first pause; a crawl that is never paused runs unmodified Scrapy. A request whose
connection is open ends as usual.
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
    """Raised when the crawl closes while a request is held back: nothing was sent, and its lease is released."""


class Pause:
    """Pauses and resumes one crawl. `held`: requests held back now. `wakes`: the scheduler accepts the request WAKE, which only wakes the
    engine."""

    def __init__(self, engine: ExecutionEngine, *, wakes: bool) -> None:
        self._engine, self._wakes = engine, wakes
        self._laid = False
        self._closing = False
        self._go = asyncio.Event()
        # requests released since the crawl was resumed, by download slot
        self._begun: Counter[str] = Counter()
        self.held = 0

    @property
    def paused(self) -> bool:
        """Whether the crawl is paused and not closing: no request is sent."""
        return self._engine.paused and not self._closing

    def pause(self) -> None:
        """Pause the crawl. Requests whose connection is open end as usual."""
        if not self._laid:
            self._lay()
        self._go.clear()
        self._engine.pause()

    def resume(self) -> None:
        """Resume the crawl at once. Held requests to one host are sent with the host's delay between them."""
        self._engine.unpause()
        self._begun.clear()
        self._go.set()
        if self._wakes and self._engine.spider is not None:
            self._engine.crawl(WAKE)

    def _lay(self) -> None:
        """Wrap the call of the download handlers, so that it waits during a pause, and the closing of the crawl, so that it ends the
        wait."""
        self._laid = True
        handlers, engine = self._engine.downloader.handlers, self._engine
        send, close = handlers.download_request_async, engine.close_spider_async

        async def download_request_async(request: Request) -> Response:
            if engine.paused:
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
            while self._engine.paused:
                if not self._closing:
                    await self._go.wait()
                if self._closing:  # also for what comes later: a page whose robots.txt was held back
                    raise HeldBackError("held back by a pause")
                await asyncio.sleep(self._in_turn(request))
        finally:
            self.held -= 1

    def _in_turn(self, request: Request) -> float:
        """Seconds until the request may be sent, so that the held requests of a download slot are not sent all at once."""
        key = request.meta.get("download_slot", "")
        slot = self._engine.downloader.slots.get(key)
        before = self._begun[key]
        self._begun[key] += 1
        return before * slot.delay if slot is not None else 0.0
