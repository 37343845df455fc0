"""A running crawl can be asked and steered from outside: `scrapy control JOB …`, or HTTP with the token of its control.json."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import is_asyncio_available

from topiccrawler.engine.runtime import Runtime, needed_runtime

if TYPE_CHECKING:
    from topiccrawler.engine.control.server import Server

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class Control:
    """Extension: serves while the spider is open. `host`, `port`: where it listens; 0 = a port that the system picks."""

    crawler: Crawler
    runtime: Runtime
    host: str
    port: int
    _server: Server | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not settings.getbool("TOPIC_CONTROL"):
            raise NotConfigured
        runtime = needed_runtime(crawler)
        if crawler.spidercls.start.__module__.startswith("scrapy.commands"):
            raise NotConfigured  # `fetch`, `parse`, `check`: one page, no job
        if settings.getbool("TWISTED_REACTOR_ENABLED", True) and not is_asyncio_available():
            raise NotConfigured("TOPIC_CONTROL needs asyncio")
        control = cls(
            crawler, runtime, str(settings["TOPIC_CONTROL_HOST"]), settings.getint("TOPIC_CONTROL_PORT")
        )
        crawler.signals.connect(control.start, signals.engine_started)
        crawler.signals.connect(control.stop, signals.spider_closed)
        return control

    async def start(self) -> None:
        """Listen, and say where in the job's folder."""
        from topiccrawler.engine.control.server import Server  # aiohttp: Scrapy brings it
        from topiccrawler.engine.control.verbs import Verbs

        verbs = Verbs(self.crawler, self.runtime)
        server = Server(verbs.asks, verbs.orders)
        try:
            address = await server.start(self.host, self.port)
            address.write(self.runtime.files.folder)
        except OSError as error:
            await server.stop()
            logger.warning(
                "Control: cannot listen on %s port %d (%s); the crawl goes on without it",
                self.host,
                self.port,
                error,
            )
            return
        self._server = server

    async def stop(self) -> None:
        """The crawl is over: nobody answers any more."""
        server, self._server = self._server, None
        if server is None:
            return
        if server.address is not None:
            server.address.remove(self.runtime.files.folder)
        await server.stop()
