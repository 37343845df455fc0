"""Counts pages by their items, for a crawl under another scheduler than ours: there no lease ends, which otherwise counts a page."""

from __future__ import annotations

from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.harvest import HarvestCounter
from topiccrawler.crawling.page_filter import OFF_TOPIC
from topiccrawler.items import is_page, page_of
from topiccrawler.pages.kinds import kind_of_text


class PlainHarvest:
    """The signal handlers that count each page whose item was kept or dropped. Scrapy holds them by weak references, so the caller must
    keep this object."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl

    def connect(self, crawler: Crawler) -> None:
        """Connect the signal handlers."""
        crawler.signals.connect(self._kept, signals.item_scraped)
        crawler.signals.connect(self._dropped, signals.item_dropped)

    def close(self) -> None:
        """Store the counts for a resumed job."""
        self._crawl.frontier.notes.put(HarvestCounter.NOTE, self._crawl.harvest.note())
        self._crawl.frontier.commit()

    def _kept(self, item: Any) -> None:
        if (page := page_of(item)) is not None:
            kind = page.kind or kind_of_text(page.text)
            copy = bool(page.alias_of)
            self._crawl.harvest.add(kept=True, relevant=True, format=page.format, kind=kind, copy=copy)

    def _dropped(self, item: Any, exception: BaseException) -> None:
        if is_page(item):
            self._crawl.harvest.add(kept=False, relevant=str(exception) != OFF_TOPIC)
