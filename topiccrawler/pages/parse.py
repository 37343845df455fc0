"""Parses HTML of any quality to a Document, with a limit on nesting against hostile markup.

`parse` reads real pages, which have two <html> roots, unclosed tags and megabytes. An HTML5 tree builder reads all of them, but its cost
grows with the square of the nesting depth. So pages with very many tags that are nested too deeply are flattened first. The content of
<noscript> is no part of a page and is cut out as text, as in a browser with scripts: an <iframe> left open in it would swallow the rest.
But some programs (forums above all) put the whole page there for readers without scripts. Where <noscript> holds most of the text, it is
the page.

`limit_nesting` flattens pages, so that hostile markup cannot cost the HTML5 tree builder minutes or gigabytes. The standard's algorithm
looks through all open elements at each block tag (quadratic in depth: 400 000 nested <div> take minutes), and opens unclosed formatting
elements again in every later paragraph (1 000 <b> and 1 000 <p> make a million elements, half a gigabyte). Browsers stop at 512 levels;
real pages stay below 100.
Idea: a page with few tags is harmless and costs one count. In any other page three things are dropped: formatting tags, when more of them
are open at once than in real pages; opening tags past MOST_LEVELS, with as many closing ones; the attributes of tags of 20 000 characters
(a hundred thousand attributes are quadratic too; in a real page such a tag holds a picture's data: URL, or the names of all styles). Such
a tag itself stays: without its <style> the rules would become text.
Parameters: pages below HARMLESS_* cost at most a tenth of a second whatever they hold; MOST_LEVELS 256 and
MOST_UNCLOSED_FORMATTING 60 are far above real pages.
Cost: 0.1 ms for a 90 kB page.
"""

from __future__ import annotations

import re
from html import escape
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from topiccrawler.pages.document import Document
from topiccrawler.pages.dom_traversal import UNREAD, traverse
from topiccrawler.pages.unseen import remove_unseen
from topiccrawler.patterns import lazy_pattern

HARMLESS_FORMATTING_TAGS = 600
HARMLESS_NESTING_TAGS = 4_000
HARMLESS_CHARACTERS = 200_000
MOST_UNCLOSED_FORMATTING = 60
MOST_LEVELS = 256

# Matches b big code em font i nobr s small strike strong tt u. Spelled by first letters, because it runs over every page: two characters
# reject nearly all other tags.
_TWO_LETTERS = r"[bcefinstuBCEFINSTU][\s/>iImMoOtT]"
_FORMATTING = re.compile(
    rf"<(?={_TWO_LETTERS}|/{_TWO_LETTERS})(/?)"
    r"(?:[bB](?:[iI][gG])?|[iIuU]|[sS](?:[mM][aA][lL]{2}|[tT][rR](?:[iI][kK][eE]|[oO][nN][gG]))?"
    r"|[eE][mM]|[tT]{2}|[cC][oO][dD][eE]|[fF][oO][nN][tT]|[nN][oO][bB][rR])(?=[\s/>])"
)
# Whether a tag with these two first bytes may be one of them.
_BEGINS_FORMATTING = np.zeros(0x10000, np.bool_)
for _first, _second in zip("bcefinstu", ["i", "o", "m", "o", "", "o", "mt", "t", ""], strict=True):
    for _begin in {_first, _first.upper()}:
        for _next in {*" \t\n\v\f\r\x1c\x1d\x1e\x1f/>", *_second, *_second.upper()}:
            _BEGINS_FORMATTING[ord(_begin) * 256 + ord(_next)] = True
_FORMATTING_TAG = lazy_pattern(rf"{_FORMATTING.pattern}[^<>]*>?")
_NO, _UPPER_CASE = int.from_bytes(b"NO", "big"), 0xDFDF  # without the bit in which small letters differ
# Tags of elements. Most elements stay open until they are closed; those of _ENDING_ALONE (p, li, td, option, img …) end by themselves.
_NESTING_START = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)")
_NESTING = re.compile(rf"{_NESTING_START.pattern}[^<>]*>?")
_ENDING_ALONE_TAGS = (
    "a area base body br col colgroup dd dt embed frame head hr html img input li link meta option optgroup p param script "
    "source style tbody td tfoot th thead title tr track wbr"
)
_ENDING_ALONE = frozenset(_ENDING_ALONE_TAGS.split())
_ENDLESS_TAG = lazy_pattern(r"<(?:([a-z][a-z0-9]{,15})(?=[\s/>]))?[^<>]{20000,}>?", re.IGNORECASE)
ENDLESS = 20_000


def limit_nesting(html: str) -> str:
    """Return the page, flattened if it is nested too deeply."""
    return _limited(html, None)[0]


def _limited(html: str, utf8: bytes | None) -> tuple[str, bool]:
    """The page, flattened if it is nested too deeply, and whether it may have a <noscript>. `utf8`: the page as bytes, if known: tags are
    counted faster there."""
    if len(html) > HARMLESS_CHARACTERS and (utf8 is None or _has_endless_tag(utf8)):
        html, utf8 = _ENDLESS_TAG.sub(lambda tag: f"<{tag[1]}>" if tag[1] else " ", html), None
    tags = _tags_of(html, utf8)
    if tags.number > HARMLESS_FORMATTING_TAGS and tags.formatting > MOST_UNCLOSED_FORMATTING:
        steps = [-1 if closing else 1 for closing in _FORMATTING.findall(html)]
        if max(accumulate(steps), default=0) > MOST_UNCLOSED_FORMATTING:
            html = _FORMATTING_TAG.sub(" ", html)
    is_deep = tags.number > HARMLESS_NESTING_TAGS and _is_deep(html)
    return _flatten(html) if is_deep else html, tags.may_be_noscript


