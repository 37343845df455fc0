"""Recognises the format of a body, finds its reader, and defines what readers return. CONTRIBUTING.md and docs/parts.md say how to add a
format.

`recognise` decides by the first bytes. Content-Type and file name are often wrong (a workbook served as text/html), so the declaration
counts only where the bytes say nothing. Nearly all bodies are HTML, which takes microseconds. Formats of other packages are tried if ours
do not recognise the bytes.

`Extract` is what a reader returns: paragraphs and links in order. Title, words, relevance, links and contexts are all computed from HTML.
So an extract is written as a small HTML page, and this is read as any other page.

`FormatReader` is the protocol for formats of other packages.
"""

from __future__ import annotations

import html
import json
import logging
import re
import zipfile
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from io import BytesIO
from types import MappingProxyType
from typing import Any, Protocol

from topiccrawler.entry_points import named, part
from topiccrawler.errors import StateError
from topiccrawler.patterns import lazy_pattern

logger = logging.getLogger(__name__)

MOST_CHARACTERS = 500_000
MOST_PARTS = 20_000
MOST_LINKS = 5_000  # as many as the traversal of a page keeps
LONGEST_PART = 20_000
LONGEST_FIELD = 1_000

_SPACE = re.compile(r"\s+")
UNWRITTEN = lazy_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")

Part = tuple[str, str]  # text, and the URL that it links to; one of them may be empty


class UnreadableError(Exception):
    """A file of a known format cannot be read: damaged, locked, too large or too slow. The text says why."""


@dataclass(slots=True)
class Extract:
    """The content of a file of any format: title, properties, and text with links in order."""

    title: str = ""
    parts: list[Part] = field(default_factory=list)
    keywords: str = ""
    description: str = ""
    author: str = ""
    published: str = ""  # as the file has it; pages.metadata parses it
    is_hub: bool = False  # a list of links (feed, sitemap): it has no main text
    # further links of a long list, which are no part of the page
    more: list[Part] = field(default_factory=list)
    listings: list[str] = field(default_factory=list)  # URLs of sitemaps that an index of sitemaps names

    def main_text(self) -> str:
        """The paragraphs, one a line; "" for a list of links."""
        return "" if self.is_hub else "\n".join(text for text, _ in self.parts if text)

    def as_html(self) -> str:
        """An HTML page with the same content."""
        metas = {
            "keywords": self.keywords,
            "description": self.description,
            "author": self.author,
            "pubdate": self.published,
        }
        head = "".join(
            f'<meta name="{name}" content="{html.escape(text)}">' for name, text in metas.items() if text
        )
        parts = ((html.escape(text), html.escape(url)) for text, url in self.parts)
        body = "\n".join(
            f'<p><a href="{url}">{text}</a></p>' if url else f"<p>{text}</p>" for text, url in parts
        )
        return f"<html><head><title>{html.escape(self.title)}</title>{head}</head><body>{body}</body></html>"

    def bounded(self) -> Extract:
        """A copy as plain text, cut to the limits."""
        names = ("title", "keywords", "description", "author", "published")
        texts: dict[str, Any] = {name: tidy(getattr(self, name))[:LONGEST_FIELD] for name in names}
        return Extract(parts=bounded(self.parts), is_hub=bool(self.is_hub), **texts)

    def as_json(self) -> str:
        """The extract as JSON, for the pipe between processes."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: bytes) -> Extract:
        """The extract that `as_json` wrote."""
        found = json.loads(line)
        parts = {name: [(str(text), str(url)) for text, url in found[name]] for name in ("parts", "more")}
        return cls(**{**found, **parts})


def tidy(text: object) -> str:
    """Any value as one line of text without control characters; "" for None."""
    return _SPACE.sub(" ", UNWRITTEN.sub("", "" if text is None else str(text))).strip()


def bounded(parts: Iterable[tuple[str, str]]) -> list[Part]:
    """The first parts that are not empty, up to the limits of number and length. A lazy iterable is read no further."""
    kept: list[Part] = []
    characters = links = 0
    for raw, url in parts:
        text = tidy(raw[:LONGEST_PART])
        links += bool(url)
        if (text or url) and (not url or links <= MOST_LINKS):
            kept.append((text, url.strip()))
        characters += len(text)
        if characters >= MOST_CHARACTERS or len(kept) >= MOST_PARTS:
            break
    return kept


def joined_lines(lines: Iterable[str]) -> list[str]:
    """The paragraphs of a text whose lines were broken to fit a page: a nearly full line continues in the next one."""
    tidied = [line for line in map(tidy, lines) if line]
    full = 0.8 * max(map(len, tidied), default=0)
    paragraphs: list[str] = []
    open_end = False
    for line in tidied:
        if open_end and len(paragraphs[-1]) < LONGEST_PART:
            glue = " " if paragraphs[-1][-1].isascii() and line[0].isascii() else ""
            paragraphs[-1] += glue + line
        else:
            paragraphs.append(line)
        open_end = len(line) >= full and line[-1] not in "。！？!?：:；;"
    return paragraphs


# Of lxml: no entity is expanded, no other file is read, and what follows an error is read too.
XML_PARSER = {
    **dict.fromkeys(("resolve_entities", "load_dtd", "huge_tree"), False),
    **dict.fromkeys(("no_network", "recover", "remove_comments", "remove_pis"), True),
}
HTML = "html"
SITEMAP = "sitemap"
MEDIA = "media"  # pictures, sound, film, fonts: recorded where they are linked, never read
UNKNOWN = "unknown"

FAULT = b"!"  # begins an answer of the worker process that says why there are no more pieces
GROUP = "topiccrawler.formats"  # entry points of other packages; each is a FormatReader
FEED = "feed"
IN_PROCESS = ("text", "sitemap")
FILES = ("pdf", "docx", "xlsx", "pptx", FEED)  # modules of this package
OTHERS = named(GROUP, (HTML, MEDIA, UNKNOWN, *IN_PROCESS, *FILES))
IN_WORKER = (*FILES, *OTHERS)  # read in the worker process (worker.py)
READ = frozenset({HTML, *IN_PROCESS, *IN_WORKER})


class FormatReader(Protocol):
    """The format of another package: a module, or any other object with these functions."""

    def recognises(self, head: bytes, content_type: str) -> bool:
        """Whether a body has this format. `head`: its first HEAD_BYTES. Called in the crawl's process, if none of our formats matches."""

    def read(self, body: bytes) -> Extract:
        """The extract of a file. Called in the worker process, within its limits. Any exception means that the file is unreadable."""


