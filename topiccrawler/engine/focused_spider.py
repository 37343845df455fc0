"""What our spiders have in common: arguments that are checked first, and a crawl made of them.

What Scrapy logs of itself is held back until the call has been found right: a slip of the user's is one line, and the first. Settings of
Scrapy that a crawl by a strategy cannot obey are refused in one line, not passed over; docs/scrapy-settings.md says of each setting what
becomes of it. Under another scheduler (SCHEDULER) all of them work.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Mapping
from typing import Any, Self

import scrapy.core.downloader.contextfactory  # noqa: F401
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings, default_settings
from scrapy.utils.log import log_scrapy_info
from scrapy.utils.misc import load_object

from topiccrawler.crawling.admission import rules_of_packages
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.harvest import own_domains
from topiccrawler.crawling.recipe import CrawlParams
from topiccrawler.crawling.settings_check import check_names, check_settings
from topiccrawler.engine.defaults import set_defaults
from topiccrawler.engine.faults import FatalFaults, reported_by_scrapy
from topiccrawler.engine.feeds import check_feeds
from topiccrawler.engine.middlewares import expanding
from topiccrawler.engine.opening import MEMORY, open_crawl, queue_place
from topiccrawler.engine.scheduler import is_focused
from topiccrawler.errors import ArgumentError
from topiccrawler.resources import package_table


def hold_back() -> None:
    """Nothing below a warning is logged from now on."""
    logging.disable(logging.INFO)


def go_on(settings: Settings) -> None:
    """Log again, and first what was held back; without `hold_back` before, nothing. The garbage collector runs again too."""
    if logging.root.manager.disable == logging.INFO:
        gc.enable()
        logging.disable(logging.NOTSET)
        log_scrapy_info(settings)


UNUSABLE = package_table("engine/unusable_settings.toml")


def refuse_settings(settings: BaseSettings) -> None:
    """ArgumentError for the first that the project, the spider or the command line has changed."""
    for name, (fault, remedy) in UNUSABLE.items():
        default = vars(default_settings).get(name, 0)  # a deprecated setting has none and is off
        value = settings[name]
        if (settings.getpriority(name) or 0) < SETTINGS_PRIORITIES["project"] or _same(value, default):
            continue
        undo = f'or put "{name}": {default!r} into the custom_settings of this spider'
        raise ArgumentError(f"{name}={value!r}", fault, f"{remedy}, {undo}")


def _same(value: Any, default: Any) -> bool:
    if isinstance(default, int):
        return str(value) == str(default)
    return bool(value) and load_object(value) is load_object(default)


CHECKED_TOPIC = "finance"  # `scrapy check` gives no arguments; its contracts need some topic


class FocusedSpider(Spider):
    """A spider with a crawl; `name`, `start` and `parse` are its own."""

    crawl: Crawl
    faults: FatalFaults
    allowed_domains: list[str]  # as Scrapy has it; a crawl that may go anywhere has none

    def params_of(self, arguments: Mapping[str, Any], topic: str | None) -> CrawlParams:
        """The checked arguments; `topic`: the default topic."""
        raise NotImplementedError

    def prepare(self, params: Any) -> None:
        """Make what else it needs, once the crawl is there."""

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """custom_settings, and below the project's own settings our defaults."""
        super().update_settings(settings)
        set_defaults(settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        job = kwargs.pop("_job", None)  # scrapyd's name for this run
        spider = super().from_crawler(crawler, *args, **kwargs)
        settings = crawler.settings
        if not settings.frozen:
            set_defaults(settings)  # again: a runner's settings may have come over those of the crawler
        topic = settings.get("TOPIC") or (CHECKED_TOPIC if os.environ.get("SCRAPY_CHECK") else None)
        # `check`, `fetch` and `parse` put a start() of their own in place: they fetch one page and leave stored rows alone.
        command = cls.start.__module__
        with reported_by_scrapy(settings):
            check_names(settings)
            check_settings(settings)
            if settings.get("REPLAY_WARC"):
                from topiccrawler.engine.archives import replayed_web

                replayed_web(settings)  # read once; its faults are reported before Scrapy's first lines
            if is_focused(load_object(settings["SCHEDULER"])):
                refuse_settings(settings)
            params = spider.params_of(kwargs, topic)
            check_feeds(settings)
            queue = MEMORY if command.startswith("scrapy.commands") else queue_place(params, settings)
            rules = rules_of_packages(crawler)
            spider.crawl, spider.faults = open_crawl(params, settings, job, queue), FatalFaults()
            spider.crawl.admission.add(*rules)
            spider.prepare(params)
            own = list(params.allowed_domains) or own_domains(spider.crawl.topic.sites)
            if own:
                spider.allowed_domains = own
        spider.faults.connect(crawler)
        go_on(settings)
        if command == "scrapy.commands.parse":
            spider.__dict__["parse"] = expanding(spider.parse, spider.crawl.strategy)
        return spider
