"""Reads sitemaps and plain text; parses untrusted XML safely, and prepares feeds for their reader (pages.formats.feed).

`root_of` parses XML. Listings are broken as often as pages are, and XML has entities that expand a line into gigabytes or read local files.
So lxml parses text that is already decoded, and recovers from errors. It expands no entity, loads no DTD, uses no network, and keeps its
own limits on depth and size. After the first error it would leave out every `&amp;` that follows, also in URLs; so references are first
written as numbers. What stands before the root is left out: declarations, comments, messages of the server.

`read_text` reads plain text: paragraphs at line ends, links where a URL is written out; and lists of URLs, one a line.

`read_sitemap` reads sitemaps and their indexes: a list of links. News sitemaps give headlines too, image sitemaps captions.

All may be gzip. Sitemaps and lists of URLs are as long as the standard allows, 50,000 URLs in 50 MB, so they are unpacked, decoded and
parsed piece by piece. What does not fit into a page is passed on as links only (`Extract.more`).
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from functools import partial
from html import unescape
from io import BytesIO
from itertools import chain

from lxml import etree

from topiccrawler.pages.formats.registry import (
    GZIP,
    LONGEST_PART,
    MOST_LINKS,
    PROLOG_BYTES,
    UNWRITTEN,
    XML_PARSER,
    Extract,
    Part,
    UnreadableError,
    bounded,
    inflated,
    root_place,
    tidy,
)
from topiccrawler.patterns import lazy_pattern
from topiccrawler.text.characters import REPLACEMENT, decode

MOST_BYTES = 16_000_000


# Comments and CDATA are matched whole, because they hold no references. Declared entities stay, and are left out by the readers.
_REFERENCE = lazy_pattern(
    r"<!(?:\[CDATA\[.*?(?:\]\]>|\Z)|--.*?(?:-->|\Z))|&(?:(#(?:[xX][0-9a-fA-F]{1,6}|[0-9]{1,7})|[A-Za-z]\w{0,31});)?",
    re.DOTALL,
)
_ENTITY = lazy_pattern(r"<!ENTITY\s+(\w{1,32})\s")


def _as_numbers(found: re.Match[str], declared: Container[str]) -> str:
    """A reference as numbers, which are read in broken XML too; "" for an unknown one. A lone & is the sign itself."""
    whole, name = found[0], found[1]
    if whole[0] == "<" or name in declared:
        return whole
    meant = unescape(whole)
    if meant == whole and name:  # a name that HTML does not know
        return ""
    return "".join(f"&#{ord(each)};" for each in UNWRITTEN.sub("", meant) if each != REPLACEMENT)


def root_of(body: bytes, declared: str | None = None) -> etree._Element:
    """The root element of an XML document; UnreadableError when there is none. `declared`: the charset of the HTTP header."""
    return _parsed(decode(body[:MOST_BYTES], declared)[0])


def _from_root(text: str) -> str:
    """The text of XML from its root on, which can be read by a strict parser, unless elements are left open."""
    text = text.lstrip("\ufeff")
    start = text[:PROLOG_BYTES].encode("utf-8", "replace")
    text = text[len(start[: root_place(start)].decode("utf-8", "ignore")) :]
    text = UNWRITTEN.sub("", text)
    if "&" in text:
        text = _REFERENCE.sub(partial(_as_numbers, declared=set(_ENTITY.findall(text))), text)
    return text


def _parsed(text: str) -> etree._Element:
    try:
        root = etree.fromstring(_from_root(text).encode(), etree.XMLParser(encoding="utf-8", **XML_PARSER))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableError(f"no XML ({error})") from error
    if root is None:
        raise UnreadableError("no XML")
    return root


def name_of(element: etree._Element) -> str:
    """The name of an element without its namespace, in lower case; "" for entities."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


