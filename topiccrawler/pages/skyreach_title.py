"""SkyReach's title reader: chooses the line above the body text that looks most like a title. `TOPIC_TITLE_READER = skyreach`.

Idea: a title is above the text and is made to be seen: larger, centred, coloured, bold. <title> and heading levels are not trusted.
Formula: (1) the body begins with the first paragraph of at least BODY_CHARACTERS outside links; (2) of the paragraphs above, at
    most MOST_ABOVE, the one with the largest 2 * (size - 3) + centred + coloured + bold is the title, the nearest to the body among
    equals; (3) an adjacent paragraph of the same look is another line of the title.
    size -> 1..7 as <font size> has it: h1 6, h2 5, h3 4; a style's font-size in px, pt or em by the same steps.
Cost: a second parse of the page.
But: the paper gives neither lengths nor weights; they are ours. Style sheets are not read, only what is in the markup, which in 2003 was
    nearly all. Without a body, all paragraphs are candidates; if nothing is marked, there is no title.
Reference: Li, Zhao & Yu, SkyReach, 2003, §3.5.2 and fig. 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from topiccrawler.pages.document import LONGEST_TITLE
from topiccrawler.pages.dom_traversal import BLOCK_TAGS, UNREAD
from topiccrawler.pages.parse import MOST_CHARACTERS, limit_nesting

BODY_CHARACTERS = 60
MOST_ABOVE = 40  # paragraphs
MOST_NODES = 50_000
NORMAL_SIZE = 3
SIZES = {"h1": 6, "h2": 5, "h3": 4, "h4": 3, "h5": 3, "h6": 3, "big": 4, "small": 2}
_BOLD = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "b", "strong"])
_STEPS = (10, 13, 16, 18, 24, 32)  # px: the upper ends of sizes 1 to 6
_BREAKS = frozenset(BLOCK_TAGS.split())
_UNSEEN = frozenset(["title", "textarea", "select", "option", "noscript", "button"])
_FONT_SIZE = re.compile(r"font-size\s*:\s*(\d+(?:\.\d*)?|\.\d+)\s*(px|pt|em|rem|%)", re.IGNORECASE)
_CENTRED = re.compile(r"text-align\s*:\s*center", re.IGNORECASE)
_COLOURED = re.compile(r"(?:^|[;\s])color\s*:", re.IGNORECASE)
_PIXELS = {"px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "%": 0.16}


@dataclass(frozen=True, slots=True)
class Look:
    """The visual style of a text. `size`: 1..7, as in <font size>."""

    size: float = NORMAL_SIZE
    centred: bool = False
    coloured: bool = False
    bold: bool = False

    @property
    def weight(self) -> float:
        return 2 * (self.size - NORMAL_SIZE) + self.centred + self.coloured + self.bold


class _Paragraph(NamedTuple):
    text: str
    look: Look  # of its first text
    plain: int  # characters outside links


def skyreach_title(html: str) -> str:
    """The title of a page; "" when no line above the body text is marked by its style."""
    paragraphs = list(_paragraphs(html))
    body = next((at for at, one in enumerate(paragraphs) if one.plain >= BODY_CHARACTERS), len(paragraphs))
    begin = max(0, body - MOST_ABOVE)
    above = [
        at for at in range(begin, body) if paragraphs[at].plain and len(paragraphs[at].text) <= LONGEST_TITLE
    ]
    best = max(above, key=lambda at: (paragraphs[at].look.weight, at), default=None)
    if best is None or paragraphs[best].look.weight <= 0:
        return ""
    first = last = best
    while first - 1 in above and paragraphs[first - 1].look == paragraphs[best].look:
        first -= 1
    while last + 1 in above and paragraphs[last + 1].look == paragraphs[best].look:
        last += 1
    return " ".join(one.text for one in paragraphs[first : last + 1])[:LONGEST_TITLE]


def _paragraphs(html: str) -> Iterator[_Paragraph]:
    """The paragraphs of a page in order: the texts between two block boundaries."""
    tree = LexborHTMLParser(limit_nesting(html[:MOST_CHARACTERS]))
    tree.strip_tags([*UNREAD])
    pieces: list[tuple[str, Look, bool]] = []
    for text, look, in_link in _texts(tree.body):
        if text is not None:
            pieces.append((text, look, in_link))
        elif pieces:
            yield _made(pieces)
            pieces = []
    if pieces:
        yield _made(pieces)


def _made(pieces: list[tuple[str, Look, bool]]) -> _Paragraph:
    text = " ".join("".join(text for text, _, _ in pieces).split())
    linked = sum(len(" ".join(text.split())) for text, _, in_link in pieces if in_link)
    return _Paragraph(text, pieces[0][1], max(0, len(text) - linked))


def _texts(root: LexborNode | None) -> Iterator[tuple[str | None, Look, bool]]:
    """Yield each text with its look and whether it is in a link; None as text where a block begins or ends."""
    stack: list[tuple[LexborNode | None, Look, bool, bool]] = [(root, Look(), False, False)]
    for _ in range(MOST_NODES):
        if not stack:
            return
        node, look, in_link, ends = stack.pop()
        if ends:
            yield None, look, in_link
        if node is None:
            continue
        stack.append((node.next, look, in_link, (node.tag or "") in _BREAKS))
        tag = node.tag or "-"
        if tag == "-text":
            if (text := node.text_content or "").strip():
                yield text, look, in_link
        elif tag[0] != "-" and tag not in _UNSEEN:
            if tag in _BREAKS:
                yield None, look, in_link
            stack.append((node.first_child, _look_of(node, tag, look), in_link or tag == "a", False))


def _look_of(node: LexborNode, tag: str, around: Look) -> Look:
    """The look inside an element. `around`: the look outside."""
    attributes, is_font = node.attributes, tag == "font"
    style, align = attributes.get("style") or "", (attributes.get("align") or "").lower()
    size = SIZES.get(tag, around.size)
    if is_font:
        size = _font_size(attributes.get("size") or "", size)
    if found := _FONT_SIZE.search(style):
        pixels = float(found[1]) * _PIXELS[found[2].lower()]
        size = 1 + sum(pixels > step for step in _STEPS)
    centred = tag == "center" or align in {"center", "middle"} or _CENTRED.search(style)
    coloured = (is_font and attributes.get("color")) or _COLOURED.search(style)
    return Look(
        size, around.centred or bool(centred), around.coloured or bool(coloured), around.bold or tag in _BOLD
    )


def _font_size(given: str, around: float) -> float:
    """The size 1..7 of a <font size> attribute; +1 and -1 count from the normal size. `around`: the size for an invalid attribute."""
    if not re.fullmatch(r"\s*[+-]?\d\s*", given):
        return around
    number = int(given)
    size = NORMAL_SIZE + number if given.strip()[0] in "+-" else number
    return float(min(7, max(1, size)))
