"""Walks once over the tree of a parsed page and makes a Document of it: a line of text, with elements and links as offsets.

`traverse` is the loop, over some two thousand nodes a page. So there is no second pass, the parser is asked only for what is needed (the
tag of a node, attributes of the few elements where they matter), and nothing recurses. Elements that are not read are passed over: to
remove them from the tree, the parser would walk over it once for each tag.
Cost: see benchmarks/reading.py.

`HEAD_ELEMENTS` are the readers of elements without text: title, metas, base, canonical URL, feeds, refresh, language. These elements come
in any order, twice, or in the body. The first of each counts, as in browsers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache, lru_cache
from itertools import repeat

from selectolax.lexbor import LexborHTMLParser, LexborNode

from topiccrawler.pages.document import BOUNDARY, Anchor, Document, Heading, region_of
from topiccrawler.pages.refresh import LONGEST_CONTENT, read_refresh
from topiccrawler.text.folding import visible

MOST_FEEDS = 10  # of one page, and licences
MOST_METAS = 100  # of one page that repeat a name
_FEEDS = frozenset({"application/rss+xml", "application/atom+xml"})


def _meta(document: Document, node: LexborNode) -> None:
    attributes = node.attributes
    content = visible((attributes.get("content") or "")[:LONGEST_CONTENT])
    if not content:
        return
    for written in (attributes.get("name"), attributes.get("property"), attributes.get("itemprop")):
        if written:
            name = written.lower()
            if name not in document.metas:
                document.metas[name] = content
            elif len(document.more_metas) < MOST_METAS:
                document.more_metas.append((name, content))
    if document.refresh is None and (attributes.get("http-equiv") or "").lower() == "refresh":
        document.refresh = read_refresh(content)


def _base(document: Document, node: LexborNode) -> None:
    if document.base_href is None and "href" in node.attributes:
        document.base_href = node.attributes["href"] or ""


def _relation(document: Document, node: LexborNode) -> None:
    attributes = node.attributes
    relation = (attributes.get("rel") or "").lower()
    if not document.canonical_href and "canonical" in relation:
        document.canonical_href = attributes.get("href") or ""
    if (
        "license" in relation
        and (href := attributes.get("href"))
        and len(document.licence_hrefs) < MOST_FEEDS
    ):
        document.licence_hrefs.append(href)
    feed = "alternate" in relation and (attributes.get("type") or "").strip().lower() in _FEEDS
    if feed and (href := attributes.get("href")) and len(document.feed_hrefs) < MOST_FEEDS:
        document.feed_hrefs.append(href)


def _title(document: Document, node: LexborNode) -> None:
    document.title_tag = document.title_tag or " ".join(visible(node.text()[:LONGEST_CONTENT]).split())


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
    """The traits of each tag that the traversal needs, as bits."""
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


_NOTED = _HEADING | _EMPHASIZED | _HIDES | _SPECIAL
# A tag; whether it is a block, structural, a link, or has other traits to handle; all its traits as bits. The loop needs the first five
# at each element.
_Kind = tuple[str, bool, bool, bool, bool, int]
_NO_ELEMENT: _Kind = ("", False, False, False, False, 0)
_PLAIN_TAGS = (
    "abbr acronym audio bdi bdo big canvas cite code col colgroup data del dfn embed font head i input ins kbd label map math nobr "
    "noscript object param picture q rp rt ruby s samp small source span strike sub sup time tt u var video wbr"
)
_TRAITS = dict.fromkeys(_PLAIN_TAGS.split(), 0) | _traits()


# Ruby is the pronunciation of the characters beside it, an annotation the source of a formula.
UNREAD = ("script", "style", "template", "svg", "rt", "rp", "rtc", "annotation", "annotation-xml")
_PASSED_OVER = frozenset({"", "-comment", *UNREAD})


def _kind(tag: str) -> _Kind:
    if tag in _PASSED_OVER:
        return _NO_ELEMENT
    traits = _TRAITS.get(tag, 0)
    return tag, traits & _BLOCK > 0, traits & _STRUCTURAL > 0, traits & _LINK > 0, traits & _NOTED > 0, traits


def _kinds() -> dict[int, _Kind | None]:
    """The kind of each tag by the parser's number for the tag, which is faster to read than the name; None for texts."""
    tree = LexborHTMLParser("text")
    texts = {node.tag_id: None for node in tree.css("body")[0].iter(include_text=True)}
    return texts | {tree.create_node(tag).tag_id: _kind(tag) for tag in [*_TRAITS, *UNREAD]}


_KINDS = _kinds()


@cache
def _kinds_without(unread: str) -> dict[int, _Kind | None]:
    """The kinds, where one more tag is passed over."""
    return {number: _NO_ELEMENT if kind and kind[0] == unread else kind for number, kind in _KINDS.items()}


