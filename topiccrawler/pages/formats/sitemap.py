"""Sitemaps and their indexes, plain or gzip: a list of links; news sitemaps give headlines too, image sitemaps captions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from lxml import etree

from topiccrawler.pages.formats.extract import MOST_LINKS, Extract, Part, bounded, tidy
from topiccrawler.pages.formats.markup import MOST_BYTES, name_of, root_of
from topiccrawler.pages.formats.registry import inflated

LONGEST_CAPTION = 400
_HOLDERS = frozenset({"url", "sitemap"})


def read(body: bytes, declared: str | None = None) -> Extract:
    """A sitemap; UnreadableError when it is no XML."""
    if body.startswith(b"\x1f\x8b"):
        body = inflated(body, MOST_BYTES)
    return Extract(parts=bounded(entries(islice(root_of(body, declared), MOST_LINKS))), is_hub=True)


def entries(root: Iterable[etree._Element]) -> Iterator[Part]:
    """Headline and URL of each page or sitemap it lists, as they are written; captions of its pictures without a URL."""
    for holder in root:
        if name_of(holder) not in _HOLDERS:
            continue
        url = title = caption = ""
        for element in holder.iter(etree.Element):
            name = name_of(element)
            if name == "loc" and not url:
                url = tidy(element.text)
            elif name == "title" and not title:
                title = tidy(element.text)
            elif name == "caption" and not caption:
                caption = tidy(element.text)[:LONGEST_CAPTION]
        if url:
            yield title, url
            if caption:
                yield caption, ""
