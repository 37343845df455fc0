"""Reads PDF and Office files and feeds outside the engine's thread while the crawl runs.

A spider's callback blocks the whole engine for as long as it runs. So such files are read on the way from the downloader, and the
callback finds the result in the request's meta. A result is valid for one body: if another middleware changes the body later, the callback
reads it itself.
"""

from __future__ import annotations

from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.asyncio import run_in_thread
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.engine.opening import needed_crawl
from topiccrawler.pages.challenge_signs import verdict_headers
from topiccrawler.pages.formats.registry import HTML, IN_WORKER, recognise
from topiccrawler.pages.read import Content
from topiccrawler.pages.robots_tags import HEADER
from topiccrawler.pages.usage import CONTENT_USAGE, POLICY, RESERVATION
from topiccrawler.text.characters import decode

CHALLENGE = "topic_challenge"  # key in request.meta: what the response is, if it is no page
USAGE = "topic_usage"  # key in request.meta: what robots.txt says about the use of the URL's page
NOT_FOLLOWED = "topic_not_followed"  # key in request.meta: the robots tag by which links were not queued
# keys in request.meta: a result and what it was read from
_EXTRACT, _CONTENT = ("topic_extract", "topic_content")


class DocumentMiddleware:
    """Downloader middleware (60): reads a PDF or Office file or feed and stores the result in `meta` of its request."""

    def __init__(self, crawl: Crawl) -> None:
        self.crawl = crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(needed_crawl(crawler))

    async def process_response(self, request: Request, response: Response) -> Response:
        if 200 <= response.status < 300:
            declared = content_type(response)
            kind = recognise(response.body, declared)
            if kind in IN_WORKER:
                charset = http_content_type_encoding(declared)
                extract = await run_in_thread(self.crawl.reader.extract, kind, response.body, charset)
                request.meta[_EXTRACT] = response.body, extract
        return response


def content_with_refresh(crawl: Crawl, request: Request, response: Response) -> Content | None:
    """The content of a page that may have a refresh, for its URL to be requested instead; None for any other response.

    Few pages have one. The callback gets the same content.
    """
    declared, header = content_type(response), _refresh_header(response)
    if not (header or _may_refresh(response.body)) or recognise(response.body, declared) != HTML:
        return None
    charset = http_content_type_encoding(declared)
    content = crawl.reader.content(
        response.url, response.body, charset, content_type=declared, refresh=header
    )
    request.meta[_CONTENT] = _source(crawl, response), content
    return content


def _source(crawl: Crawl, response: Response) -> tuple[object, ...]:
    """What a content depends on; the crawl's reader is another one when the topic has changed."""
    return crawl.reader, response.url, response.body, content_type(response)


MOST_LETTERS = 2_000  # a page with more is searched whole
LONGEST_META = 2_500  # bytes before and behind "equiv"


def _may_refresh(body: bytes) -> bool:
    """Whether a page may have <meta http-equiv=refresh>, in ASCII letters or UTF-16.

    Only a single byte is found fast in 100 kB, so the rarest letter of "equiv" is looked for.
    """
    looked_at = 0
    for letter in (b"q", b"Q"):
        at = body.find(letter)
        while at >= 0:
            looked_at += 1
            if looked_at > MOST_LETTERS:
                return b"refresh" in body.replace(b"\0", b"").lower()
            if body[max(0, at - 2) : at + 8].replace(b"\0", b"").lower().find(b"equiv") >= 0:
                around = body[max(0, at - LONGEST_META) : at + LONGEST_META]
                if b"refresh" in around.replace(b"\0", b"").lower():
                    return True
            at = body.find(letter, at + 1)
    return False


def _refresh_header(response: Response) -> str:
    """The header Refresh as text, in UTF-8 or else the charset that Chinese servers write; empty when there is none."""
    header = response.headers.get("Refresh") or b""
    return decode(header)[0] if header else ""


def forget_content(request: Request) -> None:
    """Remove what was read of an earlier response from the meta of the request that follows it."""
    request.meta.pop(_CONTENT, None)
    request.meta.pop(_EXTRACT, None)


def read_ahead(crawl: Crawl, response: Response) -> dict[str, Any]:
    """What was read of this response before its callback, as keyword arguments of Crawl.read. It is removed from the meta."""
    source, content = response.meta.pop(_CONTENT, (None, None))
    body, extract = response.meta.pop(_EXTRACT, (None, None))
    return {
        "content": content if source == _source(crawl, response) else None,
        "extract": extract if body is response.body else None,
    }


def content_type(response: Response) -> str:
    """The Content-Type header as text; empty when there is none."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def robots_headers(response: Response) -> list[str]:
    """The values of all headers X-Robots-Tag."""
    return [value.decode("latin-1") for value in response.headers.getlist(HEADER)]


def usage_headers(response: Response) -> dict[str, list[str]]:
    """The values of the headers about the use of the page, by name; without those that are absent."""
    found = {name: response.headers.getlist(name) for name in (CONTENT_USAGE, RESERVATION, POLICY)}
    return {name: [value.decode("latin-1") for value in values] for name, values in found.items() if values}


def challenge_headers(response: Response) -> list[tuple[str, str]]:
    """The headers, with lower-case names, by which some products say that a response is a challenge."""
    return [
        (name, value.decode("latin-1"))
        for name in verdict_headers()
        if (value := response.headers.get(name)) is not None
    ]