def reader_of_package(name: str) -> FormatReader:
    """The reader of a format of OTHERS; StateError when it cannot be imported or is not a FormatReader."""
    reader: FormatReader = part(OTHERS[name], f"format {name!r}", StateError, members=("recognises", "read"))
    return reader


_FAULTY = set[str]()  # formats of OTHERS that failed once, and are not called again


GZIP = b"\x1f\x8b"  # the first bytes
HEAD_BYTES = 2048
PROLOG_BYTES = 1 << 16  # in which the root of XML is looked for
MOST_MEMBERS = 20_000

_MAIN_PART = re.compile(r"(word/document|xl/workbook|ppt/presentation)\d{0,3}\.xml")
_OFFICE_FOLDERS = MappingProxyType({"word": "docx", "xl": "xlsx", "ppt": "pptx"})
_MEDIA_MAGIC = (
    b"\x89PNG\r\n",
    b"\xff\xd8\xff",
    b"GIF8",
    b"RIFF",
    b"OggS",
    b"ID3",
    b"\x1aE\xdf\xa3",
    b"wOFF",
    b"wOF2",
)
_OFFICE_BEFORE_2007 = b"\xd0\xcf\x11\xe0"
_PACKED_MAGIC = (b"Rar!", b"7z\xbc\xaf", b"BZh", b"\xfd7zXZ", b"MZ", b"\x7fELF", b"FWS", b"CWS", b"{\\rtf")
_BYTE_ORDER_MARKS = (BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE, b"\x84\x31\x95\x33")
_WIDE_MARKUP = (BOM_UTF16_LE, BOM_UTF16_BE, b"<\0", b"\0<")  # of UTF-16
_MARKUP = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|table|div|a|p|frameset|link|h[1-6]|br|iframe)\b",
    re.IGNORECASE,
)
# What may stand before the root of XML. Comments of their makers have kilobytes. No possessive group: Python 3.11.0 to 3.11.4 matches
# one wrongly if something in it backtracks (gh-106052).
_PROLOG = re.compile(
    rb"(?:\s++|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\]\s*+)?>)*",
    re.IGNORECASE,
)
_NAME = rb"(?:[\w.-]{1,40}:)?(\w{1,20})"
_ROOT = re.compile(rb"<" + _NAME + rb"[\s>]")
_ROOTS = MappingProxyType(
    {
        **dict.fromkeys((b"rss", b"feed", b"rdf", b"channel", b"search"), "feed"),
        **dict.fromkeys((b"urlset", b"sitemapindex"), "sitemap"),
    }
)
# A root behind other text, such as a message of the server's PHP. `channel` and `search` are too common to be found anywhere.
_LATE_ROOT = re.compile(
    rb"<(?:[\w.-]{1,40}:)?(rss|feed|rdf|urlset|sitemapindex)\s[^<>]{0,4000}(?:xmlns|version)", re.IGNORECASE
)
_PAGE = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|pre|code|textarea|xmp|script|template)\b", re.IGNORECASE
)
_JSON_FEED = re.compile(
    rb"\"version\"\s*:\s*\"https?:(?:\\?/){2}(?:www\.)?jsonfeed\.org\\?/version", re.IGNORECASE
)
_URL_LINE = re.compile(rb"\s*https?://\S", re.IGNORECASE)  # a list of URLs begins so
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))


def recognise(body: bytes, content_type: str = "") -> str:
    """The name of a body's format; `unknown` if no reader reads it. Never raises. `content_type`: the header's value."""
    head = body[:HEAD_BYTES]
    found = _packed(body, head) or _by_magic(head) or _by_markup(body[:PROLOG_BYTES])
    if OTHERS and found in {"", MEDIA, UNKNOWN}:
        found = _by_others(head, content_type) or found
    return found or _declared(head, content_type)


