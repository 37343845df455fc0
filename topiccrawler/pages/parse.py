"""HTML of any quality to a Document.

The conflict: real pages have two <html> roots, unclosed tags and megabytes, and an HTML5 tree builder mends
all of it; but its cost grows with the square of the nesting depth, and hostile nesting takes minutes. Pages
with very many tags are measured first and flattened where they are too deep (taming.py).
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from topiccrawler.pages.document import Document
from topiccrawler.pages.dom_traversal import DomTraversal
from topiccrawler.pages.nesting_limit import limit_nesting

MOST_CHARACTERS = 2_000_000
UNREAD = ["script", "style", "noscript", "template", "svg"]


def parse(html: str) -> Document:
    """One walk over the page. Never raises on any text."""
    html = limit_nesting(html[:MOST_CHARACTERS])
    tree = LexborHTMLParser(html)
    tree.strip_tags(UNREAD)
    root = tree.root
    return DomTraversal().over(root) if root is not None else Document()
