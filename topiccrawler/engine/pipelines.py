"""Item pipelines: keep pages that are about the topic, each text once, and store them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured

from topiccrawler.engine.runtime import Runtime
from topiccrawler.errors import ArgumentError
from topiccrawler.items import PageItem
from topiccrawler.pages.fingerprint import fingerprint
from topiccrawler.store.pages import record_of


class RelevancePipeline:
    """Drops pages whose relevance lies under the topic's page threshold. Items of other types pass."""

    def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and not item.is_target:
            raise DropItem("off topic")
        return item


class NearDuplicatePipeline:
    """Pages whose main text was met before, exactly or nearly: dropped, or passed on as aliases without text.

    `choice`: alias | drop | keep (then nothing is compared). A page without main text is nobody's copy.
    """

    CHOICES = ("alias", "drop", "keep")

    def __init__(self, crawler: Crawler, *, choice: str, across_sites: bool) -> None:
        self.crawler = crawler
        self.choice, self.across_sites = choice, across_sites

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        choice = str(crawler.settings.get("TOPIC_DUPLICATES", "alias"))
        if choice not in cls.CHOICES:
            fault = ArgumentError(
                f"TOPIC_DUPLICATES={choice!r}", "is no choice", f"use {', '.join(cls.CHOICES)}"
            )
            raise SystemExit(str(fault))
        if choice == "keep":
            raise NotConfigured
        across = crawler.settings.getbool("TOPIC_DUPLICATES_ACROSS_SITES", True)
        return cls(crawler, choice=choice, across_sites=across)

    def process_item(self, item: Any) -> Any:
        runtime: Runtime | None = getattr(self.crawler.spider, "runtime", None)
        if not isinstance(item, PageItem) or runtime is None or not item.is_target:
            return item
        found = fingerprint(item.text)
        if found is None:
            return item
        first = runtime.files.duplicates.first_of(item.url, found, across_sites=self.across_sites)
        if first is None:
            return item
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"topic/duplicates/{self.choice}")
        if self.choice == "drop":
            raise DropItem(f"copy of {first}")
        return replace(item, text="", alias_of=first)


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
            runtime.files.store.put(record_of(item))
        return item
