"""Recognises the format of a body, names its reader, and says what a reader gives. CONTRIBUTING.md and docs/parts.md say how to add a format.

Content-Type and file name are often wrong (a workbook served as text/html): the first bytes decide, and the declaration
only where they say nothing. Nearly all bodies are HTML, which takes microseconds. Formats of other packages are asked where ours do not
recognise the bytes.

Title, words, relevance, links and contexts are all made for HTML. So a reader gives an Extract, paragraphs and links in order, and
this is written as a small HTML page that is read as any other.
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
from typing import Protocol

from topiccrawler.entry_points import named, part
from topiccrawler.errors import StateError

logger = logging.getLogger(__name__)

MOST_CHARACTERS = 500_000
MOST_PARTS = 20_000
MOST_LINKS = 5_000  # as many as the traversal of a page keeps
LONGEST_PART = 20_000
LONGEST_FIELD = 1_000

_SPACE = re.compile(r"\s+")
_UNWRITTEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")

Part = tuple[str, str]  # text, and the URL it leads to; one of them may be empty


class UnreadableError(Exception):
    """A file of a known format that gives nothing: damaged, locked, too large or too slow. The text says why."""


@dataclass(slots=True)
class Extract:
    """A document of any format."""

    title: str = ""
    parts: list[Part] = field(default_factory=list)
    keywords: str = ""
    description: str = ""
    author: str = ""
    published: str = ""  # as the file says it; pages.metadata reads it
    is_hub: bool = False  # a list of links (feed, sitemap): it has no main text

    def main_text(self) -> str:
        """Paragraphs, one a line; empty for a list of links."""
        return "" if self.is_hub else "\n".join(text for text, _ in self.parts if text)

    def as_html(self) -> str:
        """A page with the same content."""
        metas = (
            ("keywords", self.keywords),
            ("description", self.description),
            ("author", self.author),
            ("pubdate", self.published),
        )
        head = "".join(f'<meta name="{name}" content="{html.escape(text)}">' for name, text in metas if text)
        body = "\n".join(
            f'<p><a href="{html.escape(url)}">{html.escape(text)}</a></p>'
            if url
            else f"<p>{html.escape(text)}</p>"
            for text, url in self.parts
        )
        return f"<html><head><title>{html.escape(self.title)}</title>{head}</head><body>{body}</body></html>"

    def bounded(self) -> Extract:
        """The same as plain text within the limits."""
        names = ("title", "keywords", "description", "author", "published")
        fields = {name: tidy(getattr(self, name))[:LONGEST_FIELD] for name in names}
        return Extract(**fields, parts=bounded(self.parts), is_hub=bool(self.is_hub))

    def as_json(self) -> str:
        """One line, for the pipe between processes."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str | bytes) -> Extract:
        """What `as_json` wrote; ValueError, TypeError or KeyError when it did not."""
        found = json.loads(line)
        return cls(**{**found, "parts": [(str(text), str(url)) for text, url in found["parts"]]})


def tidy(text: object) -> str:
    """One line without control characters."""
    return _SPACE.sub(" ", _UNWRITTEN.sub("", str(text or ""))).strip()


def bounded(parts: Iterable[tuple[str, str]]) -> list[Part]:
    """The first parts that are worth keeping, up to the limits; a lazy iterable is read no further."""
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
    """Paragraphs of text whose lines were broken to fit a page: a nearly full line goes on in the next one."""
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


HTML = "html"
MEDIA = "media"  # pictures, sound, film, fonts: recorded where they are linked, never read
UNKNOWN = "unknown"

GROUP = "topiccrawler.formats"  # entry points of other packages, which are a FormatReader each
IN_PROCESS = ("text", "feed", "sitemap")
OFFICE = ("pdf", "docx", "xlsx", "pptx")  # modules of this package
OTHERS = named(GROUP, (HTML, MEDIA, UNKNOWN, *IN_PROCESS, *OFFICE))
IN_WORKER = (*OFFICE, *OTHERS)  # read in a process of their own (worker.py)
READ = frozenset({HTML, *IN_PROCESS, *IN_WORKER})


class FormatReader(Protocol):
    """A format of another package: a module, or anything else that has these."""

    def recognises(self, head: bytes, content_type: str) -> bool:
        """`head`: the first HEAD_BYTES of a body. Called in the crawl's own process, for bodies that none of our formats has for its own."""

    def read(self, body: bytes) -> Extract:
        """Called in the process that reads PDFs, under its limits of time and memory; whatever it raises is why the file is unreadable."""


