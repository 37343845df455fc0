"""RSS, Atom, CDF, JSON Feed and Hexo's search.xml, by feedparser: links, 1,000 at most, with headline and summary. Runs in the worker.

A search.xml holds the whole texts of a site; only the beginning of each is read, like that of a long summary.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import feedparser

from topiccrawler.pages.document import BOUNDARY
from topiccrawler.pages.formats.registry import Extract, Part, UnreadableError, bounded, tidy
from topiccrawler.pages.parse import parse

MOST_ENTRIES = 1_000
LONGEST_SUMMARY = 400  # so that MOST_ENTRIES of them fit into a page
MOST_SUMMARY_MARKUP = 20_000  # characters of a summary's markup that are read
_UTF8 = {"content-type": "application/xml; charset=utf-8"}
_SCHEMES = ("http://", "https://")
_BASE = re.compile(rb"""\sxml:base\s*=\s*(["'])([^"'<]{0,2000})\1""")
# Elements of other vocabularies, which describe a picture or an episode. feedparser takes what comes first for the title or summary of the
# entry, so they get names of their own.
_FOREIGN = re.compile(rb"<(/?)(media:description|itunes:summary|dc:description|dc:title)\b[^<>]*?(/?)>")
_FOREIGN_TEXTS = ("dc_description_", "itunes_summary_", "media_description_")

Entry = tuple[str, Sequence[str], str]  # headline, URLs, summary


def read(body: bytes) -> Iterator[Extract]:
    """The extract of a feed in UTF-8; UnreadableError when it is none."""
    if body.lstrip().startswith(b"{"):
        feed = json.loads(body)
        yield _extract(_text(feed, "title"), _text(feed, "description"), map(_item, feed.get("items") or ()))
        return
    # Markup in titles and summaries is read as that of pages is; to clean it first would take ten times the time.
    body = _FOREIGN.sub(rb"<\1\2_\3>", _BASE.sub(_base, body))
    found = feedparser.parse(
        BytesIO(body), response_headers=_UTF8, sanitize_html=False, resolve_relative_uris=False
    )
    if not found.entries and not found.feed:
        raise UnreadableError(f"no feed ({found.get('bozo_exception', 'nothing in it')})")
    yield _extract(found.feed.get("title", ""), found.feed.get("subtitle", ""), map(_entry, found.entries))


def _base(found: re.Match[bytes]) -> bytes:
    """An xml:base as it is written; "" for one that is no URL, because of which feedparser drops all links."""
    try:
        urlsplit(found[2])
    except ValueError:
        return b""
    return found[0]


def _extract(title: str, description: str, entries: Iterable[Entry]) -> Extract:
    parts: list[Part] = []
    for headline, urls, summary in islice(entries, MOST_ENTRIES):
        parts += (
            (_plain(headline), next(iter(urls), "")),
            (_plain(summary), ""),
            *(("", url) for url in urls[1:]),
        )
    return Extract(title=_plain(title), parts=bounded(parts), description=_plain(description), is_hub=True)


def _entry(entry: Mapping[str, Any]) -> Entry:
    """An entry as feedparser has it. Hexo has the URL as `url`; an Atom entry may have none but its id, and an id need not be a URL."""
    links = [link for link in entry.get("links", ()) if link.get("rel") == "alternate"]
    links = [link for link in links if "html" in link.get("type", "")] or links[:1]
    identity = tidy(entry.get("id"))
    is_url = identity.startswith(_SCHEMES)
    pages = dict.fromkeys(map(tidy, (*(link.get("href") for link in links), entry.get("link"))))
    urls = [url for url in pages if url and (is_url or url != identity)] or [
        identity if is_url else tidy(entry.get("href"))
    ]
    texts = (each.get("value") for each in entry.get("content", ()))
    summaries = (entry.get("summary"), *map(entry.get, _FOREIGN_TEXTS), *texts)
    return entry.get("title") or entry.get("dc_title_", ""), urls, next(filter(None, summaries), "")


def _item(item: Any) -> Entry:
    """An item of a JSON Feed."""
    urls = [url for name in ("url", "external_url", "id") if (url := _text(item, name)).startswith(_SCHEMES)]
    texts = (_text(item, name) for name in ("summary", "content_text", "content_html"))
    return _text(item, "title"), urls[:1], next(filter(None, texts), "")


def _text(item: Any, name: str) -> str:
    value = item.get(name) if isinstance(item, dict) else None
    return value if isinstance(value, str) else ""


def _plain(markup: str) -> str:
    """The beginning of a text as it is shown; it may be HTML."""
    markup = markup[:MOST_SUMMARY_MARKUP]
    if "<" in markup or "&" in markup:
        markup = parse(markup).text.replace(BOUNDARY, " ")
    return tidy(markup)[:LONGEST_SUMMARY]
