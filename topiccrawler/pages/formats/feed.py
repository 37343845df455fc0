"""RSS, Atom, CDF, JSON Feed and Hexo's search.xml, by feedparser: links, 1,000 at most, with headline and summary. Runs in the worker.

A search.xml holds the whole texts of a site; only the beginning of each is read, like that of a long summary.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

import feedparser

from topiccrawler.pages.document import BOUNDARY
from topiccrawler.pages.formats.registry import Extract, Part, UnreadableError, bounded, tidy
from topiccrawler.pages.parse import parse

MOST_ENTRIES = 1_000
LONGEST_SUMMARY = 400  # so that MOST_ENTRIES of them fit into a page
MOST_SUMMARY_MARKUP = 20_000  # characters of a summary's markup that are read
_UTF8 = {"content-type": "application/xml; charset=utf-8"}
_SCHEMES = ("http://", "https://")


def read(body: bytes) -> Iterator[Extract]:
    """The extract of a feed in UTF-8; UnreadableError when it is none."""
    if body.lstrip().startswith(b"{"):
        yield _extract(*_json_feed(body))
        return
    # Markup in titles and summaries is read as that of pages is; to clean it first would take ten times the time.
    found = feedparser.parse(
        BytesIO(body), response_headers=_UTF8, sanitize_html=False, resolve_relative_uris=False
    )
    if not found.entries and not found.feed:
        raise UnreadableError(f"no feed ({found.get('bozo_exception', 'nothing in it')})")
    entries = ((each.get("title", ""), _link(each), _summary(each)) for each in found.entries[:MOST_ENTRIES])
    yield _extract(found.feed.get("title", ""), found.feed.get("subtitle", ""), entries)


def _extract(title: str, description: str, entries: Iterator[tuple[str, str, str]]) -> Extract:
    """`entries`: headline, URL, summary."""
    parts: list[Part] = []
    for headline, url, summary in entries:
        parts += (_plain(headline), url), (_plain(summary), "")
    return Extract(title=_plain(title), parts=bounded(parts), description=_plain(description), is_hub=True)


def _link(entry: Mapping[str, Any]) -> str:
    """The URL of an entry, or "". Hexo has it as `url`; an Atom entry may have none but its id."""
    return next(
        (
            url
            for name in ("link", "href", "id")
            if (url := tidy(entry.get(name))) and (name != "id" or url.startswith(_SCHEMES))
        ),
        "",
    )


def _summary(entry: Mapping[str, Any]) -> str:
    return entry.get("summary") or next((each.get("value", "") for each in entry.get("content", ())), "")


def _json_feed(body: bytes) -> tuple[str, str, Iterator[tuple[str, str, str]]]:
    feed = json.loads(body)
    if not isinstance(feed, dict):
        raise UnreadableError("no JSON Feed")
    items = [item for item in feed.get("items") or () if isinstance(item, dict)][:MOST_ENTRIES]
    entries = (
        (
            _text(item, "title"),
            next(
                (
                    url
                    for url in (_text(item, name) for name in ("url", "external_url", "id"))
                    if url.startswith(_SCHEMES)
                ),
                "",
            ),
            next(
                (
                    text
                    for text in (_text(item, name) for name in ("summary", "content_text", "content_html"))
                    if text
                ),
                "",
            ),
        )
        for item in items
    )
    return _text(feed, "title"), _text(feed, "description"), entries


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _plain(markup: str) -> str:
    """The beginning of a text as it is shown; it may be HTML."""
    markup = markup[:MOST_SUMMARY_MARKUP]
    if "<" in markup or "&" in markup:
        markup = parse(markup).text.replace(BOUNDARY, " ")
    return tidy(markup)[:LONGEST_SUMMARY]
