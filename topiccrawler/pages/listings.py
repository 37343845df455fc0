"""Where a site says that it lists its pages: feeds that a page declares, and the Sitemap lines of robots.txt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from topiccrawler.pages.document import Document
from topiccrawler.urls.canonical import Canonicalizer, canonical

MOST_LINES = 10  # Sitemap lines of one robots.txt
_SITEMAP = re.compile(r"^[ \t]*sitemap[ \t]*:[ \t]*(\S{1,2000})", re.IGNORECASE | re.MULTILINE)


def declared_feeds(document: Document, page_url: str) -> tuple[str, ...]:
    """Canonical URLs of the RSS and Atom feeds that a page declares, each once, in its order."""
    if not document.feed_hrefs:
        return ()
    base = canonical(document.base_href, page_url) if document.base_href else None
    return each_once(document.feed_hrefs, base or page_url)


def is_robots(url: str) -> bool:
    """The URL is that of a robots.txt."""
    return url.endswith("/robots.txt") and urlsplit(url).path == "/robots.txt"


def sitemap_lines(text: str, robots_url: str) -> tuple[str, ...]:
    """Canonical URLs of the Sitemap lines of a robots.txt, each once, in its order."""
    found = (match[1] for match, _ in zip(_SITEMAP.finditer(text), range(MOST_LINES), strict=False))
    return each_once(found, robots_url)


def each_once(hrefs: Iterable[str], base: str) -> tuple[str, ...]:
    """The hrefs as canonical URLs, without what is none."""
    urls = Canonicalizer(base)
    return tuple(dict.fromkeys(url for href in hrefs if (url := urls(href)) is not None))
