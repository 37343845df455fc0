"""The links of a page as Link records, each with its text, its position and its context.

Trained models, live crawl and labelled files must see the same context to the character, and there are
200 links on a page. The page is already one line of text (pages.dom_traversal), so a context is a slice of it.
Context   window     the `window` characters on each side, block and link ends marked "|"
          neighbour  per side: the neighbouring link's anchor when one stands within the window, else the window
          dom        text of the nodes within DOM_DISTANCE steps of the link in the tree, at most `window` characters a side
Cost      see benchmarks/reading.py.
But       per side is our reading (the paper does not say); a distance counts tree edges from the link's element to the
          element that holds the text; both sides of `dom` are capped, or a flat page would be one context.
Reference NB-guided crawling (2010) §3.3; JLSE §4.2.

Pictures and files that a page links: recorded by anchor, alt and caption, never fetched.

Such a link leads to nothing that can be read, but its words may be about the topic. So links.extract leaves it out of
the queue, and it is kept here as part of its page's record.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter
from typing import Literal

from topiccrawler.items import Medium
from topiccrawler.model import Link
from topiccrawler.pages.document import BOUNDARY, Anchor, Document
from topiccrawler.urls.canonical import Canonicalizer, host_of, is_media, kind_of, may_be_media

ContextMaker = Literal["window", "neighbour", "dom"]

WINDOW_CHARACTERS = 60
DOM_DISTANCE = 5
LONGEST_ANCHOR = 200
SILENT_NEIGHBOURS = 20  # links without any text that are passed over in search of a neighbour

_FRAMES = frozenset({"frame", "iframe"})
_UNKNOWN = ("", "", "")


def extract(
    document: Document,
    page_url: str,
    *,
    depth: int,
    context: ContextMaker = "window",
    window: int = WINDOW_CHARACTERS,
    extra_parameters: frozenset[str] = frozenset(),
    encoding: str = "utf-8",
) -> list[Link]:
    """All http(s) links in document order; repeated URLs stay, each with its own anchor.

    Links to files that are no pages are left out: links.extract has them.

    `depth` is that of the links; `encoding` the page's own, in which browsers send what a query holds.
    """
    base = page_url
    if document.base_href:
        base = Canonicalizer(page_url)(document.base_href) or page_url
    canonical = Canonicalizer(base, extra_parameters, encoding)
    found: list[Link] = []
    targets: dict[str, tuple[str, str, str] | None] = {}
    for index, anchor in enumerate(document.anchors):
        href = anchor.href
        target = targets.get(href, _UNKNOWN)
        if target is _UNKNOWN:
            target = targets[href] = _target(href, canonical, page_url)
        if target is None:
            continue
        url, host, kind = target
        texts = anchor_text(document, anchor), *_context(document, index, context, window), anchor.title
        place = anchor.heading, anchor.region, anchor.path, "frame" if anchor.tag in _FRAMES else kind
        nofollow = bool(anchor.rel) and "nofollow" in anchor.rel.lower()
        found.append(Link(url, host, *texts, *place, len(found), depth, page_url, nofollow))
    if document.refresh:
        target = _target(document.refresh, canonical, page_url)
        if target is not None:
            url, host, kind = target
            link = Link(url, host, document.title_tag[:LONGEST_ANCHOR], kind=kind, position=len(found))
            found.append(link._replace(depth=depth, source_url=page_url))
    return found


def anchor_text(document: Document, anchor: Anchor) -> str:
    """What a reader sees of the link: its text, else its title, else the alt of its picture."""
    text = document.text[anchor.start : anchor.end]
    if BOUNDARY in text:
        text = text.replace(BOUNDARY, " ")
    return (text or " ".join(anchor.title.split()) or " ".join(anchor.alt.split()))[:LONGEST_ANCHOR]


def _target(href: str, canonical: Canonicalizer, page_url: str) -> tuple[str, str, str] | None:
    if href.startswith("#"):
        return None  # a place on this page
    url = canonical(href)
    return None if url is None or is_media(url) else (url, host_of(url), kind_of(page_url, url))


def _context(document: Document, index: int, maker: ContextMaker, window: int) -> tuple[str, str]:
    anchor = document.anchors[index]
    if maker == "dom":
        return _dom(document, anchor, window)
    text, start = document.text, anchor.start
    end = anchor.end if anchor.end > start else start - 1  # without text: the boundary it stands behind
    before, after = text[max(0, start - window) : start].lstrip(), text[end : end + window].rstrip()
    if maker == "neighbour":
        before = _neighbour(document, index, -1, start - window) or before
        after = _neighbour(document, index, 1, end + window) or after
    return before, after


def _neighbour(document: Document, index: int, step: int, limit: int) -> str:
    """Anchor of the next link on that side, if some of it stands within the window; empty without one."""
    stop = index + step * (SILENT_NEIGHBOURS + 1)
    for at in range(index + step, max(-1, stop) if step < 0 else min(len(document.anchors), stop), step):
        other = document.anchors[at]
        if other.end <= limit if step < 0 else other.start >= limit:
            return ""
        text = anchor_text(document, other)
        if text:
            return text
    return ""


def _dom(document: Document, anchor: Anchor, window: int) -> tuple[str, str]:
    """Text in elements within DOM_DISTANCE tree steps, read outwards from the link."""
    parents = document.node_parents
    climb: dict[int, int] = {}  # ancestor -> steps up to it
    at = anchor.node
    while at >= 0 and len(climb) <= DOM_DISTANCE:
        climb[at] = len(climb)
        at = parents[at]
    first = bisect_left(document.runs, anchor.start, key=itemgetter(0))
    after_link = first
    while after_link < len(document.runs) and document.runs[after_link][0] < anchor.end:
        after_link += 1
    before = _collect(document, range(first - 1, -1, -1), climb, window)
    after = _collect(document, range(after_link, len(document.runs)), climb, window)
    return BOUNDARY.join(reversed(before))[-window:], BOUNDARY.join(after)[:window]


def _collect(document: Document, order: range, climb: dict[int, int], window: int) -> list[str]:
    found: list[str] = []
    characters = 0
    for index in order:
        start, end, node, _, _ = document.runs[index]
        distance = _distance(document.node_parents, node, climb)
        if distance is None or characters >= window:
            break
        if distance <= DOM_DISTANCE:
            found.append(document.text[start:end])
            characters += end - start + 1
    return found


def _distance(parents: list[int], node: int, climb: dict[int, int]) -> int | None:
    """Tree edges from the link to `node`; None outside of the subtree of its farthest ancestor in reach."""
    down = 0
    while node >= 0:
        if node in climb:
            return climb[node] + down
        node = parents[node]
        down += 1
    return None


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
