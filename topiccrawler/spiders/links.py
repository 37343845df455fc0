"""The spider `links`, which collects labelled links for `scrapy train`; the URL of a link's target determines the label."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import cached_property
from typing import Any

from scrapy.http import Response
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.job_files import LINKS
from topiccrawler.crawling.recipe import LinksParams, parse_links_arguments
from topiccrawler.engine.focused_spider import FocusedSpider
from topiccrawler.engine.reading import content_type, robots_headers
from topiccrawler.errors import ArgumentError
from topiccrawler.files import user_path
from topiccrawler.items import Outlinks
from topiccrawler.link_model.training.link_files import Caps, LinkFile
from topiccrawler.strategies.base import ROOT
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.topic import Topic

logger = logging.getLogger(__name__)

HTML_TYPES = ("html", "text/plain", "xml")


class LinksSpider(FocusedSpider):
    """Collects links and labels each by the URL it leads to: `scrapy crawl links -a topic=finance -a pages=2000`.

    Arguments: topic, seeds (default: the topic's positive and negative URL prefixes), strategy (breadth_first or
    random_order), pages, out, context, links_per_page, links_per_host, links_per_site, unlabelled
    (topiccrawler.crawling.recipe). With the same JOBDIR, or the same `out`, an earlier run is resumed.
    """

    name = "links"
    # This crawl needs off-topic pages too, so no host is closed because its pages are off topic.
    custom_settings = {  # noqa: RUF012 Scrapy's own way
        "FRONTIER_HOST_UNPRODUCTIVE_PAGES": 0,
        "FRONTIER_SHAPE_UNPRODUCTIVE_PAGES": 0,
        "TOPIC_EXPAND": "all",
    }
    params: LinksParams

    def params_of(self, arguments: Mapping[str, Any], topic: str | None) -> LinksParams:
        given = parse_links_arguments(arguments, topic=topic)
        return given.model_copy(update={"seeds": given.seeds or _home_pages(load_topic(given.topic))})

    def prepare(self, params: LinksParams) -> None:
        self.params = params
        if params.out or self.crawl.files.resumes:
            # reads the file of an earlier run, and reports its faults, before the first request
            _ = self.file

    @cached_property
    def file(self) -> LinkFile:
        """The file that the links are written to."""
        params = self.params
        return LinkFile(
            user_path(params.out) if params.out else self.crawl.files.folder / LINKS,
            self.crawl.topic,
            context=params.context,
            caps=Caps(params.links_per_page, params.links_per_host, params.links_per_site),
            unlabelled=params.unlabelled,
        )

    async def start(self) -> AsyncIterator[Any]:
        """Yield the seeds, as the links of the virtual root page."""
        self.crawl.files.begin()
        logger.info(
            "Collecting links for topic %s, %s, %d seeds; they go to %s",
            self.crawl.topic.display_name,
            self.params.strategy,
            len(self.crawl.seeds),
            self.file.path,
        )
        yield Outlinks(ROOT, self.crawl.seeds)

    def parse(self, response: Response) -> Iterator[Any]:
        """Label the links of a page, write them to the file, and follow all of them, unless the page asks not to.

        @url data:text/html;charset=utf-8,<a href="http://a.example/">%E8%82%A1%E7%A5%A8</a>
        @returns items 2 2
        @returns requests 0 0
        """
        kind = content_type(response)
        if kind and not any(part in kind.lower() for part in HTML_TYPES):
            return
        reading = self.crawl.reader.read(
            response.url,
            response.body,
            http_content_type_encoding(kind),
            depth=response.meta.get("depth", 0),
            via=response.meta.get("via"),
        )
        links = self.crawl.links_of(reading, self.params.context)
        taken = self.file.add(links)
        yield {"url": reading.page.url, "links": len(links), "taken": taken}
        tags = self.crawl.filter.tags(reading.document, robots_headers(response))
        yield self.crawl.outlinks(reading, tags) if tags.no_follow else Outlinks(reading.page, links)

    def progress_line(self) -> str:
        """The progress line: pages, links by label, links that were not written, and waiting URLs."""
        crawl, file = self.crawl, self.file
        return (
            f"{crawl.harvest.pages} pages, {file.counts[1]} links to the topic, {file.counts[0]} to others, "
            f"{file.repeated} repeated, {file.capped} over a cap, {crawl.frontier.look().waiting()} queued"
        )

    def found_lines(self) -> list[str]:
        """Lines for the summary: the links collected, and the path of their file."""
        return [self.progress_line(), f"links: {self.file.path}"]

    def closed(self, reason: str) -> None:
        """Set the stats of the links collected."""
        if self.crawler.stats is not None:
            for name, count in (("positive", self.file.counts[1]), ("negative", self.file.counts[0])):
                self.crawler.stats.set_value(f"links/{name}", count)
            self.crawler.stats.set_value("links/repeated", self.file.repeated)
            self.crawler.stats.set_value("links/capped", self.file.capped)


def _home_pages(topic: Topic) -> str:
    """The topic's URL prefixes as seed URLs, separated by blanks: a crawl from there finds links of both classes. ArgumentError for a
    topic that lacks positive or negative prefixes."""
    if not topic.positive or not topic.negative:
        kind = "negative" if topic.positive else "positive"
        raise ArgumentError(
            f"topic {topic.display_name!r}",
            f"has no {kind} URL prefixes to label links by",
            f'add `{kind} = ["www.example.com/section/"]` to the topic file',
        )
    return " ".join(f"http://{prefix}" for prefix in (*topic.positive, *topic.negative))
