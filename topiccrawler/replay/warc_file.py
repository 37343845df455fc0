"""Reads one WARC file: lists where its responses begin, and reads each on demand.

`WarcFile`: a file of gigabytes is read by offset only. The file of a killed crawl ends in the middle of a record: its whole
records are used, and `damage` says what is wrong with its end. Records are read by archive_records, whatever program wrote them.

`plain` decodes a body however it was stored. A WARC file should have the bytes of the connection, chunked and compressed, but many
writers store the decoded body with the old headers. So each header is tried, and applied only when it fits the bytes.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fastwarc.stream_io import BrotliReader, ZstdReader
from fastwarc.warc import WarcRecord, WarcRecordType

from topiccrawler.errors import ReplayError
from topiccrawler.replay.archive_records import ArchiveRecords, field

MAX_BODY_BYTES = 64 * 1024 * 1024  # the most that a decompression bomb of a few kB may expand to
_PIECE_BYTES = 65_536
_GONE = (b"transfer-encoding", b"content-encoding", b"content-length")

Headers = list[tuple[bytes, bytes]]


def plain(headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """The decoded body, and the headers that fit it."""
    for name in (b"transfer-encoding", b"content-encoding"):
        for coding in _codings(headers, name):
            body = _dechunked(body) if coding == b"chunked" else _unpacked(coding, body)
    return [*without_codings(headers), (b"Content-Length", b"%d" % len(body))], body


def without_codings(headers: Headers) -> Headers:
    """The headers without those that say how the body is stored."""
    return [(name, value) for name, value in headers if name.lower() not in _GONE]


def target_of(status: int, headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The Location header of a redirect, its bytes that are not ASCII percent-encoded as Scrapy does: a server may send them in any
    charset."""
    for name, value in headers if 300 <= status < 400 else ():
        if bytes(name).lower() == b"location":
            return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in bytes(value))
    return None


def _codings(headers: Headers, wanted: bytes) -> list[bytes]:
    """The codings of a header, in the order in which they must be decoded."""
    values = [value for name, value in headers if name.lower() == wanted]
    return [coding.strip().lower() for coding in b",".join(values).split(b",")][::-1]


def _dechunked(body: bytes) -> bytes:
    parts: list[bytes] = []
    at = 0
    while True:
        line_end = body.find(b"\r\n", at, at + 1024)
        try:
            size = int(body[at:line_end].split(b";")[0], 16) if line_end >= 0 else -1
        except ValueError:
            size = -1
        if size < 0:  # not chunked, or cut off in the middle
            return b"".join(parts) if parts else body
        if size == 0:
            return b"".join(parts)
        parts.append(body[line_end + 2 : line_end + 2 + size])
        at = line_end + 2 + size + 2


def _unpacked(coding: bytes, body: bytes) -> bytes:
    """As much of the body as can be decoded; the body itself if none can: it was stored decoded, with its old header."""
    source, parts, room = io.BytesIO(body), list[bytes](), MAX_BODY_BYTES
    readers = {b"br": BrotliReader, b"zstd": ZstdReader}
    try:
        if coding == b"deflate":
            return _inflated(body)
        if coding in {b"gzip", b"x-gzip"}:
            read = gzip.GzipFile(fileobj=source).read1
        else:
            read = readers[coding](source).read
        while room and (part := read(min(room, _PIECE_BYTES))):
            parts.append(part)
            room -= len(part)
    except (KeyError, zlib.error, OSError, ValueError, EOFError):
        pass  # another coding, a body that is cut off, or something behind it
    return b"".join(parts) or body


def _inflated(body: bytes) -> bytes:
    """The text of a zlib stream, or of a raw deflate stream as some servers send it."""
    try:
        return zlib.decompressobj(15).decompress(body, MAX_BODY_BYTES)
    except zlib.error:
        return zlib.decompressobj(-15).decompress(body, MAX_BODY_BYTES)


# "HTTP/1.1 200 OK"; other writers have `http/1.1 200`, `HTTP/2 200`, `h2 200`
_STATUS_LINE = re.compile(r"(?:http(?:/\d(?:\.\d)?)?|h[23]c?|icy)\s+(\d{3})(?!\d)", re.IGNORECASE)
_LEFT_OUT = {
    "conversion": "conversion records, which are no responses",
    "continuation": "continuation records, parts of split responses",
    "response": "records without the head of an HTTP response",
}


