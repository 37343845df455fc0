"""The one traversal of the tree: elements and text in document order become a line of text with offsets.

The loop runs over some two thousand nodes a page. So there is no second pass, the parser is asked only for what is
needed (a node's tag, its parent's identity, attributes of the few elements where they matter), and nothing recurses.
Cost: see benchmarks/reading.py.

Reads the elements without text: title, metas, base, canonical URL, feeds, refresh, language.

They stand in any order, twice, or in the body; the first of each counts, as in browsers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from selectolax.lexbor import LexborNode

from topiccrawler.pages.document import BOUNDARY, Anchor, Document, Heading, region_of

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

MOST_ANCHORS = 5_000  # of one page; hubs have hundreds
MOST_NODES = 200_000
LONGEST_HREF = 4_096
LONGEST_NAMES = 200
PATH_STEPS = 4

Attributes = dict[str, str | None]

_BLOCK, _STRUCTURAL, _LINK, _HEADING, _EMPHASIZED, _HIDES, _SPECIAL = 1, 2, 4, 8, 16, 32, 64
BLOCK_TAGS = (
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html iframe legend li main menu nav object ol optgroup option p pre "
    "section select summary table tbody td tfoot th thead tr ul"
)


def _traits() -> dict[str, int]:
    """What each tag means to the traversal, as bits."""
    kinds = {
        _BLOCK: BLOCK_TAGS,
        _STRUCTURAL: "article aside center div dl footer form header main menu nav ol section table td ul",
        _LINK: "a",
        _HEADING: "h1 h2 h3 h4 h5 h6",
        _EMPHASIZED: "b strong em mark",
        _HIDES: "title textarea select iframe noframes noembed datalist",
        _SPECIAL: "area frame iframe img meta base link title html",
    }
    found: dict[str, int] = {}
    for bit, tags in kinds.items():
        for tag in tags.split():
            found[tag] = found.get(tag, 0) | bit
    return found


_TRAITS = _traits()
_BARS = re.compile(r"\s*\|[\s|]*")


# An open element: its node, index of its parent, the region around it; then its own label in DOM paths and what
# its end means.
_Open = tuple[LexborNode, int, str, str, int]


class _OpenLink:
    """An anchor whose end has not been met yet."""

    __slots__ = ("alt", "attributes", "heading", "length", "node", "path")

    def __init__(self, attributes: Attributes, length: int, node: int, path: str, heading: int) -> None:
        self.attributes = attributes
        self.length, self.node, self.path, self.heading = length, node, path, heading
        self.alt = ""


class DomTraversal:
    """One traversal of one page; `over` gives the document."""

    def __init__(self) -> None:
        self._document = Document()
        self._pieces: list[str] = []
        self._length = 0  # of the pieces so far
        self._gap = BOUNDARY  # what must stand before the next text: nothing, a blank or a boundary
        self._block = 0
        self._hidden = 0
        self._stack: list[_Open] = []
        self._links: list[_OpenLink] = []
        self._marks: list[tuple[int, int]] = []  # open headings and emphasis: start, level of a heading
        self._heading_spans: list[tuple[int, int, int]] = []  # start, end, level
        self._emphasis_spans: list[tuple[int, int]] = []
        self._closed: list[tuple[int, int, _OpenLink]] = []

    def over(self, root: LexborNode) -> Document:  # noqa: C901, PLR0912 a call for each node would cost a tenth of the traversal
        """Walk over the tree below `root`."""
        stack, document = self._stack, self._document
        parents, tags, regions = document.node_parents, document.node_tags, document.node_regions
        index = at = -1  # the newest element, the innermost open one
        region = ""
        node: LexborNode | None = root
        while node is not None:
            tag = node.tag or "-"
            below: LexborNode | None = None
            if tag == "-text":
                if not self._hidden:
                    self._text(node.text_content or "", at)
            elif tag[0] != "-":  # "-comment" and the like
                index += 1
                traits = _TRAITS.get(tag, 0)
                label, outer = tag, region
                if traits & _STRUCTURAL:
                    label, region = self._structure(tag, node, index, region)
                parents.append(at)
                tags.append(tag)
                regions.append(region)
                if traits & ~_STRUCTURAL == _BLOCK:  # most elements
                    self._gap = BOUNDARY
                    self._block += 1
                    closing = _BLOCK
                else:
                    closing = self._open(traits, tag, node, index) if traits else 0
                below = node.first_child
                if below is not None:
                    stack.append((node, at, outer, label, closing))
                    at = index
                else:
                    region = outer
                    if closing:
                        self._close(closing)
                if index > MOST_NODES:
                    break
            node = node.next if below is None else below
            while node is None and stack:
                above, at, region, _, closing = stack.pop()
                if closing == _BLOCK:
                    self._gap = BOUNDARY
                    self._block += 1
                elif closing:
                    self._close(closing)
                node = above.next
        while stack:
            self._close(stack.pop()[4])
        return self._finish()

    def _structure(self, tag: str, node: LexborNode, index: int, region: str) -> tuple[str, str]:
        """Label and region of an element that holds others."""
        attributes = node.attributes
        names, identifier = attributes.get("class"), attributes.get("id")
        if not names and not identifier:
            return tag, region_of(tag, "", region)
        names = f"{names or ''} {identifier or ''}".strip()[:LONGEST_NAMES]
        self._document.node_names[index] = names
        return f"{tag}.{names.partition(' ')[0]}", region_of(tag, names, region)

    def _text(self, raw: str, at: int) -> None:
        words = raw.split()
        if not words:
            self._gap = self._gap or " "
            return
        text = words[0] if len(words) == 1 else " ".join(words)
        gap = self._gap or (" " if raw[0].isspace() else "")
        after = " " if raw[-1].isspace() else ""
        if BOUNDARY in text:
            text = _BARS.sub(BOUNDARY, text)
            gap = BOUNDARY if text[0] == BOUNDARY else gap
            after = BOUNDARY if text[-1] == BOUNDARY else after
            text = text.strip(BOUNDARY)
            if not text:
                self._gap = BOUNDARY
                return
        start = self._length
        if gap:
            self._pieces.append(gap)
            start += 1
        self._pieces.append(text)
        self._length = end = start + len(text)
        self._gap = after
        self._document.runs.append((start, end, at, bool(self._links), self._block))

    def _open(self, traits: int, tag: str, node: LexborNode, index: int) -> int:
        """Take up an element that means something; the answer is what its end will mean."""
        if traits & _BLOCK:
            self._gap = BOUNDARY
            self._block += 1
        elif traits & _LINK:
            self._gap = BOUNDARY
            self._links.append(self._begun(node.attributes, index))
            return traits
        if traits & _SPECIAL:
            self._special(tag, node, index)
        if traits & (_HEADING | _EMPHASIZED):
            self._marks.append((self._length, int(tag[1]) if traits & _HEADING else 0))
        if traits & _HIDES:
            self._hidden += 1
        return traits

    def _special(self, tag: str, node: LexborNode, index: int) -> None:
        if tag == "img":
            if self._links and not self._links[-1].alt:
                self._links[-1].alt = node.attributes.get("alt") or ""
        elif tag in HEAD_ELEMENTS:
            HEAD_ELEMENTS[tag](self._document, node)
        else:
            self._point(tag, node, index)

    def _close(self, traits: int) -> None:
        if traits & _BLOCK:
            self._gap = BOUNDARY
            self._block += 1
        if traits & _LINK:
            self._close_link()
        if traits & _HIDES:
            self._hidden -= 1
        if traits & (_HEADING | _EMPHASIZED):
            start, level = self._marks.pop()
            if self._length > start:
                if level:
                    self._heading_spans.append((start, self._length, level))
                else:
                    self._emphasis_spans.append((start, self._length))

    def _begun(self, attributes: Attributes, index: int) -> _OpenLink:
        stack = self._stack
        # html and body are no part of a path
        labels = [entry[3] for entry in stack[max(2, len(stack) - PATH_STEPS) :]]
        return _OpenLink(attributes, self._length, index, ">".join(labels), len(self._heading_spans))

    def _close_link(self) -> None:
        link = self._links.pop()
        # A link without href (scripted) goes nowhere, but a reader takes it for one: it only marks its text.
        if link.attributes.get("href") and len(self._closed) < MOST_ANCHORS:
            start = link.length + 1  # a boundary stands before the link's first character
            self._closed.append((start, max(start, self._length), link))
        self._gap = BOUNDARY

    def _point(self, tag: str, node: LexborNode, index: int) -> None:
        """An area, frame or iframe: a link without visible text."""
        attributes = node.attributes
        href = attributes.get("href" if tag == "area" else "src")
        if href and len(self._closed) < MOST_ANCHORS:
            link = self._begun(
                {"href": href, "title": attributes.get("title"), "rel": attributes.get("rel")}, index
            )
            link.alt = attributes.get("alt") or attributes.get("name") or ""
            self._closed.append((self._length + 1, self._length + 1, link))
            self._gap = BOUNDARY

    def _finish(self) -> Document:
        document = self._document
        document.text = text = "".join([*self._pieces, BOUNDARY])

        def clean(start: int, end: int) -> str:
            return text[start:end].replace(BOUNDARY, " ").strip()

        document.emphasis = [clean(start, end) for start, end in self._emphasis_spans]
        headings = self._heading_spans
        document.heading_marks = [Heading(clean(start, end), level, start) for start, end, level in headings]
        above = ["", *document.headings]
        regions, tags = document.node_regions, document.node_tags
        self._closed.sort(key=lambda closed: closed[2].node)  # an iframe in a link ends before the link does
        document.anchors = [
            Anchor(
                start,
                end,
                (link.attributes["href"] or "")[:LONGEST_HREF],
                link.attributes.get("title") or "",
                link.attributes.get("rel") or "",
                link.alt,
                regions[link.node],
                link.path,
                above[link.heading],
                tags[link.node],
                link.node,
            )
            for start, end, link in self._closed
        ]
        return document
