"""Item pipelines: keep pages that are about the topic, each text once, and store them. Items that are no pages pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.statscollectors import StatsCollector

from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.engine.page_items import alias, page_of
from topiccrawler.engine.runtime import needed_runtime, runtime_of
from topiccrawler.engine.scheduler import FocusedScheduler, focused_scheduler
from topiccrawler.engine.user_faults import reported_by_scrapy
from topiccrawler.errors import ArgumentError
from topiccrawler.pages.fingerprint import fingerprint
from topiccrawler.store.pages import record_of
from topiccrawler.store.sample import PageSample


class RelevancePipeline:
    """Drops pages whose relevance lies under the topic's page threshold, and keeps a sample of them. Items of other types pass.

    `discarded`: the sample, made when the first such page comes; None = none is kept.
    """

    def __init__(self, discarded: Callable[[], PageSample] | None = None) -> None:
        self._discarded = discarded

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        runtime = runtime_of(crawler)
        if runtime is None or not crawler.settings.getint("TOPIC_DISCARDED_SAMPLE"):
            return cls()
        return cls(lambda: runtime.files.discarded)

    def process_item(self, item: Any) -> Any:
        page = page_of(item)
        if page is not None and not page.is_target:
            if self._discarded is not None:
                self._discarded().add(replace(record_of(page), stored=False))
            raise DropItem("off topic")
        return item


class NearDuplicatePipeline:
    """Pages whose main text was met before, exactly or nearly: dropped, or passed on as aliases without text.

    `choice`: alias | drop | keep (then nothing is compared). A page without main text is nobody's copy.
    """

    CHOICES = ("alias", "drop", "keep")

    def __init__(
        self, files: JobFiles, stats: StatsCollector, *, choice: str = "alias", across_sites: bool = True
    ) -> None:
        self.files, self.stats = files, stats
        self.choice, self.across_sites = choice, across_sites

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        choice = str(crawler.settings.get("TOPIC_DUPLICATES", "alias"))
        if choice not in cls.CHOICES:
            remedy = f"use {', '.join(cls.CHOICES)}"
            with reported_by_scrapy(crawler.settings):
                raise ArgumentError(f"TOPIC_DUPLICATES={choice!r}", "is no choice", remedy)
        if choice == "keep":
            raise NotConfigured
        across = crawler.settings.getbool("TOPIC_DUPLICATES_ACROSS_SITES", True)
        return cls(needed_runtime(crawler).files, crawler.stats, choice=choice, across_sites=across)

    def process_item(self, item: Any) -> Any:
        page = page_of(item)
        if page is None or not page.is_target:
            return item
        found = fingerprint(page.text)
        if found is None:
            return item
        first = self.files.duplicates.first_of(page.url, found, across_sites=self.across_sites)
        if first is None:
            return item
        self.stats.inc_value(f"topic/duplicates/{self.choice}")
        if self.choice == "drop":
            raise DropItem(f"copy of {first}")
        return alias(item, first)


class StoragePipeline:
    """Puts pages into the job's store; our scheduler commits them before it ends their lease, under another one each is committed here.

    `scheduler`: the crawl's, when it is ours; Scrapy makes it after the pipelines.
    """

    def __init__(
        self, files: JobFiles, scheduler: Callable[[], FocusedScheduler | None] = lambda: None
    ) -> None:
        self.files = files
        self._scheduler = scheduler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(needed_runtime(crawler).files, partial(focused_scheduler, crawler))

    def process_item(self, item: Any) -> Any:
        page = page_of(item)
        if page is not None:
            self.files.keep(record_of(page))
            if self._scheduler() is None:
                self.files.commit()
        return item

    def close_spider(self) -> None:
        if self._scheduler() is None:
            self.files.close()
