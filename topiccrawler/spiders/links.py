"""The spider `links`: collects labelled links for `scrapy train`; the address of a link's target is its label."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Self

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import Response

from topiccrawler.crawl.params import LinksParams, parse_links_arguments
from topiccrawler.engine.runtime import Runtime, build_runtime
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.items import Outlinks
from topiccrawler.link_model.training.link_file import Caps, LinkFile
from topiccrawler.links.extract import extract
from topiccrawler.strategies.base import ROOT
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.topic import Topic

logger = logging.getLogger(__name__)

FILE = "links.jsonl"
HTML_TYPES = ("html", "text/plain", "xml")
CHECKED_TOPIC = "finance"  # `scrapy check` gives no arguments; its contracts need some topic


class LinksSpider(Spider):
    """Labels links by where they lead: `scrapy crawl links -a topic=finance -a pages=2000`.

    Arguments: topic, seeds (default: the topic's positive and negative URL prefixes), strategy (breadth_first or
    random_order), pages, out, context, links_per_page, links_per_host, links_per_site, unlabelled
    (topiccrawler.crawl.params). Given the same JOBDIR, or the same `out`, it goes on.
    """

    name = "links"
    # Off topic is what a general crawl is for: no host is given up because its pages are.
    custom_settings = {  # noqa: RUF012 Scrapy's own way
        "FRONTIER_HOST_UNPRODUCTIVE_PAGES": 0,
        "FRONTIER_SHAPE_UNPRODUCTIVE_PAGES": 0,
        "TOPIC_EXPAND": "all",
    }
    runtime: Runtime
    file: LinkFile
    params: LinksParams

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        job = kwargs.pop("_job", None)  # scrapyd's name for this run
        spider = super().from_crawler(crawler, *args, **kwargs)
        settings = crawler.settings
        topic = settings.get("TOPIC") or (CHECKED_TOPIC if os.environ.get("SCRAPY_CHECK") else None)
        try:
            given = parse_links_arguments(kwargs, topic=topic)
            params = given.model_copy(update={"seeds": given.seeds or _places(load_topic(given.topic))})
            crawls = not cls.start.__module__.startswith("scrapy.commands")
            jobdir = settings.get("JOBDIR") if crawls else None
            spider.params = params
            spider.runtime = build_runtime(params, settings, job, jobdir=jobdir)
            spider.file = LinkFile(
                Path(params.out).expanduser() if params.out else spider.runtime.files.folder / FILE,
                spider.runtime.topic,
                context=params.context,
                caps=Caps(params.links_per_page, params.links_per_host, params.links_per_site),
                unlabelled=params.unlabelled,
            )
        except CrawlerError as error:
            if settings.get("LOG_FILE"):  # scrapyd shows its users the log only
                logger.error("%s", error)  # noqa: TRY400 a user's slip deserves a line, not a traceback
            raise SystemExit(str(error)) from None
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """The seeds, as the out-links of the virtual root page."""
        logger.info(
            "Collecting links for topic %s, %s, %d seeds; they go to %s",
            self.runtime.topic.name,
            self.params.strategy,
            len(self.runtime.seeds),
            self.file.path,
        )
        yield Outlinks(ROOT, self.runtime.seeds)

    def parse(self, response: Response) -> Iterator[Any]:
        """Label and write a page's links, and follow all of them.

        @url data:text/html;charset=utf-8,<a href="http://a.example/">%E8%82%A1%E7%A5%A8</a>
        @returns items 2 2
        @returns requests 0 0
        """
        kind = (response.headers.get("Content-Type") or b"").decode("latin-1").lower()
        if kind and not any(part in kind for part in HTML_TYPES):
            return
        runtime, depth = self.runtime, response.meta.get("depth", 0)
        reading = runtime.reader.read(
            response.url, response.body, _charset(kind), depth=depth, via=response.meta.get("via")
        )
        links = extract(
            reading.document,
            reading.page.url,
            depth=depth + 1,
            context=self.params.context,
            window=runtime.context_characters,
            extra_parameters=runtime.dropped_parameters,
            encoding=reading.encoding,
        )
        taken = self.file.add(links)
        yield {"url": reading.page.url, "links": len(links), "taken": taken}
        yield Outlinks(reading.page, links)

    def progress_line(self) -> str:
        """Pages, links by label, links not taken, URLs waiting."""
        runtime, file = self.runtime, self.file
        return (
            f"{runtime.harvest.pages} pages, {file.counts[1]} links to the topic, {file.counts[0]} to others, "
            f"{file.repeated} repeated, {file.capped} over a cap, {len(runtime.frontier)} queued"
        )

    def closed(self, reason: str) -> None:
        """Say what was collected, in log and stats."""
        logger.info("%s; links are in %s", self.progress_line(), self.file.path)
        if self.crawler.stats is not None:
            for name, count in (("positive", self.file.counts[1]), ("negative", self.file.counts[0])):
                self.crawler.stats.set_value(f"links/{name}", count)
            self.crawler.stats.set_value("links/repeated", self.file.repeated)
            self.crawler.stats.set_value("links/capped", self.file.capped)


def _charset(content_type: str) -> str | None:
    _, found, charset = content_type.partition("charset=")
    return charset.split(";")[0].strip(" \"'") if found else None


def _places(topic: Topic) -> str:
    """The home pages of the URL prefixes that labels are made from: a crawl from there meets links of both classes."""
    if not topic.positive or not topic.negative:
        kind = "negative" if topic.positive else "positive"
        raise ArgumentError(
            f"topic {topic.name!r}",
            f"has no {kind} places to label links by",
            f'add `{kind} = ["www.example.com/section/"]` to the topic file',
        )
    return " ".join(f"http://{place}" for place in (*topic.positive, *topic.negative))
