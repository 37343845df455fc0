"""What our spiders have in common: arguments that are checked first, a runtime made of them, and how links are read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self

# Early, as in topiccrawler.spiders: `scrapy crawl` comes here first.
import scrapy.core.downloader.contextfactory  # noqa: F401
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from topiccrawler.crawling.params import CrawlParams
from topiccrawler.crawling.restrictions import own_domains
from topiccrawler.crawling.settings_check import check_settings
from topiccrawler.engine.feeds import check_feeds
from topiccrawler.engine.middlewares.outlinks import expanding
from topiccrawler.engine.project_defaults import give_defaults
from topiccrawler.engine.queue_place import MEMORY, queue_place
from topiccrawler.engine.refused_settings import refuse_settings
from topiccrawler.engine.runtime import Runtime, build_runtime
from topiccrawler.engine.scheduler import is_focused
from topiccrawler.engine.startup_log import go_on
from topiccrawler.engine.user_faults import reported_by_scrapy
from topiccrawler.links.extract import ContextMaker, extract
from topiccrawler.model import Link
from topiccrawler.pages.read import Reading

CHECKED_TOPIC = "finance"  # `scrapy check` gives no arguments; its contracts need some topic


class FocusedSpider(Spider):
    """A spider with a runtime; `name`, `start` and `parse` are its own."""

    runtime: Runtime
    allowed_domains: list[str]  # as Scrapy has it; a crawl that may go anywhere has none

    def params_of(self, arguments: Mapping[str, Any], topic: str | None) -> CrawlParams:
        """The checked arguments; `topic` where none is given."""
        raise NotImplementedError

    def prepare(self, params: Any) -> None:
        """Make what else it needs, once the runtime is there."""

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """custom_settings, and below the project's own settings our defaults."""
        super().update_settings(settings)
        give_defaults(settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        job = kwargs.pop("_job", None)  # scrapyd's name for this run
        spider = super().from_crawler(crawler, *args, **kwargs)
        settings = crawler.settings
        if not settings.frozen:
            give_defaults(settings)  # again: a runner's settings may have come over those of the crawler
        topic = settings.get("TOPIC") or (CHECKED_TOPIC if os.environ.get("SCRAPY_CHECK") else None)
        # `check`, `fetch` and `parse` put a start() of their own in place: they fetch one page and leave stored rows alone.
        command = cls.start.__module__
        with reported_by_scrapy(settings):
            check_settings(settings)
            if settings.get("REPLAY_WARC"):
                from topiccrawler.engine.replay_handler import replayed_web

                replayed_web(settings)  # read once; what is wrong with it is told before Scrapy greets
            if is_focused(load_object(settings["SCHEDULER"])):
                refuse_settings(settings)
            params = spider.params_of(kwargs, topic)
            check_feeds(settings)
            queue = MEMORY if command.startswith("scrapy.commands") else queue_place(params, settings)
            spider.runtime = build_runtime(params, settings, job, queue)
            spider.prepare(params)
            own = list(params.allowed_domains) or own_domains(spider.runtime.topic.sites)
            if own:
                spider.allowed_domains = own
        spider.runtime.faults.connect(crawler)
        go_on(settings)
        if command == "scrapy.commands.parse":
            spider.__dict__["parse"] = expanding(spider.parse, spider.runtime.strategy)
        return spider

    def links_of(self, reading: Reading, context: ContextMaker) -> list[Link]:
        """The links of a page, as the strategy reads them."""
        return extract(
            reading.document,
            reading.page.url,
            depth=reading.page.depth + 1,
            context=context,
            window=self.runtime.parts.recipe.context_characters,
            extra_parameters=self.runtime.parts.dropped_parameters,
            encoding=reading.encoding,
        )