@dataclass(frozen=True, slots=True)
class Reference:
    """What a revisit record says of the record with its body; "" = not stated."""

    record_id: str
    digest: str  # of the payload
    url: str
    date: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A response in a WARC file, without its body."""

    url: str  # as recorded
    offset: int  # bytes
    status: int | None  # None: a revisit record without a head of its own, or one that says "not modified"
    location: str | None = None  # the Location header of a redirect
    original: Reference | None = None  # of a revisit record


class WarcFile:
    """A file .warc, .warc.gz, .arc or .arc.gz.

    `damage`: why the end of the file could not be read, or ""; `left_out`: the number of records of http(s) URLs that cannot be replayed,
    by reason. Both are known after entries().
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ""
        self.left_out = Counter[str]()
        self._records = ArchiveRecords(path)
        self._end: int | None = None  # offset of a last record that is cut off

    def entries(self) -> Iterator[Entry]:
        """Yield the responses in one pass over the file. The last one is included only if its record is whole."""
        last: Entry | str = ""
        offset: int | None = None
        for offset, record in self._records:
            yield from self._settled(last)
            last = _entry(offset, record)
        self.damage = self._records.damage
        if offset is None or self._is_whole(offset):
            yield from self._settled(last)
        else:
            self._end = offset
            self.damage = self.damage or "its last record is cut off"

    def _settled(self, found: Entry | str) -> Iterator[Entry]:
        """Yield an entry, or count why there is none."""
        if isinstance(found, Entry):
            yield found
        elif found:
            self.left_out[found] += 1

    def references(self) -> Iterator[tuple[int, Reference]]:
        """Yield offset, record id, payload digest, URL and date of each record with a body, in one pass over the file."""
        for offset, record in self._records:
            if offset == self._end:
                return
            if record.record_type != WarcRecordType.revisit:
                yield offset, Reference(*(field(record, name) for name in _IDENTITY))

    def read(self, offset: int) -> tuple[int | None, Headers, bytes]:
        """Status, headers and body of the response at a byte offset; the body as it is stored. ReplayError when it cannot be read.

        The status is None for a revisit record without a head.
        """
        fault = "no HTTP response there"
        try:
            record = self._records.at(offset)
            if record is not None and record.record_type == WarcRecordType.resource:
                return _RESOURCE_STATUS, _resource_headers(record), bytes(record.reader.read())
            status = _status(record) if record else None
            if record and (status is not None or record.record_type == WarcRecordType.revisit):
                headers = record.http_headers
                pairs = headers.items_bytes() if headers is not None else ()
                stored = [(bytes(name), bytes(value)) for name, value in pairs if name]
                return status, stored, bytes(record.reader.read())
        except OSError as error:
            fault = str(error)
        what = f"the record at byte {offset} cannot be read ({fault})"
        raise ReplayError(str(self.path), what, "record the file again, or leave it out")

    def _is_whole(self, offset: int) -> bool:
        try:
            record = self._records.at(offset)
            return record is not None and len(record.reader.read()) == int(field(record, "Content-Length"))
        except (OSError, ValueError):
            return False


_RESOURCE_STATUS = 200
_NOT_MODIFIED = 304
_IDENTITY = "WARC-Record-ID", "WARC-Payload-Digest", "WARC-Target-URI", "WARC-Date"
_REFERENCE = "WARC-Refers-To", "WARC-Payload-Digest", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"


def _entry(offset: int, record: WarcRecord) -> Entry | str:
    """The entry of a record, or why it cannot be replayed; "" for a URL that is not of http(s)."""
    url = field(record, "WARC-Target-URI")
    if not url.lower().startswith(("http://", "https://")):
        return ""
    kind = str(record.record_type)
    if kind == "resource":
        return Entry(url, offset, _RESOURCE_STATUS)
    status = _status(record) if kind in {"response", "revisit"} else None
    original = None
    if kind == "revisit":
        original = Reference(*(field(record, name) for name in _REFERENCE))
        status = None if status == _NOT_MODIFIED else status
    elif status is None:
        return _LEFT_OUT[kind]
    location = None if status is None else target_of(status, record.http_headers.items_bytes())
    return Entry(url, offset, status, location, original)


def _resource_headers(record: WarcRecord) -> Headers:
    """The headers of a resource record, whose body was recorded without those of HTTP."""
    form = field(record, "Content-Type")
    return [(b"Content-Type", form.encode("latin-1", "replace"))] if form else []


def _status(record: WarcRecord) -> int | None:
    """Parse the HTTP head of a record. Returns its status, or None when there is none."""
    record.is_http = True  # some writers leave out the Content-Type, or spell it their own way
    try:
        record.parse_http(quirks_mode=True)
    except OSError:
        return None
    found = _STATUS_LINE.match(getattr(record.http_headers, "status_line", None) or "")
    return int(found[1]) if found else None