_LAST = LexborHTMLParser("").css("html")[0]  # no node comes after it
_CODE = frozenset({"code", "pre", "samp", "kbd", "tt"})
SOFT_HYPHEN = "\u00ad"
_BARS = re.compile(r"\s*\|[\s|]*")

_Open = tuple[LexborNode, _Kind]  # an open element
# An open link: its attributes, the length of the text before it, the index of its element, its DOM path, the number of headings above it.
_OpenLink = tuple[Attributes, int, int, str, int]
# A closed link: the index of its element, start and end of its text, alt of its first image, and the link when it was open.
_ClosedLink = tuple[int, int, int, str, _OpenLink]


def traverse(root: LexborNode, unseen: Collection[int] = (), unread: str = "") -> Document:
    """The Document of the tree below `root`, without characters that are not seen (text.folding).

    `unseen`: the identities of structural elements whose text is not seen (pages.unseen). `unread`: a tag whose elements are not read, nor
    those of UNREAD.
    """
    document = _traverse(root, unseen, unread)
    # Few pages have such characters, and a search of the whole text costs less than one of each node.
    if visible(document.text) == document.text:
        return document
    return _traverse(root, unseen, unread, only_visible=True)


def _traverse(  # noqa: C901, PLR0912, PLR0915 calls and attributes for each node would double its time
    root: LexborNode, unseen: Collection[int], unread: str, *, only_visible: bool = False
) -> Document:
    """As `traverse`. `only_visible`: remove characters that are not seen, but soft hyphens of program code."""
    document = Document()
    parents, tags, regions, runs = (
        document.node_parents,
        document.node_tags,
        document.node_regions,
        document.runs,
    )
    pieces: list[str] = []
    length = 0  # characters of the pieces so far
    gap = BOUNDARY  # to be inserted before the next text: nothing, a blank or a boundary
    block = hidden = 0
    stack: list[_Open] = []
    labels: list[str] = []  # the steps of the open elements in DOM paths
    links: list[_OpenLink] = []
    alts: list[str] = []  # of the open links
    marks: list[tuple[int, int]] = []  # open headings and emphasis: start, level of a heading
    headings: list[tuple[int, int, int]] = []  # start, end, level
    emphasis: list[tuple[int, int]] = []
    closed: list[_ClosedLink] = []
    index = at = -1  # index of the newest element, of the innermost open one
    region = ""
    in_link = False
    kinds = _kinds_without(unread).copy()
    node: LexborNode | None = root
    while node is not None:
        try:
            kind = kinds[node.tag_id]
        except KeyError:  # an unknown tag: the parser numbers it for this page only
            kind = kinds[node.tag_id] = _kind(node.tag or "")
        if kind is None:
            if not hidden:
                raw = node.text_content or ""
                if only_visible:
                    raw = visible(raw) if _CODE.isdisjoint(labels) else _visible_code(raw)
                if raw.isspace():  # as half of the texts are
                    gap = gap or " "
                elif raw:
                    text = " ".join(raw.split())
                    after = ""
                    if text is not raw:  # else the text has no blanks
                        gap = gap or (" " if raw[0].isspace() else "")
                        after = " " if raw[-1].isspace() else ""
                    if BOUNDARY in text:
                        text, gap, after = _without_bars(text, gap, after)
                    if text:
                        if gap:
                            pieces.append(gap)
                            length += 1
                        pieces.append(text)
                        start, length = length, length + len(text)
                        runs.append((start, length, at, in_link, block))
                        gap = after
            node = node.next
        elif kind is _NO_ELEMENT:
            node = node.next
        else:
            index += 1
            tag, is_block, is_structural, is_link, is_noted, traits = kind
            label = tag
            if is_block:
                gap = BOUNDARY
                block += 1
                if is_structural:
                    attributes = node.attributes
                    if unseen and node.mem_id in unseen:
                        document.unseen_nodes.append(index)
                    names, identifier = attributes.get("class"), attributes.get("id")
                    if names or identifier:
                        names = f"{names or ''} {identifier or ''}".strip()[:LONGEST_NAMES]
                        document.node_names[index] = names
                        label, region = _structure(tag, names, region)
                    else:
                        region = region_of(tag, "", region)
            elif is_link:
                gap = BOUNDARY
                links.append((node.attributes, length, index, _path(labels), len(headings)))
                alts.append("")
                in_link = True
            parents.append(at)
            tags.append(tag)
            regions.append(region)
            if is_noted:
                if traits & _SPECIAL:
                    if tag == "img":
                        if links and not alts[-1]:
                            alts[-1] = node.attributes.get("alt") or ""
                    elif tag in HEAD_ELEMENTS:
                        HEAD_ELEMENTS[tag](document, node)
                    elif len(closed) < MOST_ANCHORS and (found := _pointing(tag, node)) is not None:
                        alt, attributes = found
                        link = attributes, length, index, _path(labels), len(headings)
                        closed.append((index, length + 1, length + 1, alt, link))
                        gap = BOUNDARY
                if traits & (_HEADING | _EMPHASIZED):
                    marks.append((length, int(tag[1]) if traits & _HEADING else 0))
                if traits & _HIDES:
                    hidden += 1
            stack.append((node, kind))
            labels.append(label)
            at = index
            if index > MOST_NODES:  # close all open elements, read no more
                stack = [(_LAST, kind) for _, kind in stack]
                node = None
            else:
                node = node.first_child
        while node is None and stack:
            above, (_, is_block, is_structural, is_link, is_noted, traits) = stack.pop()
            labels.pop()
            at = parents[at]
            if is_block:
                gap = BOUNDARY
                block += 1
                if is_structural:
                    region = regions[at]
            if is_link:
                link, alt = links.pop(), alts.pop()
                in_link = bool(links)
                # A link without href (scripted) has no target, but readers see a link: only its text is marked as linked.
                if link[0].get("href") and len(closed) < MOST_ANCHORS:
                    start = link[1] + 1  # a boundary precedes the link's first character
                    end = length if length > start else start  # noqa: FURB136 max() takes five times as long
                    closed.append((link[2], start, end, alt, link))
                gap = BOUNDARY
            elif is_noted:
                if traits & _HIDES:
                    hidden -= 1
                if traits & (_HEADING | _EMPHASIZED):
                    start, level = marks.pop()
                    if length > start:
                        if level:
                            headings.append((start, length, level))
                        else:
                            emphasis.append((start, length))
            node = above.next
    document.text = "".join([*pieces, BOUNDARY])
    _finish(document, headings, emphasis, closed)
    if only_visible:
        document.anchors = [
            anchor._replace(title=visible(anchor.title), alt=visible(anchor.alt))
            for anchor in document.anchors
        ]
    return document


