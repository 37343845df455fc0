"""Parses HTML of any quality to a Document.

Real pages have two <html> roots, unclosed tags and megabytes; an HTML5 tree builder reads all of them, but its cost
grows with the square of the nesting depth. Pages with very many tags are flattened first where they are too deep
(pages.nesting_limit).
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from topiccrawler.pages.document import Document
from topiccrawler.pages.dom_traversal import DomTraversal
from topiccrawler.pages.nesting_limit import limit_nesting

MOST_CHARACTERS = 2_000_000
UNREAD = ["script", "style", "noscript", "template", "svg"]


def parse(html: str) -> Document:
    """One traversal of the page. Never raises on any text."""
    html = limit_nesting(html[:MOST_CHARACTERS])
    tree = LexborHTMLParser(html)
    tree.strip_tags(UNREAD)
    root = tree.root
    return DomTraversal().over(root) if root is not None else Document()
