"""Removes from the tree of a page what no reader sees, and what is shown a second time: hidden elements, noise, sources of formulas.

The conflict: hidden text is noise (the random letters of a forum against copying), a form, a menu; or it is the page, until a script
shows it. So elements stay that readers get to see: tabs, folds, a long text. A hidden element with links stays in the tree, because its
links count, and is marked: its text is no main text.

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
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

MARK = "unseen"  # value of the attribute `hidden` of an element that stays for its links
MOST_ELEMENTS = 5_000  # looked at on one page
MOST_NESTED = 4  # elements inside more such elements stay: so the cost is linear in the tree
MOST_BESIDE = 4  # of a formula
FOLD_CHARACTERS = 400  # a hidden text of this length is a fold, or a page that a script shows
# Ruby is the pronunciation of the characters beside it, an annotation the source of a formula.
UNREAD_ANNOTATIONS = ["rt", "rp", "rtc", "annotation", "annotation-xml"]

# One query for all: looking for these words in the page first would take longer.
_QUERY = (
    '[style*="none" i],[hidden],[aria-hidden="true"],.jammer,'
    'font[style],span[style*="font-size" i],span[style*="visibility" i]'
)
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
_DISPLAY_NONE = re.compile(r"(?:^|[;\s])display\s*:\s*none", re.IGNORECASE)
_TINY = re.compile(
    r"(?:^|[;\s])font-size\s*:\s*(?:0+(?:\.0+)?(?:px|pt|em|rem|%)?|(?:[01]|0?\.\d+|1\.\d+)px)\s*(?:!|;|$)",
    re.IGNORECASE,
)
_INVISIBLE = re.compile(r"(?:^|[;\s])(?:visibility\s*:\s*hidden|color\s*:\s*transparent)", re.IGNORECASE)
_PAPER = re.compile(r"(?:^|[;\s])color\s*:\s*(?:#fff(?:fff)?\b|white\b)", re.IGNORECASE)
_HAN = re.compile(r"[㐀-鿿]")
# Names of what readers open: tabs and folds.
_FOLD = re.compile(
    r"(?:^|[^a-z])(?:tabs?|panes?|panels?|tabpanel)(?:[^a-z]|$)|tab[-_]?(?:pane|panel|content|con|item|bd)|[a-z]Tab(?:[A-Z]|$)"
    r"|accordion|collaps|expand|fold|more|toggle|spoiler|answer|faq|full|rest|slide",
    re.IGNORECASE,
)
_LINKS = frozenset(["a", "area", "iframe", "frame"])


def remove_unseen(tree: LexborHTMLParser) -> None:
    """Remove from a tree the elements that are never seen; mark those with links."""
    dropped: dict[int, LexborNode] = {}
    found = {node.mem_id: node for node in tree.css(_QUERY)[:MOST_ELEMENTS]}
    for key, node in found.items():
        tag = node.tag or ""
        if tag in _KEPT or not _is_unseen(node, tag, found):
            continue
        if any(one.tag in _LINKS for one in node.traverse()):
            node.attrs["hidden"] = MARK  # type: ignore[index]
        else:
            dropped[key] = node
    for node in _outermost(dropped):
        node.decompose()


def _outermost(nodes: dict[int, LexborNode]) -> list[LexborNode]:
    """The elements that are not inside another of them."""
    return [node for node in nodes.values() if not any(above in nodes for above in _ids_above(node))]


def _ids_above(node: LexborNode) -> Iterator[int]:
    above = node.parent
    while above is not None:
        yield above.mem_id
        above = above.parent


def _is_unseen(node: LexborNode, tag: str, found: Container[int]) -> bool:
    attributes = node.attributes
    style = attributes.get("style") or ""
    if tag in _INLINE:
        if "jammer" in (attributes.get("class") or "").split() or (style and _is_noise(node, style)):
            return True
        if attributes.get("aria-hidden") == "true" and _is_layout_of_formula(node):
            return True
    is_hidden = "hidden" in attributes and attributes["hidden"] != "until-found"
    if not is_hidden and not (style and _DISPLAY_NONE.search(style)):
        return False
    nested = sum(above in found for above in _ids_above(node))
    return nested <= MOST_NESTED and not _is_opened(node, tag, attributes)


def _is_noise(node: LexborNode, style: str) -> bool:
    """Whether an inline element is there to disturb copies of the text."""
    is_tiny, is_paper = _TINY.search(style), _PAPER.search(style)
    if not (is_tiny or is_paper or _INVISIBLE.search(style)) or node.first_child is None:
        return False
    if any(child.tag != "-text" for child in node.iter(include_text=True)):
        return False
    if is_paper and not is_tiny:
        return not _HAN.search(node.text()) and "br" in {_tag(node.next), _tag(node.prev)}
    return True


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
    if attributes.get("role") == "tabpanel" or any(one.tag == "math" for one in node.traverse()):
        return True
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    if _FOLD.search(names):
        return True
    if tag not in _INLINE:
        above = node.parent
        around = above.attributes if above is not None else {}
        if _FOLD.search(f"{around.get('class') or ''} {around.get('id') or ''}"):
            return True
    return len(node.text()) >= FOLD_CHARACTERS
