"""Reads one WARC file: lists where its responses begin, and reads each on demand.

`WarcFile`: a file of gigabytes is read by offset only. The file of a killed crawl ends in the middle of a record: its whole
records are used, and `damage` says what is wrong with its end.

`plain` decodes a body however it was stored. A WARC file should have the bytes of the connection, chunked and compressed, but many
writers store the decoded body with the old headers. So each header is tried, and applied only when it fits the bytes.
"""

from __future__ import annotations

import gzip
import io
import weakref
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fastwarc.stream_io import BrotliReader, ZstdReader
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from topiccrawler.errors import ReplayError, file_faults

MAX_BODY_BYTES = 64 * 1024 * 1024  # the most that a decompression bomb of a few kB may expand to
_GONE = (b"transfer-encoding", b"content-encoding", b"content-length")

Headers = list[tuple[bytes, bytes]]


def plain(headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """The decoded body, and the headers that fit it."""
    for coding in _codings(headers, b"transfer-encoding"):
        body = _dechunked(body) if coding == b"chunked" else _unpacked(coding, body)
    for coding in _codings(headers, b"content-encoding"):
        body = _unpacked(coding, body)
    return [*without_codings(headers), (b"Content-Length", b"%d" % len(body))], body


def without_codings(headers: Headers) -> Headers:
    """The headers without those that say how the body is stored."""
    return [(name, value) for name, value in headers if name.lower() not in _GONE]


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
    try:
        if coding in (b"gzip", b"x-gzip"):
            return _gunzipped(body)
        if coding == b"deflate":
            try:
                return zlib.decompressobj(15).decompress(body, MAX_BODY_BYTES)
            except zlib.error:
                return zlib.decompressobj(-15).decompress(body, MAX_BODY_BYTES)
        if coding == b"br":
            return bytes(BrotliReader(io.BytesIO(body)).read(MAX_BODY_BYTES))
        if coding == b"zstd":
            return bytes(ZstdReader(io.BytesIO(body)).read(MAX_BODY_BYTES))
    except (zlib.error, OSError, ValueError, EOFError):
        pass  # stored decoded, with its old header
    return body


def _gunzipped(body: bytes) -> bytes:
    """The text of all gzip members; what follows them is ignored."""
    first = zlib.decompressobj(31)
    parts = [first.decompress(body, MAX_BODY_BYTES)]
    if first.unused_data:
        room, others = MAX_BODY_BYTES - len(parts[0]), gzip.GzipFile(fileobj=io.BytesIO(first.unused_data))
        try:
            while room > 0 and (part := others.read1(room)):
                parts.append(part)
                room -= len(part)
        except (OSError, EOFError, zlib.error):
            pass  # no member, or one that is cut off
    return b"".join(parts)


_ANSWERS = WarcRecordType.response | WarcRecordType.revisit


@dataclass(frozen=True, slots=True)
class Entry:
    """A response in a WARC file, without its body."""

    url: str  # as recorded
    offset: int  # bytes
    status: int
    location: str | None  # the Location header of a redirect
    original: str = ""  # for a revisit record: the URL of the response that has its body


class WarcFile:
    """A file .warc, or .warc.gz with one gzip member a record, as the standard demands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ""  # why the end of the file could not be read; known after entries()
        with file_faults(ReplayError, path, "cannot be read", "name a .warc or .warc.gz file"):
            self._file = path.open("rb", buffering=0)
        weakref.finalize(self, self._file.close)

    def entries(self) -> Iterator[Entry]:
        """Yield the responses in one pass over the file. The last one is included only if its record is whole."""
        last: Entry | None = None
        offset = -1
        try:
            for record in ArchiveIterator(self._file, record_types=_ANSWERS, parse_http=False):
                if record.stream_pos == offset:
                    fault = "one gzip member holds several records"
                    raise ReplayError(str(self.path), fault, "repack it: `warcio recompress FILE NEW`")
                offset = record.stream_pos
                entry = _entry(record)
                if entry is not None:
                    if last is not None:
                        yield last
                    last = entry
        except OSError as error:
            self.damage = str(error)
        if last is None:
            return
        if self._is_whole(last.offset):
            yield last
        else:
            self.damage = self.damage or "its last record is cut off"

    def read(self, offset: int) -> tuple[int, Headers, bytes]:
        """Status, headers and body of the response at a byte offset; the body as it is stored. ReplayError when it cannot be read."""
        fault = "no HTTP response there"
        try:
            record = self._record_at(offset)
            status = _status(record) if record else None
            if record and status is not None:
                stored = [(bytes(name), bytes(value)) for name, value in record.http_headers.items_bytes()]
                return status, stored, bytes(record.reader.read())
        except OSError as error:
            fault = str(error)
        what = f"the record at byte {offset} cannot be read ({fault})"
        raise ReplayError(str(self.path), what, "record the file again, or leave it out")

    def _record_at(self, offset: int) -> WarcRecord | None:
        self._file.seek(offset)
        return next(ArchiveIterator(self._file, record_types=_ANSWERS, parse_http=False), None)

    def _is_whole(self, offset: int) -> bool:
        try:
            record = self._record_at(offset)
            return record is not None and len(record.reader.read()) == record.content_length
        except OSError:
            return False


def _entry(record: WarcRecord) -> Entry | None:
    status = _status(record)
    if status is None:
        return None
    url = (record.headers.get("WARC-Target-URI") or "").strip("<> ")
    location = _location(record) if 300 <= status < 400 else None
    original = ""
    if record.record_type == WarcRecordType.revisit:
        original = (record.headers.get("WARC-Refers-To-Target-URI") or "").strip("<> ")
        if not original:
            return None
    return Entry(url, record.stream_pos, status, location, original)


def _location(record: WarcRecord) -> str | None:
    """The Location header, its bytes that are not ASCII percent-encoded as Scrapy does: a server may send them in any charset."""
    for name, value in record.http_headers.items_bytes():
        if bytes(name).lower() == b"location":
            return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in bytes(value))
    return None


def _status(record: WarcRecord) -> int | None:
    """Parse the HTTP head of a record. Returns its status, or None when there is none."""
    if not record.is_http:
        return None
    try:
        record.parse_http(quirks_mode=True)
    except OSError:
        return None
    return record.http_headers.status_code if record.http_headers is not None else None
