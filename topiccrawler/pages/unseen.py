"""Removes from the tree of a page what no reader sees, and what is shown a second time: hidden elements, noise, sources of formulas.

The conflict: hidden text is noise (the random letters of a forum against copying), a form, a menu; or it is the page, until a script
shows it. So elements stay that readers get to see: tabs, folds, a long text. A hidden element with links stays in the tree, because its
links count, but its text is no main text.

Hidden     the attribute `hidden`, or display:none in its own style. visibility and opacity hide only inline elements without elements
           inside: articles fade in.
Noise      inline elements of the class "jammer" (Discuz), of a letter size below 2 pixels, or in the colour of the paper beside a line
           break, without a Chinese character.
Formulas   the layout of a formula (KaTeX, MathJax), hidden from screen readers, where the same formula is there as MathML.
But        rules of style sheets are not read.
Cost       one CSS query over the tree, 0.1 ms a page, and a few microseconds for each element it finds.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import lru_cache
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from topiccrawler.pages.dom_traversal import UNREAD
from topiccrawler.patterns import lazy_pattern
from topiccrawler.text.characters import has_han

MOST_ELEMENTS = 5_000  # looked at on one page
MOST_NESTED = 4  # elements inside more such elements stay: so the cost is linear in the tree
LONGEST_STYLE = 500  # characters of a style that are looked at
MOST_BESIDE = 4  # of a formula
FOLD_CHARACTERS = 400  # a hidden text of this length is a fold, or a page that a script shows
# One query for all: looking for these words in the page first would take longer. Each selector that does not name a tag costs as much as
# looking at a hundred elements here, and most pages have fewer with a style. So the first query is broad, and `_may_be_unseen` is the
# second one.
_NAMED = 'span[aria-hidden="true"],font.jammer,span.jammer'
_BROAD_QUERY = f"[style],[hidden],{_NAMED}"
_QUERY = (
    f'[style*="none" i],[hidden],{_NAMED},'
    'font[style],span[style*="font-size:0"],span[style*="font-size: 0"],span[style*="visibility"]'
)
MANY_ELEMENTS = 150  # more of them are not looked at one by one
_INLINE = frozenset(
    [
        "span",
        "font",
        "b",
        "i",
        "em",
        "strong",
        "small",
        "big",
        "u",
        "s",
        "tt",
        "code",
        "kbd",
        "samp",
        "var",
        "cite",
        "bdi",
        "bdo",
        "ins",
        "del",
        "mark",
        "sub",
        "sup",
        "abbr",
        "label",
        "q",
    ]
)
_KEPT = frozenset(
    ["html", "body", "head", "main", "article", "a", "img", "input", "iframe", "math", "time", "br"]
)
_NONE, _TINY, _PAPER, _CLEAR = 1, 2, 4, 8
_DISPLAY_NONE = lazy_pattern(r"(?:^|[;\s])display\s*:\s*none", re.IGNORECASE)
_TINY_LETTERS = lazy_pattern(
    r"(?:^|[;\s])font-size\s*:\s*(?:0+(?:\.0+)?(?:px|pt|em|rem|%)?|(?:[01]|0?\.\d+|1\.\d+)px)\s*(?:!|;|$)",
    re.IGNORECASE,
)
_INVISIBLE = lazy_pattern(r"(?:^|[;\s])(?:visibility\s*:\s*hidden|color\s*:\s*transparent)", re.IGNORECASE)
_PAPER_COLOUR = lazy_pattern(r"(?:^|[;\s])color\s*:\s*(?:#fff(?:fff)?\b|white\b)", re.IGNORECASE)
# Names of what readers open: tabs and folds.
_FOLD = lazy_pattern(
    r"(?:^|[^a-z])(?:tabs?|panes?|panels?|tabpanel)(?:[^a-z]|$)|tab[-_]?(?:pane|panel|content|con|item|bd)|[a-z]Tab(?:[A-Z]|$)"
    r"|accordion|collaps|expand|fold|more|toggle|spoiler|answer|faq|full|rest|slide",
    re.IGNORECASE,
)
_LINKS = "a,area,iframe,frame"
_UNREAD = ",".join(UNREAD)
MOST_UNREAD = 100  # elements inside one hidden element whose texts are not counted


def remove_unseen(tree: LexborHTMLParser) -> set[int]:
    """Remove from a tree the elements that are never seen. Return the identities (`mem_id`) of those that stay for their links."""
    staying: set[int] = set()
    nodes = tree.css(_BROAD_QUERY)
    if len(nodes) > MANY_ELEMENTS:
        nodes = tree.css(_QUERY)[:MOST_ELEMENTS]
    found = {node.mem_id: node for node in nodes if _may_be_unseen(node)}
    dropped: dict[int, LexborNode] = {}
    for key, node in found.items():
        tag = node.tag or ""
        if tag in _KEPT:
            continue
        attributes = node.attributes
        traits = _traits_of((attributes.get("style") or "")[:LONGEST_STYLE])
        if tag in _INLINE and _is_noise_or_layout(node, traits, attributes):
            dropped[key] = node
        elif (traits & _NONE or ("hidden" in attributes and attributes["hidden"] != "until-found")) and not (
            _is_opened(node, tag, attributes) or _is_nested(node, found)
        ):
            if node.css_first("math") is not None:
                continue
            if node.css_first(_LINKS) is None:
                dropped[key] = node
            else:
                staying.add(key)
    outermost = [node for node in dropped.values() if not any(above in dropped for above in _ids_above(node))]
    for node in outermost:
        node.decompose()
    return staying


def _may_be_unseen(node: LexborNode) -> bool:
    """Whether `_QUERY` selects an element that `_BROAD_QUERY` selects."""
    attributes = node.attributes
    style = attributes.get("style")
    if style is None or "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    if "none" in style.lower() or "jammer" in (attributes.get("class") or "").split():
        return True
    if node.tag == "span":
        return "font-size:0" in style or "font-size: 0" in style or "visibility" in style
    return node.tag == "font"


def _is_nested(node: LexborNode, found: Container[int]) -> bool:
    return sum(above in found for above in _ids_above(node)) > MOST_NESTED


def _ids_above(node: LexborNode) -> Iterator[int]:
    above = node.parent
    while above is not None:
        yield above.mem_id
        above = above.parent


@lru_cache(maxsize=4096)
def _traits_of(style: str) -> int:
    """What a style says of seeing, as bits."""
    patterns = {_NONE: _DISPLAY_NONE, _TINY: _TINY_LETTERS, _PAPER: _PAPER_COLOUR, _CLEAR: _INVISIBLE}
    return sum(bit for bit, pattern in patterns.items() if pattern.search(style))


def _is_noise_or_layout(node: LexborNode, traits: int, attributes: dict[str, str | None]) -> bool:
    return (
        ("jammer" in (attributes.get("class") or "").split())
        or (traits & (_TINY | _PAPER | _CLEAR) > 0 and _is_noise(node, traits))
        or (attributes.get("aria-hidden") == "true" and _is_layout_of_formula(node))
    )


def _is_noise(node: LexborNode, traits: int) -> bool:
    """Whether an inline element that can hardly be seen is there to disturb copies of the text."""
    children = [child.tag for child in islice(node.iter(include_text=True), 2)]
    if children != ["-text"]:
        return False
    if traits & (_TINY | _CLEAR):
        return True
    return not has_han(node.text()) and "br" in {_tag(node.next), _tag(node.prev)}


def _tag(node: LexborNode | None) -> str | None:
    return None if node is None else node.tag


def _is_layout_of_formula(node: LexborNode) -> bool:
    """Whether the element stands beside the same content in MathML."""
    above = node.parent
    if above is None:
        return False
    beside = (one for one in above.iter() if one.mem_id != node.mem_id)
    return any(one.tag == "math" or one.css_first("math") is not None for one in islice(beside, MOST_BESIDE))


def _is_opened(node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
    """Whether readers get to see a hidden element: as a tab, as a fold, or when a script shows it."""
    if attributes.get("role") == "tabpanel":
        return True
    if _is_fold(attributes.get("class") or "") or _is_fold(attributes.get("id") or ""):
        return True
    if tag not in _INLINE and (above := node.parent) is not None:
        around = above.attributes
        if _is_fold(around.get("class") or "") or _is_fold(around.get("id") or ""):
            return True
    return _has_long_text(node)


def _has_long_text(node: LexborNode) -> bool:
    """Whether an element has the text of a fold, without scripts and styles."""
    length = len(node.text())
    if length >= FOLD_CHARACTERS:
        length -= sum(len(one.text()) for one in islice(node.css(_UNREAD), MOST_UNREAD))
    return length >= FOLD_CHARACTERS


@lru_cache(maxsize=4096)
def _is_fold(name: str) -> bool:
    return _FOLD.search(name[:LONGEST_STYLE]) is not None
