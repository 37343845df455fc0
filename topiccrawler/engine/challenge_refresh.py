"""Keeps the refresh of a challenge page from being followed: it leads to the challenge again, or to a page without the URL's content."""

from __future__ import annotations

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.engine.opening import needed_crawl
from topiccrawler.engine.reading import challenge_headers, content_type
from topiccrawler.pages.challenge_signs import challenge_of

MOST_BYTES = 200_000  # a challenge is shorter


class ChallengeRefreshMiddleware:
    """Downloader middleware (585, behind decompression, before MetaRefreshMiddleware on the way back)."""

    def __init__(self, crawl: Crawl) -> None:
        self.crawl = crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(needed_crawl(crawler))

    def process_response(self, request: Request, response: Response) -> Response:
        body = response.body
        if (
            200 <= response.status < 300
            and isinstance(response, HtmlResponse)
            and len(body) <= MOST_BYTES
            and b"refresh" in body.lower()
        ):
            declared = content_type(response)
            content = self.crawl.reader.content(
                response.url, body, http_content_type_encoding(declared), content_type=declared
            )
            if challenge_of(content.signs, challenge_headers(response)) is not None:
                request.meta["dont_redirect"] = True
        return response
