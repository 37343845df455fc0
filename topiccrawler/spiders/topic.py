"""The spider `topic`, which crawls for one topic and fetches the most promising links first.

`TopicSpider` is the spider. `plan_revisits` chooses the pages that a run with `-a revisit=true` fetches again.
"""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.job_topic import TOPIC, words_and_weights
from topiccrawler.crawling.page_stores import arguments_of, number_of_visits
from topiccrawler.crawling.recipe import CrawlParams, parse_arguments
from topiccrawler.crawling.revisiting import known_pages, ranked
from topiccrawler.crawling.teaching import answers_behind
from topiccrawler.engine.faults import is_scrapys_process
from topiccrawler.engine.focused_spider import FocusedSpider
from topiccrawler.engine.process_memory import return_freed, search_seldom
from topiccrawler.engine.reading import (
    CHALLENGE,
    NOT_FOLLOWED,
    USAGE,
    challenge_headers,
    content_type,
    read_ahead,
    robots_headers,
    usage_headers,
)
from topiccrawler.engine.revisits import Revisits
from topiccrawler.engine.scheduler import focused_scheduler, is_focused
from topiccrawler.errors import ArgumentError
from topiccrawler.items import Outlinks
from topiccrawler.pages.formats.registry import recognise
from topiccrawler.pages.usage import Wishes
from topiccrawler.strategies.base import ROOT
from topiccrawler.topics.meaning import as_understood
from topiccrawler.topics.seeds import CLASS_NAME

REVISIT_SHARE = 0.5  # of `-a pages=` that `-a revisit=true` uses; the rest fetches new pages

_ARGUMENT = "argument -a revisit=true"


