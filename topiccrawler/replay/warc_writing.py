"""Writes the requests and responses of a crawl to WARC files, which can be archived, shared and replayed.

Each record is a gzip member, flushed after each response, so the file of a killed crawl is readable to its last whole record. An existing
file is never changed: FILE.warc.gz is followed by FILE_00002.warc.gz, FILE_00003.warc.gz and so on, also when a job is resumed.
A body that was written before is not written again: a revisit record refers to the first response that had it.
"""

from __future__ import annotations

from base64 import b32encode
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

from topiccrawler.errors import ReplayError, file_faults, one_line

ENDING = ".warc.gz"
RESPONSE, REQUEST = "application/http; msgtype=response", "application/http; msgtype=request"
REMEMBERED_BODIES = 100_000  # bodies whose repetition is found; some 40 MB
DAY = "2020-01-01T00:00:00Z"  # of a web that is made up; the real time would not be reproducible
_IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_REMEDY = "make room, or name another file: WARC_OUT=FILE.warc.gz"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its response, as bytes of HTTP."""

    url: str
    seconds: float  # since the epoch
    request: bytes  # head and body
    head: bytes  # of the response, with the empty line
    body: bytes  # of the response, encoded as its head says
    status: int
    ip_address: str = ""
    is_cut_off: bool = False  # the connection ended before the body did


class WarcWriter:
    """Writes a series of WARC files of about `most_bytes` each. `info`: fields of the warcinfo record that begins each file.
    ReplayError when one cannot be written."""

    def __init__(self, path: Path, most_bytes: int, info: Mapping[str, str]) -> None:
        if not path.name.endswith(ENDING):
            raise ReplayError(f"WARC_OUT={path}", f"does not end with {ENDING}", f"name it FILE{ENDING}")
        with file_faults(ReplayError, f"WARC_OUT={path}", "its folder cannot be made", _REMEDY):
            path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.most_bytes, self.info = path, most_bytes, info
        self.revisits = self.written = 0  # numbers of responses
        self._number = 1
        self._file: BinaryIO | None = None
        self._bodies: OrderedDict[bytes, tuple[str, str]] = OrderedDict()  # digest -> URL and date

    def write(self, exchange: Exchange) -> None:
        """Write a response and its request."""
        with file_faults(ReplayError, f"WARC_OUT={self.path}", "cannot be written", _REMEDY):
            if self._file is not None and self._file.tell() >= self.most_bytes:
                self.close()
            if self._file is None:
                self._file = self._next()
            self._response(self._file, exchange)
            self._file.flush()

    def close(self) -> None:
        """Close the file; another `write` begins the next one."""
        if self._file is not None:
            with file_faults(ReplayError, f"WARC_OUT={self.path}", "cannot be written", _REMEDY):
                self._file.close()
            self._file = None

    def _next(self) -> BinaryIO:
        stem = self.path.name.removesuffix(ENDING)
        while True:
            name = f"{stem}{ENDING}" if self._number == 1 else f"{stem}_{self._number:05d}{ENDING}"
            self._number += 1
            try:
                file = self.path.with_name(name).open("xb")
            except FileExistsError:
                continue
            info = "".join(f"{key}: {one_line(value)}\r\n" for key, value in self.info.items())
            record = new_record(WarcRecordType.warcinfo, info.encode(), "application/warc-fields")
            record.headers["WARC-Filename"] = name
            put(file, record)
            return file

    def _response(self, file: BinaryIO, exchange: Exchange) -> None:
        digest = sha1(exchange.body, usedforsecurity=False).digest()
        date = iso(exchange.seconds)
        first = self._bodies.get(digest) if exchange.status == 200 and exchange.body else None
        kind = WarcRecordType.response if first is None else WarcRecordType.revisit
        block = exchange.head if first else exchange.head + exchange.body
        response = new_record(kind, block, RESPONSE, exchange.url, date)
        response.headers["WARC-Payload-Digest"] = f"sha1:{b32encode(digest).decode()}"
        if first is not None:
            response.headers["WARC-Profile"] = _IDENTICAL
            response.headers["WARC-Refers-To-Target-URI"], response.headers["WARC-Refers-To-Date"] = first
        if exchange.ip_address:
            response.headers["WARC-IP-Address"] = exchange.ip_address
        if exchange.is_cut_off:
            response.headers["WARC-Truncated"] = "disconnect"
        request = new_record(WarcRecordType.request, exchange.request, REQUEST, exchange.url, date)
        request.headers["WARC-Concurrent-To"] = response.headers["WARC-Record-ID"]
        put(file, response)
        put(file, request)
        self.written += 1
        self.revisits += first is not None
        if first is None and exchange.status == 200:
            self._bodies[digest] = exchange.url, date
            if len(self._bodies) > REMEMBERED_BODIES:
                self._bodies.popitem(last=False)


def new_record(
    kind: WarcRecordType, block: bytes, content_type: str, url: str = "", date: str = ""
) -> WarcRecord:
    """Create a record with this block, in version 1.1 of the standard."""
    record = WarcRecord()
    record.init_headers(record_type=kind)
    if date:
        record.headers["WARC-Date"] = date
    if url:
        record.headers["WARC-Target-URI"] = url
    record.headers["Content-Type"] = content_type
    record.set_bytes_content(block)
    return record


def write_web(path: Path, pages: Iterable[tuple[str, int, Iterable[tuple[str, str]], bytes]]) -> None:
    """Write URL, status, headers and body of responses as a WARC file that has the same bytes each time, with DAY as their date."""
    with path.open("wb") as file:
        for number, (url, status, headers, body) in enumerate(pages):
            fields = (*headers, ("Content-Length", str(len(body))))
            head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
            head += "".join(f"{name}: {value}\r\n" for name, value in fields)
            record = new_record(WarcRecordType.response, f"{head}\r\n".encode() + body, RESPONSE, url, DAY)
            record.headers["WARC-Record-ID"] = f"<urn:topiccrawler:{number}>"
            record.write(file)


def put(file: BinaryIO, record: WarcRecord) -> None:
    """Append a record to a file as a gzip member of its own, with the digest of its block."""
    member = GzipWriter(file, compression_level=6)
    record.write(member, checksum_data=True)
    member.finish()


def iso(seconds: float) -> str:
    """Format a time in seconds since the epoch as WARC requires."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