LONGEST_TITLE = 100
MOST_TEXT_BYTES = 4_000_000
# It ends at the first non-ASCII character, which is prose again.
_URL = lazy_pattern(r"https?://[A-Za-z0-9._-]{1,253}[!#-&(-;=?-~]{0,2000}")


def read_text(body: bytes, declared: str | None = None) -> Extract:
    """Plain text: paragraphs, URLs written out; of a list of URLs, one a line, the links only, 50,000 at most.

    The first line of a text, when short, is the title.
    """
    if _is_list(next(_text_pieces(body, declared), "")):
        words = chain.from_iterable(map(str.split, _whole_pieces(_text_pieces(body, declared), _LINE_END)))
        return _listed(("", word) for word in words if word.startswith(_SCHEMES))
    text, _ = decode(body[:MOST_TEXT_BYTES], declared)
    lines = [line[:LONGEST_PART] for line in text.splitlines()]
    first = next((line for line in map(tidy, lines) if line), "")
    parts = ((part, url) for line in lines for part, url in [(line, ""), *_links(line)])
    return Extract(title=first if len(first) <= LONGEST_TITLE else "", parts=bounded(parts))


def _is_list(text: str) -> bool:
    """Whether the first lines of a text are URLs and nothing else."""
    words = [line.split() for line in text[:_LOOK_CHARACTERS].splitlines()[:_LOOK_LINES]]
    found = [line for line in words if line]
    return bool(found) and all(len(line) == 1 and line[0].startswith(_SCHEMES) for line in found)


def _links(line: str) -> list[tuple[str, str]]:
    return [("", found[0].rstrip(".,;:!?)]}")) for found in _URL.finditer(line)] if "://" in line else []


MOST_ENTRIES = 1_000  # of a feed
_ENTRY = lazy_pattern(r"</(?:[\w.-]{1,40}:)?(?:item|entry)\s*>", re.IGNORECASE)


def feed_text(body: bytes, declared: str | None = None) -> str:
    """The text of a feed for its reader: decoded, unpacked if it is gzip, from its root on, without entries beyond the first 1,000."""
    body = inflated(body, MOST_BYTES) if body.startswith(GZIP) else body
    text = _from_root(decode(body[:MOST_BYTES], declared)[0])
    ends = [found.end() for found in _ENTRY.finditer(text)]
    return text[: ends[MOST_ENTRIES - 1]] + text[ends[-1] :] if len(ends) > MOST_ENTRIES else text


LONGEST_CAPTION = 400
MOST_LISTED = 50_000  # URLs of a sitemap, by its standard
MOST_LIST_BYTES = 52_428_800  # unpacked, by the same
MOST_CHILDREN = 100  # sitemaps that an index names
_PIECE_BYTES = 1 << 18
_LONGEST_PIECE = 8 << 20  # characters; an entry that is longer is cut
_HOLDERS = frozenset({"url", "sitemap"})
_ROOT_TAG = lazy_pattern(r"<(?:[\w.-]{1,40}:)?(?:urlset|sitemapindex)\b[^>]{0,5000}>", re.IGNORECASE)
_ENTRY_END = lazy_pattern(r"</(?:[\w.-]{1,40}:)?(?:url|sitemap)\s*>", re.IGNORECASE)
_LINE_END = lazy_pattern(r"[\r\n]")
_SCHEMES = ("http://", "https://")
_LOOK_LINES, _LOOK_CHARACTERS = 20, 50_000  # by which a list of URLs is recognised


def read_sitemap(body: bytes, declared: str | None = None) -> Extract:
    """Sitemap or index of sitemaps: a list of links, 50,000 at most, with titles of news and captions.

    UnreadableError when it is no XML.
    """
    pieces = _whole_pieces(_text_pieces(body, declared), _ENTRY_END)
    first = _from_root(next(pieces, ""))
    root = _parsed(first)
    tag = _ROOT_TAG.search(first)
    found = _listed(chain(entries(root), _further_entries(tag[0] if tag else "", pieces)))
    if name_of(root) == "sitemapindex":
        found.listings = [url for _, url in found.parts if url][:MOST_CHILDREN]
    return found