def _has_endless_tag(utf8: bytes) -> bool:
    """Whether there may be a tag of ENDLESS characters."""
    codes = np.frombuffer(utf8, np.uint8)
    signs = np.flatnonzero((codes == ord("<")) | (codes == ord(">")))
    return int(np.diff(signs, prepend=0, append=len(codes)).max(initial=0)) >= ENDLESS


class _Tags(NamedTuple):
    """What the signs "<" of a page and the two bytes behind each say of its tags."""

    number: int
    formatting: int  # an upper bound for the number of opening formatting tags
    may_be_noscript: bool


def _tags_of(html: str, utf8: bytes | None) -> _Tags:
    if utf8 is None:
        count = html.count("<")
        return _Tags(count, count, may_be_noscript=True)
    codes = np.frombuffer(utf8, np.uint8)
    places = (codes[:-2] == ord("<")).nonzero()[0]
    pairs = codes.take(places + 1).astype(np.uint16) * 256 + codes.take(places + 2)
    may_be_noscript = bool((pairs & _UPPER_CASE == _NO).any())
    return _Tags(len(places), int(_BEGINS_FORMATTING.take(pairs).sum()), may_be_noscript)


def _is_deep(html: str) -> bool:
    """Whether `_flatten` would drop a tag."""
    level = 0
    for closing, name in _NESTING_START.findall(html):
        if name not in _ENDING_ALONE and name.lower() not in _ENDING_ALONE:
            level = max(0, level - 1) if closing else level + 1
            if level > MOST_LEVELS:
                return True
    return False


def _flatten(html: str) -> str:
    level = dropped = 0

    def keep(tag: re.Match[str]) -> str:
        nonlocal level, dropped
        if tag[2].lower() in _ENDING_ALONE:
            return tag[0]
        if tag[1]:
            if dropped:
                dropped -= 1
                return " "
            level = max(0, level - 1)
        elif level >= MOST_LEVELS:
            dropped += 1
            return " "
        else:
            level += 1
        return tag[0]

    return _NESTING.sub(keep, html)


MOST_CHARACTERS = 2_000_000
LITTLE_TEXT = 1_000  # characters; a page with more is not parsed a second time
LEAST_NOSCRIPT = 400  # characters; less is a request to turn scripts on
# No part of the pattern looks past the next of these tags, so it is linear in the page, whatever is left open.
# No possessive group: before Python 3.11.5 it matches what a lookahead in it rejects.
_NOSCRIPT = re.compile(
    r"<noscript\b[^<>]*>[^<]*(?:<(?!/?(?:no)?script\b)[^<]*)*</noscript\s*>", re.IGNORECASE
)


def parse(html: str, utf8: bytes | None = None) -> Document:
    """The Document of a page, by one traversal, or two if its text is in <noscript>. Never raises, whatever the text.

    `utf8`: the page in UTF-8, if the caller has it: the parser reads bytes.
    """
    return _parsed(html, utf8)[0]


def parse_with_tree(html: str, utf8: bytes | None = None) -> tuple[Document, LexborHTMLParser]:
    """The Document of a page, and the tree whose elements in document order are the nodes of the Document. Arguments as of `parse`."""
    document, tree, unread = _parsed(html, utf8)
    tree.strip_tags([*UNREAD, unread])
    return document, tree


def _parsed(html: str, utf8: bytes | None) -> tuple[Document, LexborHTMLParser, str]:
    """As `parse`, with the whole tree, and the tag that was not read beside those of UNREAD."""
    whole, html = html, html[:MOST_CHARACTERS]
    html, may_be_noscript = _limited(html, utf8 if html is whole else None)
    scripted, removed = _NOSCRIPT.subn(" ", html) if may_be_noscript else (html, 0)
    is_whole = html is whole and not removed
    document, tree, unread = _walk(utf8 if utf8 is not None and is_whole else scripted, "noscript")
    if removed and len(document.text) < LITTLE_TEXT:
        unscripted = _walk(html, "iframe")
        if len(unscripted[0].text) > 2 * len(document.text) + LEAST_NOSCRIPT:
            unscripted[0].refresh = document.refresh  # a browser with scripts does not obey one in <noscript>
            document, tree, unread = unscripted
    document.source, document.linked_data = html, html.find("ld+json")
    return document, tree, unread


# An empty element in XML's spelling. XML has no "<" in values of attributes, so no part of the pattern looks past the next tag.
_CLOSED_TAG = re.compile(r"<([a-zA-Z][\w:.-]*)((?:\s[^<>]*)?)(?<!/)/>")
_VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "frame",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)
_CDATA_BEGIN, _CDATA_END = "<![CDATA[", "]]>"


def html_of_xhtml(xhtml: str) -> str:
    """A page of the type XHTML as HTML: an element that is closed in its own tag gets an end tag, because HTML reads <title/> and
    <script/> as open; CDATA becomes text."""
    pieces = xhtml.split(_CDATA_BEGIN)
    for at, section in enumerate(pieces[1:], start=1):
        text, end, after = section.partition(_CDATA_END)
        pieces[at] = escape(text, quote=False) + after if end else _CDATA_BEGIN + section
    xhtml = "".join(pieces)
    return _CLOSED_TAG.sub(
        lambda tag: tag[0] if tag[1].lower() in _VOID else f"<{tag[1]}{tag[2]}></{tag[1]}>", xhtml
    )


def _walk(html: str | bytes, unread: str) -> tuple[Document, LexborHTMLParser, str]:
    tree = LexborHTMLParser(html)
    unseen = remove_unseen(tree)
    root = tree.root
    return (traverse(root, unseen, unread) if root is not None else Document()), tree, unread
