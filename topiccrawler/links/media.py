"""Pictures and files that a page links: recorded by anchor, alt and caption, never fetched.

Such a link leads to nothing that can be read, but its words may be about the topic. So links.extract leaves it out of
the queue, and it is kept here as part of its page's record.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter

from topiccrawler.items import Medium
from topiccrawler.links.extract import anchor_text
from topiccrawler.pages.document import BOUNDARY, Anchor, Document
from topiccrawler.urls.canonical import Canonicalizer
from topiccrawler.urls.file_types import is_media, may_be_media

LONGEST_CAPTION = 300
CAPTION_RUNS = 30  # pieces of text looked through on each side of the link
MOST_MEDIA = 200  # of one page


def media_of(document: Document, page_url: str, encoding: str = "utf-8") -> list[Medium]:
    """The page's media links, in order, each URL once."""
    base = page_url
    if document.base_href:
        base = Canonicalizer(page_url)(document.base_href) or page_url
    canonical = Canonicalizer(base, encoding=encoding)
    found: dict[str, Medium] = {}
    for anchor in document.anchors:
        if not may_be_media(anchor.href):
            continue
        url = canonical(anchor.href)
        if url is not None and url not in found and is_media(url):
            found[url] = Medium(
                url, anchor_text(document, anchor), _tidy(anchor.alt), _caption(document, anchor)
            )
            if len(found) >= MOST_MEDIA:
                break
    return list(found.values())


def _caption(document: Document, anchor: Anchor) -> str:
    """The figcaption of the figure the link stands in, else the link's title."""
    tags, parents = document.node_tags, document.node_parents
    figure = anchor.node
    while figure >= 0 and tags[figure] != "figure":
        figure = parents[figure]
    if figure < 0:
        return _tidy(anchor.title)
    at = bisect_left(document.runs, anchor.start, key=itemgetter(0))
    pieces = [
        document.text[start:end]
        for start, end, node, _, _ in document.runs[max(0, at - CAPTION_RUNS) : at + CAPTION_RUNS]
        if _captions(document, node, figure)
    ]
    return _tidy(" ".join(pieces)) or _tidy(anchor.title)


def _captions(document: Document, node: int, figure: int) -> bool:
    """Whether an element stands in a figcaption of that figure."""
    inside = False
    while node > figure:
        inside = inside or document.node_tags[node] == "figcaption"
        node = document.node_parents[node]
    return inside and node == figure


def _tidy(text: str) -> str:
    return " ".join(text.replace(BOUNDARY, " ").split())[:LONGEST_CAPTION]
