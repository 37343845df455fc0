import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request

from topiccrawler.engine.pausing import HeldBackError, Pause

HOST = {"download_slot": "a"}


class Engine:
    """What a pause needs of Scrapy's engine; `sent` lists what left."""

    def __init__(self) -> None:
        self.paused, self.spider = False, None
        self.sent: list[str] = []
        self.closed = ""
        slots = {"a": SimpleNamespace(delay=3.0)}
        self.downloader = SimpleNamespace(
            slots=slots, handlers=SimpleNamespace(download_request_async=self._send)
        )

    def pause(self) -> None:
        self.paused = True

    def unpause(self) -> None:
        self.paused = False

    async def close_spider_async(self, *, reason: str) -> None:
        self.closed = reason

    async def _send(self, request: Request) -> str:
        self.sent.append(request.url)
        return "response"


def send(engine: Any, *urls: str, meta: dict[str, Any] | None = None) -> list[asyncio.Task[str]]:
    handlers = engine.downloader.handlers
    return [
        asyncio.create_task(handlers.download_request_async(Request(url, meta=dict(meta or {}))))
        for url in urls
    ]


def test_held_requests_to_one_host_leave_with_its_delay_between_them(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    yield_once = asyncio.sleep

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        await yield_once(0)

    async def crawl() -> Engine:
        engine: Any = Engine()
        pause = Pause(engine, wakes=False)
        pause.pause()
        tasks = [
            *send(engine, "http://a/1", "http://a/2", "http://a/3", meta=HOST),
            *send(engine, "http://b/"),
        ]
        await yield_once(0)
        assert (pause.held, engine.sent) == (4, [])
        monkeypatch.setattr(asyncio, "sleep", sleep)
        pause.resume()
        await asyncio.gather(*tasks)
        assert pause.held == 0
        return engine

    assert sorted(asyncio.run(crawl()).sent) == ["http://a/1", "http://a/2", "http://a/3", "http://b/"]
    assert sorted(waited) == [0.0, 0.0, 3.0, 6.0]


def test_a_crawl_that_closes_in_a_pause_sends_nothing_that_comes_later() -> None:
    """A page whose robots.txt was held back comes after it, and without its rules."""

    async def page(engine: Any) -> str:
        [robots_txt] = send(engine, "http://a/robots.txt")
        with pytest.raises(HeldBackError):
            await robots_txt
        [found] = send(engine, "http://a/page")
        return await found

    async def crawl() -> tuple[Engine, Any]:
        engine: Any = Engine()
        Pause(engine, wakes=False).pause()
        waiting = asyncio.create_task(page(engine))
        for _ in range(10):
            await asyncio.sleep(0)  # the request for robots.txt is held
        await engine.close_spider_async(reason="stopped")
        [end] = await asyncio.gather(waiting, return_exceptions=True)
        return engine, end

    engine, end = asyncio.run(crawl())
    assert engine.sent == []
    assert type(end) is HeldBackError
