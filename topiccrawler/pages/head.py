"""Reads the elements without text: title, metas, base, canonical URL, feeds, refresh, language.

They stand in any order, twice, or in the body; the first of each counts, as in browsers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from selectolax.lexbor import LexborNode

from topiccrawler.pages.document import Document

LONGEST_CONTENT = 10_000
MOST_FEEDS = 10  # of one page
_FEEDS = frozenset({"application/rss+xml", "application/atom+xml"})
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]?\s*url\s*=\s*['\"]?\s*([^'\"]+)", re.IGNORECASE)


def _meta(document: Document, node: LexborNode) -> None:
    attributes = node.attributes
    content = (attributes.get("content") or "")[:LONGEST_CONTENT]
    if not content:
        return
    name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop")
    if name:
        document.metas.setdefault(name.lower(), content)
    if not document.refresh and (attributes.get("http-equiv") or "").lower() == "refresh":
        target = _REFRESH.match(content)
        document.refresh = target[1].strip() if target else ""


def _base(document: Document, node: LexborNode) -> None:
    document.base_href = document.base_href or node.attributes.get("href") or ""


def _relation(document: Document, node: LexborNode) -> None:
    attributes = node.attributes
    relation = (attributes.get("rel") or "").lower()
    if not document.canonical_href and "canonical" in relation:
        document.canonical_href = attributes.get("href") or ""
    feed = "alternate" in relation and (attributes.get("type") or "").strip().lower() in _FEEDS
    if feed and (href := attributes.get("href")) and len(document.feed_hrefs) < MOST_FEEDS:
        document.feed_hrefs.append(href)


def _title(document: Document, node: LexborNode) -> None:
    document.title_tag = document.title_tag or " ".join(node.text()[:LONGEST_CONTENT].split())


def _html(document: Document, node: LexborNode) -> None:
    document.lang = document.lang or node.attributes.get("lang") or ""


HEAD_ELEMENTS: dict[str, Callable[[Document, LexborNode], None]] = {
    "meta": _meta,
    "base": _base,
    "link": _relation,
    "title": _title,
    "html": _html,
}
