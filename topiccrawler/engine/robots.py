"""Parses robots.txt files with little memory per host (setting ROBOTSTXT_PARSER).

Scrapy keeps the parsed robots.txt of every host for the whole crawl, 23 kB with 40 rules. A crawl of many hosts uses a few of them often
and most of them once. So only the compressed text is kept for each host (some hundred bytes), and the most recently used PARSED files in
parsed form. Sitemap lines go to crawling.site_listings.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Self

from scrapy.crawler import Crawler
from scrapy.robotstxt import RobotParser
from scrapy.utils.python import to_unicode

from topiccrawler.pages.robots_txt import RobotsTxt, product_token
from topiccrawler.pages.usage import Statement

PARSED = 1_000  # files in parsed form
MOST_BYTES = 512_000  # of a file that are read; RFC 9309 demands at least 500 KiB


class CompactRobotParser(RobotParser):
    """ROBOTSTXT_PARSER: reads a file as RFC 9309 says (pages.robots_txt) and keeps it compressed."""

    def __init__(self, body: bytes) -> None:
        if len(body) > MOST_BYTES:  # no part of a line: `Disallow: /` may be all that is left of it
            body = body[: 1 + max(body.rfind(end, 0, MOST_BYTES) for end in (b"\n", b"\r"))]
        self.packed = zlib.compress(body)

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:  # noqa: ARG003 Scrapy's signature
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        return self._read(user_agent).allowed(to_unicode(url))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        return self._read(user_agent).crawl_delay

    def sitemaps(self) -> Iterable[str]:
        """The URLs of the file's Sitemap lines, as written."""
        return self._read("").sitemaps

    def usage(self, url: str, user_agent: str | bytes) -> list[Statement]:
        """What the file says about the use of a URL's page."""
        return self._read(user_agent).usage(url)

    def _read(self, user_agent: str | bytes) -> RobotsTxt:
        return _parsed(self.packed, product_token(to_unicode(user_agent)))


@lru_cache(PARSED)
def _parsed(packed: bytes, agent: str) -> RobotsTxt:
    return RobotsTxt(zlib.decompress(packed), agent)
