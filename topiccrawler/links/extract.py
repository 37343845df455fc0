"""Extracts the links of a page, each with its text, its position and its context, and the links to media files.

`extract`: trained models, live crawl and labelled files must see the same context to the character, and there are
200 links on a page. The page is already one line of text (pages.dom_traversal), so a context is a slice of it.
Context   window     the `window` characters on each side, block and link ends marked "|"
          neighbour  per side: the anchor text of the neighbouring link if it is within the window, else the window
          dom        text of the nodes within DOM_DISTANCE steps of the link in the tree, at most `window` characters a side
Cost      see benchmarks/reading.py.
But       per side is our reading (the paper does not say); a distance counts tree edges from the link's element to the
          element that holds the text; both sides of `dom` are capped, or a flat page would be one context.
Reference NB-guided crawling (2010) §3.3; JLSE §3.2.1.

`media_of`: pictures and files that a page links to are recorded with anchor text, alt and caption, and never fetched. Such
a link leads to nothing that can be read, but its words may be about the topic. So `extract` skips it, and it becomes
part of the record of its page.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterable, Iterator
from heapq import merge
from itertools import chain, islice
from operator import itemgetter
from sys import intern
from typing import Literal

from topiccrawler.items import Medium
from topiccrawler.links.page_links import NO_CONTEXT, PageLinks, windows_of
from topiccrawler.model import LISTING
from topiccrawler.pages.document import BOUNDARY, Anchor, Document
from topiccrawler.urls.canonical import (
    Canonicalizer,
    directory_of,
    host_of,
    is_media,
    kind_between,
    may_be_media,
)

ContextMaker = Literal["window", "neighbour", "dom"]

WINDOW_CHARACTERS = 60  # of text on each side of a link that are its context (NB 2010 §3.3)
DOM_DISTANCE = 5
LONGEST_ANCHOR = 200
HREFS = 20_000  # hrefs in the cache; some 7 MB
LONGEST_MET = 300  # characters of an href that is cached
SILENT_NEIGHBOURS = 20  # links without any text that are skipped in search of a neighbour

_FRAMES = frozenset({"frame", "iframe"})
_ABSOLUTE = ("http://", "https://")
_UNKNOWN = ("", "", "")
_UNWRITTEN = Anchor(NO_CONTEXT, NO_CONTEXT, "", "", "", "", "", "", "", "", 0)


def extract(
    document: Document,
    page_url: str,
    *,
    depth: int,
    context: ContextMaker = "window",
    window: int = WINDOW_CHARACTERS,
    extra_parameters: frozenset[str] = frozenset(),
    encoding: str = "utf-8",
    more: Iterable[tuple[str, str]] = (),
    sitemaps: Collection[str] = (),
) -> PageLinks:
    """All http(s) links of a page in document order; a repeated URL stays, each time with its own anchor text.

    Links to files that are no pages are skipped (see `media_of`).

    `depth`: depth of the links. `encoding`: that of the page, in which browsers encode the query of a URL. `more`: anchor text and href of
    further links, which are not in the document. `sitemaps`: the URLs that an index of sitemaps names, whatever they look like.
    """
    target_of = _Targets(
        Canonicalizer(document.base_url(page_url), extra_parameters, encoding), page_url, sitemaps
    ).of
    text = document.text
    found = PageLinks(page_url, depth, text, window)
    urls, hosts, anchors, kinds = found.urls, found.hosts, found.anchors, found.kinds
    targets: dict[str, tuple[str, str, str] | None] = {}
    read: list[int] = []
    for index, (start, end, href, title, _, alt, _, _, _, tag, _) in enumerate(document.anchors):
        target = targets.get(href, _UNKNOWN)
        if target is _UNKNOWN:
            target = targets[href] = target_of(href)
        if target is None:
            continue
        url, host, kind = target
        urls.append(url)
        hosts.append(host)
        kinds.append("frame" if tag in _FRAMES else kind)
        visible = text[start:end]
        if not visible or BOUNDARY in visible or len(visible) > LONGEST_ANCHOR:
            visible = _visible(visible, title, alt)
        anchors.append(visible)
        read.append(index)
    if context != "window":
        near = _NearTexts(document) if context == "dom" else None
        found.contexts = [
            near.around(document.anchors[index], window)
            if near
            else _context(document, index, context, window)
            for index in read
        ]
    marks = list(map(document.anchors.__getitem__, read))
    refresh = document.refresh
    unwritten = [(document.title_tag, refresh.href)] if refresh is not None and refresh.href else []
    for words, href in chain(unwritten, more):
        if (target := target_of(href)) is not None:
            _add_unwritten(found, target, words)
            marks.append(_UNWRITTEN)
    if marks:
        starts, ends, _, titles, rels, _, regions, paths, headings, _, _ = zip(*marks, strict=True)
        found.starts, found.ends, found.titles, found.rels = starts, ends, titles, rels
        found.regions, found.paths, found.headings = regions, paths, headings
    return found


def _add_unwritten(found: PageLinks, target: tuple[str, str, str], anchor: str) -> None:
    """Add a link that has no position in the text: the target of a refresh, or one of a long list."""
    for column, value in zip((found.urls, found.hosts, found.kinds), target, strict=True):
        column.append(value)
    found.anchors.append(anchor[:LONGEST_ANCHOR])
    if found.contexts is not None:
        found.contexts.append(("", ""))


def anchor_text(document: Document, anchor: Anchor) -> str:
    """The visible text of a link: its text, else its title, else the alt text of its picture."""
    return _visible(document.text[anchor.start : anchor.end], anchor.title, anchor.alt)


def _visible(text: str, title: str, alt: str) -> str:
    if BOUNDARY in text:
        text = text.replace(BOUNDARY, " ")
    return (text or " ".join(title.split()) or " ".join(alt.split()))[:LONGEST_ANCHOR]


_Target = tuple[str, str, str] | None  # URL, its host, its directory; None = nothing to fetch


class _MetTargets:
    """A cache of the targets of hrefs by base (the root or directory they are relative to): most hrefs of a page were on earlier pages.

    It is cleared when it is full: to read the hrefs of the menus again costs milliseconds.
    """

    def __init__(self) -> None:
        self._by_base: dict[Hashable, dict[str, _Target]] = {}
        self.hrefs = 0  # and bases

    def of(self, base: Hashable) -> dict[str, _Target]:
        """The cached targets of a base, to be read and added to."""
        if self.hrefs > HREFS:
            self._by_base, self.hrefs = {}, 0
        if base not in self._by_base:
            self._by_base[base] = {}
            self.hrefs += 1
        return self._by_base[base]


_met = _MetTargets()


class _Targets:
    """Finds the targets of the hrefs of one page. `sitemaps`: as in `extract`."""

    def __init__(self, canonical: Canonicalizer, page_url: str, sitemaps: Collection[str] = ()) -> None:
        self._canonical, self._sitemaps = canonical, sitemaps
        self._rooted, self._relative = _met.of(canonical.root), _met.of(canonical.directory)
        self._here = directory_of(page_url)
        self._kinds: dict[str, str] = {}  # by directory

    def of(self, href: str) -> tuple[str, str, str] | None:
        """URL, host and kind of the link; None = a fragment of this page, or nothing to fetch."""
        listed = self._canonical(href) if self._sitemaps else None
        if listed is not None and listed in self._sitemaps:
            return listed, intern(host_of(listed)), LISTING
        first = href[:1]
        if first == "#":
            return None
        met: dict[str, _Target] | None = None
        if first == "/" or href.startswith(_ABSOLUTE):
            met = self._rooted
        elif first.isalnum():  # others may be queries, which are relative to the path of the page
            met = self._relative
        target: _Target = _UNKNOWN if met is None else met.get(href, _UNKNOWN)
        if target is _UNKNOWN:
            url = self._canonical(href)
            target = None
            if url is not None and not is_media(url):
                target = url, intern(host_of(url)), intern(directory_of(url))
            if met is not None and len(href) <= LONGEST_MET:
                met[href] = target
                _met.hrefs += 1
        if target is None:
            return None
        url, host, there = target
        kind = self._kinds.get(there)
        if kind is None:
            kind = self._kinds[there] = kind_between(self._here, there)
        return url, host, kind


def _context(document: Document, index: int, maker: ContextMaker, window: int) -> tuple[str, str]:
    anchor = document.anchors[index]
    start, end = anchor.start, anchor.end
    [before], [after] = windows_of(document.text, [start], [end], window)
    if maker == "neighbour":
        end = end if end > start else start - 1
        before = _neighbour(document, index, -1, start - window) or before
        after = _neighbour(document, index, 1, end + window) or after
    return before, after


def _neighbour(document: Document, index: int, step: int, limit: int) -> str:
    """The anchor text of the next link in direction `step` that has a text, if some of it is within the window; else empty."""
    stop = index + step * (SILENT_NEIGHBOURS + 1)
    for at in range(index + step, max(-1, stop) if step < 0 else min(len(document.anchors), stop), step):
        other = document.anchors[at]
        if other.end <= limit if step < 0 else other.start >= limit:
            return ""
        text = anchor_text(document, other)
        if text:
            return text
    return ""


def _near(document: Document, node: int) -> Iterator[int]:
    """An element and its DOM_DISTANCE next ancestors."""
    return islice(document.with_ancestors(node), DOM_DISTANCE + 1)


class _NearTexts:
    """Finds the texts within DOM_DISTANCE tree edges of a link. Indexed, for a search by each link costs n²."""

    def __init__(self, document: Document) -> None:
        self._document = document
        # element, tree edges below it -> the runs of text there, in document order
        self._runs: dict[tuple[int, int], list[int]] = {}
        for at, (_, _, element, _, _) in enumerate(document.runs):
            for down, node in enumerate(_near(document, element)):
                self._runs.setdefault((node, down), []).append(at)

    def around(self, anchor: Anchor, window: int) -> tuple[str, str]:
        """The near texts before and after the link, collected outwards from it until there are `window` characters."""
        runs = self._document.runs
        first = bisect_left(runs, anchor.start, key=itemgetter(0))
        after_link = bisect_left(runs, anchor.end, lo=first, key=itemgetter(0))
        near = [
            self._runs[node, down]
            for up, node in enumerate(_near(self._document, anchor.node))
            for down in range(DOM_DISTANCE + 1 - up)
            if (node, down) in self._runs
        ]
        earlier = (map(at.__getitem__, range(bisect_left(at, first) - 1, -1, -1)) for at in near)
        later = (map(at.__getitem__, range(bisect_left(at, after_link), len(at))) for at in near)
        before = self._collect(merge(*earlier, reverse=True), window)
        after = self._collect(merge(*later), window)
        return BOUNDARY.join(reversed(before))[-window:], BOUNDARY.join(after)[:window]

    def _collect(self, order: Iterable[int], window: int) -> list[str]:
        found: list[str] = []
        characters, last = 0, -1
        for at in order:
            if characters >= window:
                break
            if at != last:  # a run is below several ancestors of the link
                start, end = self._document.runs[at][:2]
                found.append(self._document.text[start:end])
                characters += end - start + 1
            last = at
        return found


LONGEST_CAPTION = 300
CAPTION_RUNS = 30  # text runs searched on each side of the link
MOST_MEDIA = 200  # media links of one page


def media_of(document: Document, page_url: str, encoding: str = "utf-8") -> list[Medium]:
    """The media links of a page in document order, each URL once, at most MOST_MEDIA."""
    hrefs = {href for href in {anchor.href for anchor in document.anchors} if may_be_media(href)}
    if not hrefs:
        return []
    canonical = Canonicalizer(document.base_url(page_url), encoding=encoding)
    found: dict[str, Medium] = {}
    for anchor in document.anchors:
        if anchor.href not in hrefs:
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
    """The figcaption of the figure that contains the link, else the title of the link."""
    tags = document.node_tags
    figure = next((node for node in document.with_ancestors(anchor.node) if tags[node] == "figure"), -1)
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
    """Whether an element is in a figcaption of this figure."""
    above = list(document.with_ancestors(node))
    below_figure = above[: above.index(figure)] if figure in above else []
    return any(document.node_tags[each] == "figcaption" for each in below_figure)


def _tidy(text: str) -> str:
    return " ".join(text.replace(BOUNDARY, " ").split())[:LONGEST_CAPTION]
