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
from scrapy.robotstxt import ProtegoRobotParser, RobotParser

PARSED = 1_000  # files in parsed form
MOST_BYTES = 512_000  # of a file that are read; RFC 9309 demands at least 500 KiB


class CompactRobotParser(RobotParser):
    """ROBOTSTXT_PARSER: gives the same answers as Scrapy's default parser, Protego, and keeps the file compressed."""

    def __init__(self, body: bytes) -> None:
        if len(body) > MOST_BYTES:  # no part of a line: `Disallow: /` may be all that is left of it
            body = body[: 1 + max(body.rfind(end, 0, MOST_BYTES) for end in (b"\n", b"\r"))]
        self._packed = zlib.compress(body)

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:  # noqa: ARG003 Scrapy's signature
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        return _parsed(self._packed).allowed(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        return _parsed(self._packed).crawl_delay(user_agent)

    def sitemaps(self) -> Iterable[str]:
        """The URLs of the file's Sitemap lines, as written."""
        return _parsed(self._packed).rp.sitemaps


@lru_cache(PARSED)
def _parsed(packed: bytes) -> ProtegoRobotParser:
    return ProtegoRobotParser(zlib.decompress(packed), None)
