"""Item pipelines: keep pages that are about the topic, and store them."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from topiccrawler.items import PageItem
from topiccrawler.runtime import JobFiles, Runtime
from topiccrawler.store.pages import PageRecord


class RelevancePipeline:
    """Drops pages whose relevance lies under the topic's page threshold. Items of other types pass."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and not item.is_target:
            raise DropItem("off topic")
        return item


class StoragePipeline:
    """Puts pages into the job's store; the scheduler commits them before it ends their lease."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        runtime: Runtime | None = getattr(self.crawler.spider, "runtime", None)
        if isinstance(item, PageItem) and runtime is not None:
            _store(runtime.files, item)
        return item


def _store(files: JobFiles, item: PageItem) -> None:
    files.store.put(
        PageRecord(
            url=item.url,
            title=item.title,
            text=item.text,
            relevance=item.relevance,
            depth=item.depth,
            topic=item.topic,
            encoding=item.encoding,
            source_url=item.source_url,
            anchor=item.anchor,
            score=item.score,
            fetched=item.fetched,
            status=item.status,
        )
    )
