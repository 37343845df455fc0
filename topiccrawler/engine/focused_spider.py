"""The base class of our spiders: checks the arguments and settings first, then builds the crawl.

Scrapy's own log lines are held back until the call is found valid, so that a user's mistake is the first and only line. Scrapy settings
that a crawl by a strategy cannot obey are refused in one line, not ignored; docs/settings.md lists what becomes of each setting.
Under another scheduler (SCHEDULER) all of them work.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Mapping
from typing import Any, Self

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings, default_settings
from scrapy.utils.log import log_scrapy_info
from scrapy.utils.misc import load_object

import topiccrawler.engine.early_imports  # noqa: F401
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.harvest import own_domains
from topiccrawler.crawling.recipe import CrawlParams
from topiccrawler.crawling.settings_check import check_names, check_settings
from topiccrawler.engine.defaults import set_defaults
from topiccrawler.engine.faults import FatalFaults, reported_by_scrapy
from topiccrawler.engine.feeds import check_feeds
from topiccrawler.engine.middlewares import expanding
from topiccrawler.engine.opening import open_crawl
from topiccrawler.engine.queue_place import IN_MEMORY, queue_place
from topiccrawler.engine.scheduler import is_focused
from topiccrawler.errors import ArgumentError
from topiccrawler.resources import package_table
from topiccrawler.text.engines import in_use_with_version

logger = logging.getLogger(__name__)


def hold_back() -> None:
    """Suppress log messages below WARNING until `go_on`."""
    logging.disable(logging.INFO)


def go_on(settings: Settings) -> None:
    """Undo `hold_back`: enable logging and the garbage collector again, and log Scrapy's first lines. No effect without `hold_back`."""
    if logging.root.manager.disable == logging.INFO:
        gc.enable()
        logging.disable(logging.NOTSET)
        log_scrapy_info(settings)


# Scrapy's loggers of versions, add-ons, extensions, settings and middlewares, 80 lines before the first that is about the crawl
_LISTING = ("scrapy.utils.log", "scrapy.addons", "scrapy.middleware", "scrapy.crawler")
_LISTED = ("Versions", "Enabled ", "Overridden settings")  # how those messages begin


def quieten_listings() -> None:
    """Log what Scrapy lists of a crawl's components and settings with level DEBUG instead of INFO."""
    for name in _LISTING:
        logging.getLogger(name).addFilter(_as_debug)


def _as_debug(record: logging.LogRecord) -> bool:
    if record.levelno == logging.INFO and str(record.msg).startswith(_LISTED):
        record.levelno, record.levelname = logging.DEBUG, logging.getLevelName(logging.DEBUG)
    return True


UNUSABLE = package_table("engine/unusable_settings.toml")


def refuse_settings(settings: BaseSettings) -> None:
    """Raise ArgumentError for the first unusable setting that the project, the spider or the command line has changed."""
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
    """Base class of spiders that have a crawl. A subclass defines `name`, `params_of`, `start` and `parse`."""

    crawl: Crawl
    faults: FatalFaults
    allowed_domains: list[str]  # as in Scrapy; not set for a crawl that may go anywhere

    def params_of(self, arguments: Mapping[str, Any], topic: str | None) -> CrawlParams:
        """Check the spider arguments and return them as CrawlParams. `topic`: the default topic; None = there is none."""
        raise NotImplementedError

    def prepare(self, params: Any) -> None:
        """Hook for subclasses, called with the arguments after the crawl is built."""

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Apply custom_settings, and our defaults with a lower priority than the project's settings."""
        super().update_settings(settings)
        set_defaults(settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        job = kwargs.pop("_job", None)  # scrapyd's name for this run
        spider = super().from_crawler(crawler, *args, **kwargs)
        settings = crawler.settings
        if not settings.frozen:
            set_defaults(settings)  # again, because a runner may have replaced the crawler's settings
        topic = settings.get("TOPIC") or (CHECKED_TOPIC if os.environ.get("SCRAPY_CHECK") else None)
        # `check`, `fetch` and `parse` replace start(): they fetch one page and must not touch stored rows.
        command = cls.start.__module__
        with reported_by_scrapy(settings):
            check_names(settings)
            check_settings(settings)
            if settings.get("REPLAY_WARC"):
                from topiccrawler.engine.archives import replayed_web

                replayed_web(settings)  # cached; read here to report its faults before Scrapy's first lines
            if is_focused(load_object(settings["SCHEDULER"])):
                refuse_settings(settings)
            params = spider.params_of(kwargs, topic)
            check_feeds(settings)
            if settings.get("TOPIC_JUDGE_URL"):
                from topiccrawler.engine.chat_server import check_judge  # late: most crawls have no judge

                check_judge(str(settings["TOPIC_JUDGE_URL"]), settings.get("TOPIC_JUDGE_MODEL"))
            queue = IN_MEMORY if command.startswith("scrapy.commands") else queue_place(params, settings)
            spider.crawl, spider.faults = open_crawl(params, settings, job, queue), FatalFaults()
            spider.prepare(params)
            own = list(params.allowed_domains) or own_domains(spider.crawl.topic.sites)
            if own:
                spider.allowed_domains = own
        spider.faults.connect(crawler)
        go_on(settings)
        logger.info("Chinese texts are cut into words by %s", in_use_with_version())
        if command == "scrapy.commands.parse":
            spider.__dict__["parse"] = expanding(spider.parse, spider.crawl.strategy)
        return spider
