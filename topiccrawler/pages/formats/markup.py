"""Parses XML from strangers safely, for feeds and sitemaps.

Feeds are broken as often as pages are, and XML has entities that grow a line into gigabytes or read local
files. So lxml parses text that we have decoded and recovers from errors; it replaces no entity, loads no DTD, uses no
network, and keeps its own limits on depth and size.
"""

from __future__ import annotations

import re

from lxml import etree

from topiccrawler.pages.formats.extract import UnreadableError
from topiccrawler.text.decode import decode

MOST_BYTES = 16_000_000
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>", re.ASCII)
_UNWRITTEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def root_of(body: bytes, declared: str | None = None) -> etree._Element:
    """The root element; UnreadableError when there is none."""
    text, _ = decode(body[:MOST_BYTES], declared)
    text = _UNWRITTEN.sub("", _DECLARATION.sub("", text, count=1))
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        recover=True,
        encoding="utf-8",
    )
    try:
        root = etree.fromstring(text.encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableError(f"no XML ({error})") from error
    if root is None:
        raise UnreadableError("no XML")
    return root


def name_of(element: etree._Element) -> str:
    """The element's name without its namespace, lower case; empty for comments and entities."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def text_of(element: etree._Element) -> str:
    """All text of an element that is no markup; entities we do not know stay out."""
    return "".join(piece for piece in element.itertext(etree.Element) if isinstance(piece, str))