def _visible_code(text: str) -> str:
    """The visible text of program code, where a soft hyphen is a character of a string."""
    return SOFT_HYPHEN.join(map(visible, text.split(SOFT_HYPHEN)))


def _without_bars(text: str, gap: str, after: str) -> tuple[str, str, str]:
    """A text that contains the boundary sign itself, with the gaps before and after it. The signs become boundaries."""
    text = _BARS.sub(BOUNDARY, text)
    gap = BOUNDARY if text[0] == BOUNDARY else gap
    after = BOUNDARY if text[-1] == BOUNDARY else after
    text = text.strip(BOUNDARY)
    return (text, gap, after) if text else ("", BOUNDARY, "")


@lru_cache(maxsize=4096)
def _structure(tag: str, names: str, region: str) -> tuple[str, str]:
    """Path label and region of a structural element that has a class or an id. `region`: that of its parent."""
    return f"{tag}.{names.partition(' ')[0]}", region_of(tag, names, region)


def _path(labels: list[str]) -> str:
    """The class of the DOM path that ends at the innermost open element. html and body are not part of it."""
    return ">".join(labels[-PATH_STEPS:] if len(labels) > PATH_STEPS + 1 else labels[2:])


def _pointing(tag: str, node: LexborNode) -> tuple[str, Attributes] | None:
    """Alt and attributes of an area, frame or iframe, which is a link without visible text; None without a URL."""
    attributes = node.attributes
    href = attributes.get("href" if tag == "area" else "src")
    if not href:
        return None
    alt = attributes.get("alt") or attributes.get("name") or ""
    return alt, {"href": href, "title": attributes.get("title"), "rel": attributes.get("rel")}


def _finish(
    document: Document,
    headings: list[tuple[int, int, int]],
    emphasis: list[tuple[int, int]],
    closed: list[_ClosedLink],
) -> None:
    """Set the fields of the document that need its whole text: headings, emphasis and anchors."""
    text = document.text

    def clean(start: int, end: int) -> str:
        return text[start:end].replace(BOUNDARY, " ").strip()

    document.emphasis = [clean(start, end) for start, end in emphasis]
    marks = [(clean(start, end), level, start) for start, end, level in headings]
    document.heading_marks = list(map(tuple.__new__, repeat(Heading), marks))
    above = ["", *document.headings]
    regions, tags = document.node_regions, document.node_tags
    closed.sort()  # by element: an iframe in a link is closed before the link
    anchors = [
        (
            start, end, (attributes["href"] or "")[:LONGEST_HREF],
            attributes.get("title") or "", attributes.get("rel") or "",
            alt, regions[node], path, above[heading], tags[node], node,
        )
        for node, start, end, alt, (attributes, _, _, path, heading) in closed
    ]  # fmt: skip
    # Half the time of the constructor, and a page has hundreds of anchors.
    document.anchors = list(map(tuple.__new__, repeat(Anchor), anchors))
