"""robots.txt in little memory: Scrapy keeps the parsed file of every host for ever, 23 kB with 40 rules.

A crawl of many hosts asks the same few over and over and most of them once. So of each host only the compressed text is
kept (some hundred bytes), and the PARSED files asked about last are kept parsed. Its Sitemap lines go to crawl.site_listings.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.robotstxt import ProtegoRobotParser, RobotParser

from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.engine.politeness import host_key
from topiccrawler.pages.listings import MOST_LINES, each_once

PARSED = 1_000  # files
MOST_BYTES = 512_000  # of a file; RFC 9309 asks for so many to be read


class CompactRobotParser(RobotParser):
    """ROBOTSTXT_PARSER: answers as Scrapy's own does, by Protego."""

    def __init__(self, body: bytes) -> None:
        self._packed = zlib.compress(body[:MOST_BYTES])

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:  # noqa: ARG003 Scrapy's signature
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        return _parsed(self._packed).allowed(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        return _parsed(self._packed).crawl_delay(user_agent)

    def sitemaps(self) -> Iterable[str]:
        """The URLs of its Sitemap lines, as written."""
        return _parsed(self._packed).rp.sitemaps


@lru_cache(PARSED)
def _parsed(packed: bytes) -> ProtegoRobotParser:
    return ProtegoRobotParser(zlib.decompress(packed), None)


class SitemapLines:
    """Listens for parsed robots.txt files and declares their sitemaps. Any ROBOTSTXT_PARSER that has `sitemaps` will do."""

    def __init__(self, listings: SiteListings) -> None:
        self.listings = listings

    @classmethod
    def from_crawler(cls, crawler: Crawler, listings: SiteListings) -> Self:
        """Listening from now on, as long as somebody keeps it."""
        lines = cls(listings)
        crawler.signals.connect(lines.robots_parsed, signals.robots_parsed)
        return lines

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """`request`: the one that robots.txt was fetched for."""
        lines: Iterable[str] = getattr(robotparser, "sitemaps", list)()
        self.listings.declare(host_key(request), each_once(islice(lines, MOST_LINES), request.url))
