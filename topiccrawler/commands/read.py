"""`scrapy read FILE|URL …`: what a crawl reads of pages, and with a topic whether it would keep them, and by which words.

A page comes as in a crawl (settings, proxies, robots.txt, REPLAY_WARC), from a file, or from standard input; `topiccrawler.read_page` reads
it. So a wrong charset, title, day or verdict can be looked at without a crawl.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.files import read_bytes, user_path
from topiccrawler.seeding.answers import NoAnswerError

if TYPE_CHECKING:
    from scrapy.http import Response

    from topiccrawler.model import Link
    from topiccrawler.pages.usage import Statement
    from topiccrawler.read_page import ReadPage

STANDARD_INPUT = "-"
REMEDY = "give a file, a URL with http://, or - for standard input"
_FAILED = range(400, 600)  # statuses
DIGITS = 4  # of relevance, similarity and shares
_FROM_TOPIC = "topic"  # this field of ReadPage and those behind it depend on the topic
_SHOWN_APART = {"url", "text", "fault"}  # text fields that are no lines at the head of a report


class Command(ReportingCommand):
    """The command `scrapy read`: prints title, text, metadata and links of pages, and their relevance to a topic."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.url and (len(args) > 1 or "://" in args[0]):
            self.refuse("--url is for one FILE")
        if args.count(STANDARD_INPUT) > 1:
            self.refuse("standard input is read once")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.recipe import recipe_of
        from topiccrawler.pages.robots_tags import AGENT
        from topiccrawler.pages.robots_txt import product_token
        from topiccrawler.read_page import PageReader

        topic = opts.topic or self.setting("TOPIC") or ""
        if opts.page_classifier and not topic:
            raise ArgumentError("--page-classifier", "needs a topic", "add --topic NAME")
        recipe = recipe_of(self.project, topic, page_classifier=opts.page_classifier)
        agent = (
            product_token(self.setting("ROBOTSTXT_USER_AGENT") or self.setting("USER_AGENT") or "") or AGENT
        )
        obeys = self.project.getbool("TOPIC_ROBOTS_TAGS_OBEY", True)
        reader = PageReader(recipe, agent, obeys_tags=obeys)
        url = _address(opts.url) if opts.url else ""
        fetched = self._fetch([place for place in args if "://" in place])
        for place in args:
            try:
                source = fetched[place] if place in fetched else self._file(place, url)
                if isinstance(source, CrawlerError):
                    raise source
                page = reader.read(*source)
                if opts.json or not page.fault:
                    self.report(opts, _as_json(page, place), self._as_text(page, place, full=opts.full))
                if page.fault:
                    fault = f"cannot be read as {page.format}: {page.fault}"
                    raise ArgumentError(place, fault, "give a page that a browser opens")
            except CrawlerError as failure:  # of one page; the others are read
                self.report_fault(failure)

    def _as_text(self, page: ReadPage, place: str, *, full: bool) -> str:
        values = {name: getattr(page, name) for name in _names(page)}
        head = {
            name: value
            for name, value in values.items()
            if isinstance(value, str) and name not in {*_SHOWN_APART, _FROM_TOPIC}
        }
        links = [{"url": link.url, "context": _context(link, "[{}]")} for link in page.links]
        more = {"place": place, "head": head, "links": links, "full": full}
        return self.text("read", {"leading": (), **values, **more})

    def _file(self, place: str, url: str) -> _Source:
        what = "standard input" if place == STANDARD_INPUT else place
        most = self.project.getint("DOWNLOAD_MAXSIZE") or sys.maxsize - 1
        if place == STANDARD_INPUT:
            body = sys.stdin.buffer.read(most + 1)
        else:
            body = read_bytes(user_path(place), most, ArgumentError, what, REMEDY)
        if len(body) > most:
            raise ArgumentError(what, f"is larger than {most} bytes", REMEDY)
        return _Source(body, url, "")

    def _fetch(self, urls: Sequence[str]) -> Mapping[str, _Source | CrawlerError]:
        """Fetch pages by Scrapy's own downloader, so that proxy, robots.txt and REPLAY_WARC apply as in a crawl."""
        from topiccrawler.engine.fetching import fetch_all
        from topiccrawler.urls.canonical import host_of

        got: dict[str, _Source | CrawlerError] = {}
        addresses: dict[str, str] = {}
        for url in urls:
            try:
                addresses[url] = _address(url)
            except ArgumentError as failure:
                got[url] = failure
        if addresses:
            answers: dict[str, Response | NoAnswerError] = {}
            # Named by the user, so they may be in the own network.
            hosts = set(map(host_of, addresses.values()))
            fetch_all(self.project, [*set(addresses.values())], answers.__setitem__, hosts)
            got |= {url: _source(url, answers[address]) for url, address in addresses.items()}
        return got


class _Source(NamedTuple):
    """A page as it came; the arguments of PageReader.read."""

    body: bytes
    url: str
    content_type: str
    headers: Mapping[str, Sequence[str]] = MappingProxyType({})
    of_host: Sequence[Statement] = ()


def _source(url: str, answer: Response | NoAnswerError) -> _Source | ArgumentError:
    from topiccrawler.engine.reading import USAGE, content_type, robots_headers, usage_headers
    from topiccrawler.pages.robots_tags import HEADER

    if isinstance(answer, NoAnswerError):
        return ArgumentError(url, f"was not fetched: {answer}", "try again, or give a file")
    if answer.status in _FAILED:
        return ArgumentError(url, f"answers {answer.status}", "give the address of a page")
    headers = {**usage_headers(answer), HEADER: robots_headers(answer)}
    return _Source(answer.body, answer.url, content_type(answer), headers, answer.meta.get(USAGE, ()))


def _address(url: str) -> str:
    """The canonical form of a URL; ArgumentError for what is none."""
    from topiccrawler.urls.canonical import canonical

    address = canonical(url)
    if address is None:
        raise ArgumentError(url, "is no http(s) URL", "write it as http://host/path")
    return address


def _names(page: ReadPage) -> list[str]:
    """The fields of a page in order, without those of a topic where there is none."""
    names = [field.name for field in fields(page)]
    return names if page.topic else names[: names.index(_FROM_TOPIC)]


def _as_json(page: ReadPage, place: str) -> dict[str, Any]:
    """The page as it is printed with --json: the fields of ReadPage; a page without a URL has its file's name there."""
    found = {name: _plain(getattr(page, name)) for name in _names(page)}
    links = [{"url": link.url, "anchor": link.anchor, "context": _context(link)} for link in page.links]
    return {**found, "url": page.url or place, "links": links}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    return (
        [[word, round(share, DIGITS)] for word, share in value] if isinstance(value, list | tuple) else value
    )


def _context(link: Link, mark: str = "{}") -> str:
    """The text around a link and its anchor on one line; `mark`: how the anchor is written."""
    from topiccrawler.pages.document import BOUNDARY

    text = " ".join([link.before, mark.replace("{}", link.anchor), link.after])
    return " ".join(text.replace(BOUNDARY, " ").split())