def _by_others(head: bytes, content_type: str) -> str:
    """The first format of another package that recognises a body, or "". One that raises is logged and not called again."""
    for name in OTHERS:
        if name not in _FAULTY:
            try:
                if reader_of_package(name).recognises(head, content_type):
                    return name
            except Exception as fault:  # noqa: BLE001 strangers' code, which must not stop a crawl
                _FAULTY.add(name)
                reason = fault if isinstance(fault, StateError) else f"format {name!r}: {fault!r}"
                logger.warning("%s; the format is not read", reason)
    return ""


def _packed(body: bytes, head: bytes) -> str:
    """The format of a PDF, zip or gzip body, by its content; "" for others."""
    if head.startswith(b"%PDF-") or (b"%PDF-" in head[:1024] and not _MARKUP.search(head, 0, 1024)):
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _office(body)
    if head.startswith(GZIP):
        inside = inflated(body, PROLOG_BYTES).removeprefix(BOM_UTF8)
        return _root(inside) or ("text" if _URL_LINE.match(inside) else UNKNOWN)
    return ""


def _by_magic(head: bytes) -> str:
    kind = MEDIA if head.startswith(_MEDIA_MAGIC) or head[4:8] == b"ftyp" else ""
    if head.startswith((_OFFICE_BEFORE_2007, *_PACKED_MAGIC)):
        kind = UNKNOWN
    return "" if kind and _MARKUP.search(head) else kind


def _by_markup(start: bytes) -> str:
    if start.startswith(_WIDE_MARKUP):
        start = start[2 * (start[0] > 0x7F) :].replace(b"\0", b"")
    start = start.removeprefix(BOM_UTF8)
    found = _root(start) or (HTML if _MARKUP.search(start, 0, HEAD_BYTES) else "")
    return found or ("text" if _is_url_list(start[:HEAD_BYTES]) else "")


def _is_url_list(head: bytes) -> bool:
    """Whether a text begins with a URL, and most of its lines are URLs."""
    lines = [line.split() for line in head.splitlines() if line.strip()] if _URL_LINE.match(head) else []
    return sum(len(line) == 1 and bool(_URL_LINE.match(line[0])) for line in lines) * 2 > len(lines)


def _declared(head: bytes, content_type: str) -> str:
    """The format by the declared Content-Type, for a body without known bytes or markup; `unknown` for bytes that are not text."""
    declared = content_type.partition(";")[0].strip().lower()
    if _is_binary(head):
        return UNKNOWN
    if declared.startswith(("image/", "audio/", "video/", "font/")):
        return MEDIA
    if declared.startswith("text/plain"):
        return "text"
    return HTML if not declared or "html" in declared or "xml" in declared else UNKNOWN


def inflated(body: bytes, most: int) -> bytes:
    """The first `most` bytes of a gzip body, unpacked; fewer when it is cut off, none when it is damaged."""
    try:
        return zlib.decompressobj(31).decompress(body, most)
    except zlib.error:
        return b""


def _root(start: bytes) -> str:
    """The format by the name of the root element of XML, or of JSON Feed; "" for any other text."""
    begin = root_place(start)
    found = _ROOT.match(start, begin)
    if found and found[1].lower() in _ROOTS:
        return _ROOTS[found[1].lower()]
    return "feed" if start[:HEAD_BYTES].lstrip().startswith(b"{") and _JSON_FEED.search(start) else ""


def root_place(start: bytes) -> int:
    """Where the root element of XML begins: after a prolog, or after other text, if a feed or a sitemap follows that is no part of a page."""
    prolog = _PROLOG.match(start)
    begin = prolog.end() if prolog else 0
    found = _ROOT.match(start, begin)
    if found and (found[1].lower() in _ROOTS or _PAGE.match(start, begin)):
        return begin
    late = _LATE_ROOT.search(start, begin)
    return late.start() if late and not _PAGE.search(start, begin, late.start()) else begin


def _office(body: bytes) -> str:
    """The format of an Office file, which is a zip, by the name of its main part; `unknown` for other zips."""
    try:
        with zipfile.ZipFile(BytesIO(body)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError, IndexError):
        return UNKNOWN
    if len(names) > MOST_MEMBERS:
        return UNKNOWN
    main = main_part(name.replace("\\", "/").lower() for name in names)
    return _OFFICE_FOLDERS.get(main.partition("/")[0], UNKNOWN)


def main_part(names: Iterable[str]) -> str:
    """The name of the main part of an Office file among the names of its parts, in lower case; "" without one."""
    return min(filter(_MAIN_PART.fullmatch, names), default="")


def _is_binary(head: bytes) -> bool:
    """Whether more than a thirtieth of the bytes are control characters, and it is not UTF-16 (a quarter or more zeros, at every second
    byte)."""
    if head.startswith(_BYTE_ORDER_MARKS) or not head:
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls * 30 <= len(head):
        return False
    even, odd = head[::2], head[1::2]
    wide = min(even.count(0), odd.count(0)) * 20 <= len(head) and head.count(0) * 4 >= len(head)
    return not wide