def reader_of_package(name: str) -> FormatReader:
    """One of OTHERS; StateError when it cannot be imported or is none."""
    reader: FormatReader = part(OTHERS[name], f"format {name!r}", StateError, members=("recognises", "read"))
    return reader


_FAULTY = set[str]()  # of OTHERS: not asked any more


HEAD_BYTES = 2048
MOST_MEMBERS = 20_000

_MAIN_PARTS = MappingProxyType(
    {"word/document.xml": "docx", "xl/workbook.xml": "xlsx", "ppt/presentation.xml": "pptx"}
)
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
_MARKUP = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|table|div|a|p|frameset|link|h[1-6]|br|iframe)\b",
    re.IGNORECASE,
)
_ROOT = re.compile(
    rb"\s*(?:<\?[^>]{0,300}>\s*|<!--(?:(?!-->)[\s\S]){0,1000}-->\s*|<!DOCTYPE[^>\[]{0,300}(?:\[[^\]]{0,1500}\]\s*)?>\s*)*+<(?:\w{1,20}:)?(\w{1,20})[\s>]",
    re.IGNORECASE,
)
_ROOTS = MappingProxyType(
    {
        **dict.fromkeys((b"rss", b"feed", b"rdf", b"search"), "feed"),
        **dict.fromkeys((b"urlset", b"sitemapindex"), "sitemap"),
    }
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))


def recognise(body: bytes, content_type: str = "") -> str:
    """The format's name; `unknown` for what no reader reads. Never raises."""
    head = body[:HEAD_BYTES]
    found = _packed(body, head) or _by_magic(head) or _by_markup(head)
    if OTHERS and found in {"", MEDIA, UNKNOWN}:
        found = _by_others(head, content_type) or found
    return found or _declared(head, content_type)


def _by_others(head: bytes, content_type: str) -> str:
    """The first that knows it. One that fails is a warning, and is not asked again."""
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
    """PDF, and containers recognised by their content."""
    if head.startswith(b"%PDF-") or (b"%PDF-" in head[:1024] and not _MARKUP.search(head, 0, 1024)):
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _office(body)
    if head.startswith(b"\x1f\x8b"):
        return "sitemap" if _root(inflated(body, HEAD_BYTES)) == "sitemap" else UNKNOWN
    return ""


def _by_magic(head: bytes) -> str:
    kind = MEDIA if head.startswith(_MEDIA_MAGIC) or head[4:8] == b"ftyp" else ""
    if head.startswith((_OFFICE_BEFORE_2007, *_PACKED_MAGIC)):
        kind = UNKNOWN
    return "" if kind and _MARKUP.search(head) else kind


def _by_markup(head: bytes) -> str:
    return _root(head) or (HTML if _MARKUP.search(head) else "")


def _declared(head: bytes, content_type: str) -> str:
    """Neither known bytes nor markup: the declaration decides, unless the bytes are no text."""
    declared = content_type.partition(";")[0].strip().lower()
    if _is_binary(head):
        return UNKNOWN
    if declared.startswith(("image/", "audio/", "video/", "font/")):
        return MEDIA
    if declared.startswith("text/plain"):
        return "text"
    return HTML if not declared or "html" in declared or "xml" in declared else UNKNOWN


def inflated(body: bytes, most: int) -> bytes:
    """The first `most` bytes of what is packed with gzip; what there is of it when it is damaged."""
    try:
        return zlib.decompressobj(31).decompress(body, most)
    except zlib.error:
        return b""


def _root(head: bytes) -> str:
    """The format that an XML root element belongs to."""
    found = _ROOT.match(head.removeprefix(BOM_UTF8))
    return _ROOTS.get(found[1].lower(), "") if found else ""


def _office(body: bytes) -> str:
    """Office files are zips; the name of the main part decides which."""
    try:
        with zipfile.ZipFile(BytesIO(body)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError, IndexError):
        return UNKNOWN
    if len(names) > MOST_MEMBERS:
        return UNKNOWN
    return next((kind for name, kind in _MAIN_PARTS.items() if name in names), UNKNOWN)


def _is_binary(head: bytes) -> bool:
    """More than a thirtieth control characters, and no UTF-16, of which a quarter or more is zeros beside text."""
    if head.startswith(_BYTE_ORDER_MARKS) or not head:
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls * 30 <= len(head):
        return False
    even, odd = head[::2], head[1::2]
    wide = min(even.count(0), odd.count(0)) * 20 <= len(head) and head.count(0) * 4 >= len(head)
    return not wide