def _further_entries(root_tag: str, pieces: Iterator[str]) -> Iterator[Part]:
    """The entries in the pieces of a sitemap after the first; those that are no XML are left out."""
    for piece in pieces:
        with suppress(UnreadableError):
            yield from entries(_parsed(root_tag + piece))


def _listed(found: Iterable[Part]) -> Extract:
    """The extract of a long list of links: as many as a page may have, and further ones."""
    page: list[Part] = []
    more: list[Part] = []
    links = 0
    for text, url in found:
        if links < MOST_LINKS:
            page.append((text, url))
        elif url:
            more.append((tidy(text[:LONGEST_PART])[:LONGEST_CAPTION], url.strip()))
        links += bool(url)
        if links >= MOST_LISTED:
            break
    return Extract(parts=bounded(page), is_hub=True, more=more)


def _text_pieces(body: bytes, declared: str | None) -> Iterator[str]:
    """The text of a body, unpacked if it is gzip, in pieces; decoded as its first piece is."""
    decoder: codecs.IncrementalDecoder | None = None
    for piece in _byte_pieces(body):
        if decoder is None:
            _, encoding = decode(piece, declared)
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            yield decoder.decode(piece).removeprefix("\ufeff")
        else:
            yield decoder.decode(piece)


def _byte_pieces(body: bytes) -> Iterator[bytes]:
    """The bytes of a body, unpacked if it is gzip; of a damaged one those before the damage. At most MOST_LIST_BYTES."""
    if not body.startswith(GZIP):
        for begin in range(0, min(len(body), MOST_LIST_BYTES), _PIECE_BYTES):
            yield body[begin : begin + _PIECE_BYTES]
        return
    left = MOST_LIST_BYTES
    with suppress(OSError, EOFError, zlib.error), gzip.GzipFile(fileobj=BytesIO(body)) as packed:
        while left > 0 and (piece := packed.read1(min(left, _PIECE_BYTES))):
            yield piece
            left -= len(piece)


def _whole_pieces(pieces: Iterable[str], end: re.Pattern[str]) -> Iterator[str]:
    """The same text in pieces that end where an entry ends."""
    held = ""
    for piece in pieces:
        held += piece
        if len(held) < _PIECE_BYTES:
            continue
        cut = max((found.end() for found in end.finditer(held)), default=0)
        cut = len(held) if not cut and len(held) > _LONGEST_PIECE else cut
        if cut:
            yield held[:cut]
            held = held[cut:]
    if held:
        yield held


def entries(root: Iterable[etree._Element]) -> Iterator[Part]:
    """Yield headline and URL, as written, of each page or sitemap listed; then the caption of the page's picture, without a URL."""
    for holder in root:
        if name_of(holder) in _HOLDERS and (url := _place(holder)):
            titles = [each for each in holder.iter(etree.Element) if name_of(each) == "title"]
            # films have titles of their own
            titles.sort(key=lambda title: name_of(title.getparent()) != "news")
            yield next(filter(None, map(_text, titles)), ""), url
            captions = (
                _text(each)[:LONGEST_CAPTION]
                for each in holder.iter(etree.Element)
                if name_of(each) == "caption"
            )
            if caption := next(filter(None, captions), ""):
                yield caption, ""


def _place(holder: etree._Element) -> str:
    """The URL of an entry, or "". Its pictures and films have URLs too: deeper, or with a prefix."""
    places = [child for child in holder if name_of(child) == "loc"]
    places.sort(key=lambda place: _space(place) != _space(holder))
    return next(filter(None, map(_text, places)), "")


def _space(element: etree._Element) -> str:
    """The namespace of an element, or its prefix, if that is not declared."""
    return str(element.tag)[: -len(name_of(element))]


def _text(element: etree._Element) -> str:
    return tidy("".join([element.text or "", *(child.tail or "" for child in element)]))
