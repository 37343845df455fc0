"""A parser of robots.txt that needs little memory: ROBOTSTXT_PARSER.

Scrapy keeps the parsed robots.txt of every host for ever, 23 kB with 40 rules. A crawl of many hosts needs the same few often and most of
them once. So only the compressed text of each host is kept (some hundred bytes), and the latest PARSED files in parsed form. Sitemap lines
go to crawling.site_listings.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Self

from scrapy.crawler import Crawler
from scrapy.robotstxt import ProtegoRobotParser, RobotParser

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
