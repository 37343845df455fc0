"""`scrapy parse URL`: as Scrapy's own, but a URL that is no spider's is read by `topic`."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.commands import parse

FALLBACK = "topic"


class Command(parse.Command):
    """Scrapy's own `parse`, with the spider `topic` as the default for a URL that no spider claims."""

    def set_spidercls(self, url: str, opts: Any) -> None:
        loader = self.crawler_process.spider_loader if self.crawler_process is not None else None
        if loader is not None and not opts.spider and not loader.find_by_request(Request(url)):
            opts.spider = FALLBACK if FALLBACK in loader.list() else None
        super().set_spidercls(url, opts)