def going_on(folder: Path, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of the job in the folder, overridden by the given ones: a job is resumed with its own arguments when no topic is
    given."""
    kept = arguments_of(folder)
    if "strategy" in arguments:  # the parameters of another strategy do not fit
        kept = {name: value for name, value in kept.items() if not name.startswith("strategy_")}
    return {**kept, **arguments}


def check_revisit(settings: BaseSettings) -> None:
    """Raise ArgumentError if pages cannot be revisited: there is no queue or no log of an earlier run, or the scheduler is not ours. No
    file is written."""
    if not is_focused(load_object(settings["SCHEDULER"])):
        raise ArgumentError(_ARGUMENT, "needs our scheduler", "leave SCHEDULER as it is")
    jobdir = settings.get("JOBDIR")
    if not jobdir or not number_of_visits(Path(jobdir)):
        raise ArgumentError(
            _ARGUMENT, "there is no earlier crawl to go on with", "name its folder: -s JOBDIR=FOLDER"
        )


def plan_revisits(crawl: Crawl) -> Revisits:
    """Choose the pages to revisit, and set them and the new limits on the crawl. With the argument `pages`, the share REVISIT_SHARE
    of these is for revisits, the rest for new pages. Without `pages` and `targets` the run only revisits pages."""
    files = crawl.files
    due = ranked(known_pages(files.visits.all(), files.checks.all()), crawl.clock())
    limit = crawl.limits.pages
    if limit is not None:
        due = due[: math.ceil(limit * REVISIT_SHARE)]
        new = crawl.harvest.pages + limit - len(due)
        crawl.limits = replace(crawl.limits, pages=new)
    if limit is None and crawl.limits.targets is None:
        crawl.limits = replace(crawl.limits, pages=0)
    crawl.rechecks = revisits = Revisits(
        due, files, crawl.frontier.look(), crawl.reader.own_text, crawl.withdraw
    )
    return revisits


logger = logging.getLogger(__name__)


class TopicSpider(FocusedSpider):
    """Crawls for pages about a topic: `scrapy crawl topic -a topic=finance`.

    Arguments: topic, seeds, strategy, page_classifier, pages, targets, keywords, sites, strategy_NAME
    (topiccrawler.crawling.recipe).
    """

    name = "topic"
    revisits: Revisits | None = None

    def params_of(self, arguments: Mapping[str, Any], topic: str | None) -> CrawlParams:
        strategy = self.settings.get("TOPIC_STRATEGY", "adaptive")
        jobdir = self.settings.get("JOBDIR")
        if jobdir and topic is None and not {"topic", "keywords"} & set(arguments):
            arguments = going_on(Path(jobdir), arguments)
        params = parse_arguments(arguments, topic=topic, strategy=strategy)
        if params.revisit:
            check_revisit(self.settings)
        return params

    def prepare(self, params: CrawlParams) -> None:
        if params.revisit:
            self.revisits = plan_revisits(self.crawl)

    async def start(self) -> AsyncIterator[Any]:
        """Yield the seeds, as the links of the virtual root page, and then the requests of revisits."""
        self.crawl.files.begin()
        logger.info(
            "Topic %s, strategy %s, %d seeds; results go to %s",
            self.crawl.topic.full_name,
            self.crawl.parts.recipe.strategy,
            len(self.crawl.seeds),
            self.crawl.files.folder,
        )
        if self.crawl.topic.name.startswith(CLASS_NAME) and not getattr(self, "seeds", None):
            logger.info("The seeds are those proposed for the class; -a seeds=FILE begins elsewhere")
        if answers := answers_behind(self.crawl.topic, self.crawl.files.folder):
            logger.info("With the topic as it was taught by %d answers", answers)
        elif meant := as_understood(self.crawl.topic):
            logger.info("Understood as %s", meant)
            logger.info(
                "Made of your words: %s; as a file: %s",
                words_and_weights(self.crawl.topic),
                self.crawl.files.folder / TOPIC,
            )
        if is_scrapys_process():
            return_freed()
            search_seldom(self.crawler)
        yield Outlinks(ROOT, self.crawl.seeds)
        if self.revisits is not None and (scheduler := focused_scheduler(self.crawler)) is not None:
            failed, waiting = scheduler.leases.failed, scheduler.request_queue
            async for request in self.revisits.requests(self, scheduler.leases, failed, waiting):
                yield request

    def parse(self, response: Response) -> Iterator[Any]:
        """Read a page; yield its item, and all its links in one batch. A challenge, login wall or soft 404 has neither.

        @url data:text/html;charset=utf-8,<title>%E5%9F%BA%E9%87%91</title><a href="http://a.example/">%E8%82%A1%E7%A5%A8</a>
        @returns items 2 2
        @returns requests 0 0
        """
        declared = content_type(response)
        reading = self.crawl.read(
            response.url,
            response.body,
            declared,
            http_content_type_encoding(declared),
            depth=response.meta.get("depth", 0),
            seconds=response.meta.get("download_latency", 0.0),
            via=response.meta.get("via"),
            **read_ahead(self.crawl, response),
        )
        if reading is None:
            self._count(f"topic/skipped/{recognise(response.body, declared)}")
            return
        if reading.fault:
            logger.info("Cannot read %s (%s): %s", response.url, reading.format, reading.fault)
            self._count("topic/skipped/unreadable")
            return
        if (signs := reading.content.signs) is not None:
            challenge = self.crawl.challenges.of(signs, reading.page.url, challenge_headers(response))
            if challenge is not None:
                response.meta[CHALLENGE] = challenge  # LeaseEndMiddleware reports it
                return
        last_modified = (response.headers.get("Last-Modified") or b"").decode("latin-1")
        tags = self.crawl.filter.tags(reading.document, robots_headers(response))
        wishes = Wishes(tags, usage_headers(response), response.meta.get(USAGE, ()))
        yield self.crawl.items.of(reading, response.status, self.crawl.clock(), last_modified, wishes)
        if tags.no_follow:
            response.meta[NOT_FOLLOWED] = tags.no_follow  # LeaseEndMiddleware records it
            self._count("topic/robots_tags/nofollow")
        yield self.crawl.outlinks(reading, tags)

    def _count(self, key: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(key)
