"""Lets other processes query and control a running crawl: `scrapy control JOB …`, or HTTP with the token in control.json.

Most crawls never get a request, and the server's library costs .2 s of CPU and 9 MB. So `Listening` opens a port at the start of a crawl,
and `Control` starts the server on it at the first connection.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import is_asyncio_available

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.engine.control.client import Address
from topiccrawler.engine.opening import needed_crawl

if TYPE_CHECKING:
    from topiccrawler.engine.control.server import Server
    from topiccrawler.engine.control.verbs import Verbs

logger = logging.getLogger(__name__)


LOOPBACK = "127.0.0.1"
_WAITING = 64  # backlog: connections that wait until the server accepts them


class Listening:
    """A listening socket that waits for the first connection. `serve` is then called with the socket, which still has that connection
    pending, and owns it."""

    def __init__(self, serve: Callable[[socket.socket], Awaitable[None]]) -> None:
        self._serve = serve
        self._socket: socket.socket | None = None
        self._serving: asyncio.Future[None] | None = None

    def open(self, host: str, port: int) -> str:
        """Listen on a port (0 = one that the system picks) and return the URL without a path. OSError when the port cannot be used."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=_WAITING)
        self._socket.setblocking(False)
        asyncio.get_running_loop().add_reader(self._socket, self._begin)
        return f"http://{f'[{host}]' if ':' in host else host}:{self._socket.getsockname()[1]}"

    async def close(self) -> None:
        """Close the socket; if the server owns it already, wait until the server has started."""
        if self._serving is not None:
            await self._serving
        elif self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()

    def _begin(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._serving = asyncio.ensure_future(self._serve(self._socket))


@dataclass(eq=False)
class Control:
    """Scrapy extension that serves control requests while the spider is open, to this machine only, at a port that the system picks."""

    crawler: Crawler
    crawl: Crawl
    _verbs: Verbs | None = None
    _address: Address | None = None
    _listening: Listening | None = None
    _server: Server | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not settings.getbool("TOPIC_CONTROL"):
            raise NotConfigured
        crawl = needed_crawl(crawler)
        if crawler.spidercls.start.__module__.startswith("scrapy.commands"):
            raise NotConfigured  # `fetch`, `parse`, `check`: one page, no job
        if settings.getbool("TWISTED_REACTOR_ENABLED", True) and not is_asyncio_available():
            raise NotConfigured("TOPIC_CONTROL needs asyncio")
        control = cls(crawler, crawl)
        crawler.signals.connect(control.start, signals.engine_started)
        crawler.signals.connect(control.stop, signals.spider_closed)
        return control

    async def start(self) -> None:
        """Listen, and write the address to the job's folder. If that fails, the crawl runs without control."""
        from topiccrawler.engine.control.verbs import Verbs

        self._verbs = Verbs(self.crawler, self.crawl)
        listening = Listening(self._serve)
        try:
            self._address = Address(listening.open(LOOPBACK, 0))
            self._address.write(self.crawl.files.folder)
        except OSError as error:
            await listening.close()
            logger.warning("Control: cannot listen (%s); the crawl goes on without it", error)
            return
        self._listening = listening

    async def stop(self) -> None:
        """Remove the address from the job's folder, and stop listening, when the crawl ends."""
        listening, self._listening = self._listening, None
        if listening is None or self._address is None:
            return
        self._address.remove(self.crawl.files.folder)
        await listening.close()
        if self._server is not None:
            await self._server.stop()

    async def _serve(self, listening: socket.socket) -> None:
        """Start the HTTP server on the socket, at the first connection."""
        from topiccrawler.engine.control.server import Server

        assert self._address is not None  # noqa: S101 it listens
        assert self._verbs is not None  # noqa: S101
        self._server = Server(self._address, LOOPBACK, self._verbs.asks, self._verbs.orders)
        await self._server.start(listening)
