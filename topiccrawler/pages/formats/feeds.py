"""Reads feeds, sitemaps and plain text; and parses untrusted XML safely.

`root_of` parses XML. Feeds are broken as often as pages are, and XML has entities that expand a line into gigabytes or read local files.
So lxml parses text that is already decoded, and recovers from errors. It expands no entity, loads no DTD, uses no network, and keeps its
own limits on depth and size. After the first error it would leave out every `&amp;` that follows, also in URLs; so references are first
written as numbers.

`read_text` reads plain text: paragraphs at line ends, links where a URL is written out.

`read_feed` reads RSS (0.9x, 1.0, 2.0), Atom, and the search.xml of Hexo: a list of links, each with its headline as anchor and its summary
beside it. A search.xml holds the whole texts of a site; only the beginning of each is read, like that of a long summary.

`read_sitemap` reads sitemaps and their indexes, plain or gzip: a list of links. News sitemaps give headlines too, image sitemaps captions.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from functools import partial
from html.entities import html5
from itertools import islice
from urllib.parse import urljoin

from lxml import etree

from topiccrawler.pages.document import BOUNDARY
from topiccrawler.pages.formats.registry import (
    LONGEST_PART,
    MOST_LINKS,
    Extract,
    Part,
    UnreadableError,
    bounded,
    inflated,
    tidy,
)
from topiccrawler.pages.parse import parse
from topiccrawler.text.characters import decode

MOST_BYTES = 16_000_000
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>", re.ASCII)
_UNWRITTEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


# Comments and CDATA are matched whole, because they hold no references. Declared entities stay, and are left out by the readers.
_REFERENCE = re.compile(
    r"<!(?:\[CDATA\[.*?(?:\]\]>|\Z)|--.*?(?:-->|\Z))|&(?:#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));|([A-Za-z]\w{0,31};))?",
    re.DOTALL,
)
_ENTITY = re.compile(r"<!ENTITY\s+(\w{1,32})\s")


def _as_numbers(found: re.Match[str], declared: Container[str]) -> str:
    """A reference as numbers, which are read in broken XML too; "" for an unknown one. A lone & is the sign itself."""
    whole, (hexadecimal, decimal, name) = found[0], found.groups()
    if whole[0] == "<" or (name and name[:-1] in declared):
        return whole
    if hexadecimal or decimal:
        code = int(hexadecimal, 16) if hexadecimal else int(decimal)
        return whole if code <= 0x10FFFF and not _UNWRITTEN.match(chr(code)) else ""
    return "".join(f"&#{ord(character)};" for character in (html5.get(name, "") if name else "&"))


def root_of(body: bytes, declared: str | None = None) -> etree._Element:
    """The root element of an XML document; UnreadableError when there is none. `declared`: the charset of the HTTP header."""
    text, _ = decode(body[:MOST_BYTES], declared)
    text = _UNWRITTEN.sub("", _DECLARATION.sub("", text, count=1))
    if "&" in text:
        text = _REFERENCE.sub(partial(_as_numbers, declared=set(_ENTITY.findall(text))), text)
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
    """The name of an element without its namespace, in lower case; "" for comments and entities."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def text_of(element: etree._Element) -> str:
    """All text inside an element. Unknown entities are left out."""
    return "".join(piece for piece in element.itertext(etree.Element) if isinstance(piece, str))


LONGEST_TITLE = 100
MOST_TEXT_BYTES = 4_000_000
_URL = re.compile(
    r"https?://[A-Za-z0-9.-]{1,253}[!#-&(-;=?-~]{0,2000}"
)  # ends at the first non-ASCII character, which is prose again


def read_text(body: bytes, declared: str | None = None) -> Extract:
    """Plain text: paragraphs, URLs written out; the first line, when short, is the title."""
    text, _ = decode(body[:MOST_TEXT_BYTES], declared)
    lines = [line[:LONGEST_PART] for line in text.splitlines()]
    first = next((line for line in map(tidy, lines) if line), "")
    parts = ((part, url) for line in lines for part, url in [(line, ""), *_links(line)])
    return Extract(title=first if len(first) <= LONGEST_TITLE else "", parts=bounded(parts))


def _links(line: str) -> list[tuple[str, str]]:
    return [("", found[0].rstrip(".,;:!?)]}")) for found in _URL.finditer(line)] if "://" in line else []


MOST_ENTRIES = 1_000
LONGEST_SUMMARY = 400  # so that MOST_ENTRIES of them fit into a page
MOST_SUMMARY_MARKUP = 20_000  # characters of a summary's markup that are read
_ENTRIES = frozenset({"item", "entry"})
_LINKS = frozenset({"link", "url"})
_SUMMARIES = ("description", "summary", "encoded", "content")


def read_feed(body: bytes, declared: str | None = None) -> Extract:
    """RSS, Atom or search.xml of Hexo: a list of links, 1,000 at most, with headline and summary.

    UnreadableError when it is no XML.
    """
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
    """The URL of each entry of a feed, relative to its `xml:base`, if any, else as written; "" for an entry without a URL."""
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
    """The texts of the direct children by name. The first of each name counts."""
    found: dict[str, str] = {}
    for child in element:
        name = name_of(child)
        if name and name not in found and name not in _ENTRIES:
            found[name] = text_of(child)[:MOST_SUMMARY_MARKUP]
    return found


def _link(entry: etree._Element) -> str:
    """The URL of an entry, or "". RSS has it as text, Atom as href, Hexo as `url`. Of Atom links only rel="alternate" is a page."""
    for child in entry:
        if name_of(child) in _LINKS:
            url = child.get("href") if child.get("rel", "alternate") == "alternate" else None
            url = url or (tidy(child.text) if child.get("href") is None else "")
            if url:
                return _joined(child.base, url) if child.base else url
    guid = next((child for child in entry if name_of(child) == "guid"), None)
    text = tidy(guid.text) if guid is not None else ""
    return text if text.startswith(("http://", "https://")) else ""


def _joined(base: str, url: str) -> str:
    """A URL that is relative to an `xml:base`."""
    try:
        return urljoin(base, url)
    except ValueError:
        return url


def _plain(markup: str) -> str:
    """The beginning of a summary as plain text; the summary may be HTML."""
    if "<" in markup or "&" in markup:
        markup = parse(markup).text.replace(BOUNDARY, " ")
    return tidy(markup)[:LONGEST_SUMMARY]


LONGEST_CAPTION = 400
_HOLDERS = frozenset({"url", "sitemap"})


def read_sitemap(body: bytes, declared: str | None = None) -> Extract:
    """Sitemap or index of sitemaps, gzip too: a list of links, 5,000 at most, with titles of news and captions.

    UnreadableError when it is no XML.
    """
    if body.startswith(b"\x1f\x8b"):
        body = inflated(body, MOST_BYTES)
    return Extract(parts=bounded(entries(islice(root_of(body, declared), MOST_LINKS))), is_hub=True)


def entries(root: Iterable[etree._Element]) -> Iterator[Part]:
    """Yield headline and URL, as written, of each page or sitemap listed; then the caption of the page's picture, without a URL."""
    for holder in root:
        if name_of(holder) not in _HOLDERS:
            continue
        url = title = caption = ""
        for element in holder.iter(etree.Element):
            name = name_of(element)
            # a picture has a loc of its own
            if name == "loc" and not url and element.getparent() is holder:
                url = tidy(element.text)
            elif name == "title" and not title:
                title = tidy(element.text)
            elif name == "caption" and not caption:
                caption = tidy(element.text)[:LONGEST_CAPTION]
        if url:
            yield title, url
            if caption:
                yield caption, ""
