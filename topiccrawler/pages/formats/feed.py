"""RSS (0.9x, 1.0, 2.0), Atom, and the search.xml of Hexo: a list of links, each with its headline as anchor and its summary beside it.

A search.xml holds the whole texts of a site; of each the beginning is read, as of a long summary.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from topiccrawler.pages.formats.extract import Extract, Part, bounded, tidy
from topiccrawler.pages.formats.markup import name_of, root_of, text_of
from topiccrawler.pages.nesting_limit import limit_nesting

MOST_ENTRIES = 1_000
LONGEST_SUMMARY = 400  # so that MOST_ENTRIES of them fit into a page
MOST_SUMMARY_MARKUP = 20_000  # characters of a summary's markup that are read
_ENTRIES = frozenset({"item", "entry"})
_LINKS = frozenset({"link", "url"})
_SUMMARIES = ("description", "summary", "encoded", "content")


def read(body: bytes, declared: str | None = None) -> Extract:
    """A feed; UnreadableError when it is no XML."""
    root = root_of(body, declared)
    channel = next((child for child in root if name_of(child) == "channel"), root)
    about = _fields(channel)
    return Extract(
        title=tidy(_plain(about.get("title", ""))),
        parts=bounded(_parts(_entries(root))),
        description=tidy(_plain(about.get("description", about.get("subtitle", "")))),
        is_hub=True,
    )


def addresses(root: etree._Element) -> Iterator[str]:
    """The URL of each entry, as it is written; empty where one has none."""
    return map(_link, _entries(root))


def _entries(root: etree._Element) -> Iterator[etree._Element]:
    return (element for element in root.iter(etree.Element) if name_of(element) in _ENTRIES)


def _parts(entries: Iterator[etree._Element]) -> Iterator[Part]:
    for number, entry in enumerate(entries):
        if number >= MOST_ENTRIES:
            return
        fields = _fields(entry)
        yield _plain(fields.get("title", "")), _link(entry)
        yield next((_plain(fields[name]) for name in _SUMMARIES if fields.get(name)), ""), ""


def _fields(element: etree._Element) -> dict[str, str]:
    """Text of the direct children by name; the first of each counts."""
    found: dict[str, str] = {}
    for child in element:
        name = name_of(child)
        if name and name not in found and name not in _ENTRIES:
            found[name] = text_of(child)[:MOST_SUMMARY_MARKUP]
    return found


def _link(entry: etree._Element) -> str:
    """RSS writes the URL as text, Atom as href, Hexo as `url`; an Atom link with another rel than `alternate` is no page."""
    for child in entry:
        if name_of(child) in _LINKS:
            url = child.get("href") if child.get("rel", "alternate") == "alternate" else None
            url = url or (tidy(child.text) if child.get("href") is None else "")
            if url:
                return url
    guid = next((child for child in entry if name_of(child) == "guid"), None)
    text = tidy(guid.text) if guid is not None else ""
    return text if text.startswith(("http://", "https://")) else ""


def _plain(markup: str) -> str:
    """Text of a summary, which may be HTML."""
    if "<" in markup:
        root = LexborHTMLParser(limit_nesting(markup)).body
        markup = root.text(separator=" ") if root is not None else ""
    return tidy(markup)[:LONGEST_SUMMARY]
