"""The port of a crawl's control: open at once, served from the first caller on."""

import asyncio
import socket
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.utils.test import get_crawler

from topiccrawler.engine.control.client import Address
from topiccrawler.engine.control.extension import Control, Listening


async def _greet(served: asyncio.Queue[str], listening: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    caller, _ = await loop.sock_accept(listening)
    with listening, caller:
        await served.put((await loop.sock_recv(caller, 100)).decode())


def _port(url: str) -> int:
    return urlsplit(url).port or 0


def test_the_first_caller_brings_the_server_and_is_answered_by_it() -> None:
    async def play() -> str:
        served = asyncio.Queue[str]()
        listening = Listening(lambda taken: _greet(served, taken))
        url = listening.open("127.0.0.1", 0)
        await asyncio.sleep(0)
        assert served.empty()
        _, writer = await asyncio.open_connection("127.0.0.1", _port(url))
        writer.write(b"anybody")
        await writer.drain()
        said = await served.get()
        await listening.close()
        writer.close()
        return said

    assert asyncio.run(play()) == "anybody"


def test_only_this_machine_can_call(tmp_path: Path) -> None:
    async def play() -> str:
        crawler = get_crawler(Spider, {"TOPIC_CONTROL": True, "TWISTED_REACTOR_ENABLED": False})
        crawler.spider = SimpleNamespace(
            crawl=SimpleNamespace(files=SimpleNamespace(folder=tmp_path), clock=time.time)
        )
        crawler.engine = SimpleNamespace(scheduler=None)
        control = Control.from_crawler(crawler)
        await control.start()
        url = Address.read(tmp_path).url
        await control.stop()
        return url

    assert urlsplit(asyncio.run(play())).hostname == "127.0.0.1"
