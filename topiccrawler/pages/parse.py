"""Parses HTML of any quality to a Document.

Real pages have two <html> roots, unclosed tags and megabytes; an HTML5 tree builder reads all of them, but its cost
grows with the square of the nesting depth. Pages with very many tags are flattened first where they are too deep
(pages.parse).

What stands in <noscript> is no part of a page, and is cut out as text, as a browser with scripts does: an <iframe> left open in
it would swallow the rest. But some programs (forums above all) write the whole page for those who run no scripts into it: where
it holds most of the text, it is the page.

Limits nesting, so that hostile markup cannot cost the HTML5 tree builder minutes or gigabytes.

The standard's algorithm looks through all open elements at each block tag (quadratic in depth:
400 000 nested <div> take minutes), and opens unclosed formatting elements again in every later paragraph
(1 000 <b> and 1 000 <p> make a million elements, half a gigabyte). Browsers stop at 512 levels; real pages
stay below 100.
Idea: a page with few tags is harmless and costs one count. Otherwise formatting tags are
dropped when more of them are open at once than real pages have, opening tags past MOST_LEVELS with as many
closing ones, and the attributes of tags of 20 000 characters (a hundred thousand attributes are quadratic too; in a real page such
a tag holds a picture's data: URL, or the names of all styles: a <style> that went with them would leave its rules as text).
Parameters: pages below HARMLESS_* cost at most a tenth of a second whatever they hold; MOST_LEVELS 256 and
MOST_UNCLOSED_FORMATTING 60 are far above real pages. Cost: 0.1 ms for a 90 kB page.
"""

from __future__ import annotations

import re
from itertools import accumulate

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from topiccrawler.pages.document import Document
from topiccrawler.pages.dom_traversal import traverse

HARMLESS_FORMATTING_TAGS = 600
HARMLESS_NESTING_TAGS = 4_000
HARMLESS_CHARACTERS = 200_000
MOST_UNCLOSED_FORMATTING = 60
MOST_LEVELS = 256

# b big code em font i nobr s small strike strong tt u; spelled by first letters, for this runs over every page: two characters refuse
# nearly all other tags
_TWO_LETTERS = r"[bcefinstuBCEFINSTU][\s/>iImMoOtT]"
_FORMATTING = re.compile(
    rf"<(?={_TWO_LETTERS}|/{_TWO_LETTERS})(/?)"
    r"(?:[bB](?:[iI][gG])?|[iIuU]|[sS](?:[mM][aA][lL]{2}|[tT][rR](?:[iI][kK][eE]|[oO][nN][gG]))?"
    r"|[eE][mM]|[tT]{2}|[cC][oO][dD][eE]|[fF][oO][nN][tT]|[nN][oO][bB][rR])(?=[\s/>])"
)
_FORMATTING_TAG = re.compile(rf"{_FORMATTING.pattern}[^<>]*>?")
# Elements that stay open until they are closed; the others (p, li, td, option, img …) end by themselves.
_NESTING = re.compile(r"<(/?)([a-z][a-z0-9:-]*)[^<>]*>?", re.IGNORECASE)
_ENDING_ALONE_TAGS = (
    "a area base body br col colgroup dd dt embed frame head hr html img input li link meta option optgroup p param script "
    "source style tbody td tfoot th thead title tr track wbr"
)
_ENDING_ALONE = frozenset(_ENDING_ALONE_TAGS.split())
_ENDLESS_TAG = re.compile(r"<(?:([a-z][a-z0-9]{,15})(?=[\s/>]))?[^<>]{20000,}>?", re.IGNORECASE)


def limit_nesting(html: str, utf8: bytes | None = None) -> str:
    """The same page, flattened where it is nested too deeply; `utf8`: its bytes, in which tags are counted sooner."""
    if len(html) > HARMLESS_CHARACTERS:
        html, utf8 = _ENDLESS_TAG.sub(lambda tag: f"<{tag[1]}>" if tag[1] else " ", html), None
    tags = html.count("<") if utf8 is None else np.count_nonzero(np.frombuffer(utf8, np.uint8) == ord("<"))
    if tags > HARMLESS_FORMATTING_TAGS:
        steps = [-1 if closing else 1 for closing in _FORMATTING.findall(html)]
        if max(accumulate(steps), default=0) > MOST_UNCLOSED_FORMATTING:
            html = _FORMATTING_TAG.sub(" ", html)
    return _flatten(html) if tags > HARMLESS_NESTING_TAGS else html


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
UNREAD = ["script", "style", "template", "svg"]
LITTLE_TEXT = 1_000  # characters; a page with more is not looked at a second time
LEAST_NOSCRIPT = 400  # characters; less is a request to turn scripts on
# Neither part looks past the next of these tags: linear, whatever is left open.
# No possessive group: before Python 3.11.5 it takes what a lookahead in it refuses.
_NOSCRIPT = re.compile(
    r"<noscript\b[^<>]*>[^<]*(?:<(?!/?(?:no)?script\b)[^<]*)*</noscript\s*>", re.IGNORECASE
)


def parse(html: str, utf8: bytes | None = None) -> Document:
    """One traversal of the page, a second where its text stands in <noscript>. Never raises on any text.

    `utf8`: the page in UTF-8, where the caller has it: the parser reads bytes.
    """
    return parse_with_tree(html, utf8)[0]


def parse_with_tree(html: str, utf8: bytes | None = None) -> tuple[Document, LexborHTMLParser]:
    """The same, and the tree whose elements in document order are the nodes of the Document."""
    whole, html = html, html[:MOST_CHARACTERS]
    html = limit_nesting(html, utf8 if html is whole else None)
    scripted = _NOSCRIPT.sub(" ", html) if "<noscript" in html or "<NOSCRIPT" in html else html
    found = _walk(utf8 if utf8 is not None and scripted is whole else scripted, [*UNREAD, "noscript"])
    if scripted is not html and len(found[0].text) < LITTLE_TEXT:
        unscripted = _walk(html, [*UNREAD, "iframe"])
        if len(unscripted[0].text) > 2 * len(found[0].text) + LEAST_NOSCRIPT:
            return unscripted
    return found


def _walk(html: str | bytes, unread: list[str]) -> tuple[Document, LexborHTMLParser]:
    tree = LexborHTMLParser(html)
    tree.strip_tags(unread)
    root = tree.root
    return (traverse(root) if root is not None else Document()), tree
