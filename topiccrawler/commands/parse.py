"""`scrapy parse URL`: as Scrapy's own, but it knows our batches of links.

Scrapy's command calls the callback itself, past all spider middlewares, so the batch would be shown as an item and
its links never followed (`-d 2`).
"""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.commands import parse
from scrapy.http import Response
from twisted.internet.defer import Deferred

FALLBACK = "topic"


class Command(parse.Command):
    """Batches become Requests before the stock command sorts the output. A URL that is no spider's is read by `topic`."""

    def set_spidercls(self, url: str, opts: Any) -> None:
        loader = self.crawler_process.spider_loader if self.crawler_process is not None else None
        if loader is not None and not opts.spider and not loader.find_by_request(Request(url)):
            opts.spider = FALLBACK if FALLBACK in loader.list() else None
        super().set_spidercls(url, opts)

    def run_callback(
        self, response: Response, callback: Any, cb_kwargs: dict[str, Any] | None = None
    ) -> Deferred[Any]:
        deferred = super().run_callback(response, callback, cb_kwargs)
        return deferred.addCallback(self._expand)

    def _expand(self, outputs: Any) -> list[Any]:
        from topiccrawler.engine.middlewares.outlinks import expand
        from topiccrawler.engine.runtime import runtime_of
        from topiccrawler.items import Outlinks

        runtime = runtime_of(self.pcrawler)
        strategy = runtime.strategy if runtime is not None else None
        expanded: list[Any] = []
        for output in outputs:
            if isinstance(output, Outlinks):
                expanded += expand(output, strategy)
            else:
                expanded.append(output)
        return expanded
