"""Parses HTML of any quality to a Document.

Real pages have two <html> roots, unclosed tags and megabytes; an HTML5 tree builder reads all of them, but its cost
grows with the square of the nesting depth. Pages with very many tags are flattened first where they are too deep
(pages.nesting_limit).

What stands in <noscript> is no part of a page, and is cut out as text, as a browser with scripts does: an <iframe> left open in
it would swallow the rest. But some programs (forums above all) write the whole page for those who run no scripts into it: where
it holds most of the text, it is the page.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from topiccrawler.pages.document import Document
from topiccrawler.pages.dom_traversal import DomTraversal
from topiccrawler.pages.nesting_limit import limit_nesting

MOST_CHARACTERS = 2_000_000
UNREAD = ["script", "style", "template", "svg"]
LITTLE_TEXT = 1_000  # characters; a page with more is not looked at a second time
LEAST_NOSCRIPT = 400  # characters; less is a request to turn scripts on
# Neither part looks past the next of these tags: linear, whatever is left open.
_NOSCRIPT = re.compile(r"<noscript\b[^<>]*>(?:[^<]++|<(?!/?(?:no)?script\b))*+</noscript\s*>", re.IGNORECASE)


def parse(html: str) -> Document:
    """One traversal of the page, a second where its text stands in <noscript>. Never raises on any text."""
    html = limit_nesting(html[:MOST_CHARACTERS])
    scripted = _NOSCRIPT.sub(" ", html) if "<noscript" in html or "<NOSCRIPT" in html else html
    document = _walk(scripted, [*UNREAD, "noscript"])
    if scripted is not html and len(document.text) < LITTLE_TEXT:
        unscripted = _walk(html, [*UNREAD, "iframe"])
        if len(unscripted.text) > 2 * len(document.text) + LEAST_NOSCRIPT:
            return unscripted
    return document


def _walk(html: str, unread: list[str]) -> Document:
    tree = LexborHTMLParser(html)
    tree.strip_tags(unread)
    root = tree.root
    return DomTraversal().over(root) if root is not None else Document()
