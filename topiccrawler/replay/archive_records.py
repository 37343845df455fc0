"""Reads the records of WARC and ARC files in order and by offset, as different programs write them.

FastWARC reads a WARC file as the standard demands it: uncompressed, or with one gzip member for each record. Programs have also written

    all records in one gzip member, or members that do not begin with a record: an offset reaches nothing there, so the file is unpacked
        to a temporary file, which is read instead, by warcio;
    names of fields in lower or upper case, lines that end with LF only, and ARC, the format before WARC: read by warcio, which is some
        ten times slower.

`ArchiveRecords` reads a file the fast way up to the record where that fails, and another way from there on.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from math import inf
from pathlib import Path
from typing import IO

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
from warcio.archiveiterator import ArchiveIterator as WarcioIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord

from topiccrawler.errors import ReplayError, file_faults, one_line

# of a record's block that are read to find its HTTP head, where a record is not read as a whole
HEAD_BYTES = 65_536
_PIECE_BYTES = 1 << 20
# of a gzip member that are read and unpacked to find the head of its record; the second for long heads
_MEMBER_BYTES = (1_024, 65_536)
_ARC = b"filedesc:"  # the first bytes of an ARC file
_GZIP = b"\x1f\x8b"
_FAST, _CAREFULLY, _UNPACKED = range(
    3
)  # ways of reading: by FastWARC, by warcio, by warcio from an unpacked copy
_PLACES = 1 << 46  # offsets of one way of reading; those of the next way begin behind them
_KINDS = {
    "response": WarcRecordType.response,
    "revisit": WarcRecordType.revisit,
    "resource": WarcRecordType.resource,
    "conversion": WarcRecordType.conversion,
    "continuation": WarcRecordType.continuation,
}
_KNOWN = frozenset({*_KINDS, "request", "metadata", "warcinfo"})

Placed = tuple[int, WarcRecord]  # byte offset in a file, record


def field(record: WarcRecord, name: str) -> str:
    """A field of a record's head, by its name in any case; "" if there is none. URLs come without the angle brackets of some writers."""
    return (record.headers.get(name) or "").strip("<> \t")


class _UnfitError(OSError):
    """The file cannot be read in this way; `packed`: because of how it is compressed."""

    def __init__(self, *, packed: bool) -> None:
        super().__init__()
        self.packed = packed


class ArchiveRecords:
    """The records of one WARC or ARC file that may be responses. `damage`: why the file could not be read to its end, or ""; it is known
    after an iteration. ReplayError when the file cannot be opened or unpacked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ""
        with file_faults(ReplayError, path, "cannot be read", "name a .warc or .warc.gz file"):
            self._file = path.open("rb", buffering=0)
            weakref.finalize(self, self._file.close)
            head = self._file.read(_MEMBER_BYTES[0])
        self._is_gzip = head.startswith(_GZIP)
        self._is_arc = (_unpacked_head(head, len(_ARC)) if self._is_gzip else head).startswith(_ARC)

    def __iter__(self) -> Iterator[Placed]:
        """Yield the records with their offsets, in the order of the file: the same in each iteration."""
        way, start, passed = (_CAREFULLY if self._is_arc else _FAST), 0, 0
        place = done = 0
        while True:
            before = done
            try:
                for place, record in islice(self._records(way, start), passed, None):
                    done += 1
                    yield way * _PLACES + place, record
                if way != _FAST and done > before:
                    self.damage = ""  # what the way before took for damage was only unusual
            except OSError as fault:
                is_packed = isinstance(fault, _UnfitError) and fault.packed
                if not isinstance(fault, _UnfitError):
                    self.damage = str(fault)
                if way == _UNPACKED or (way == _CAREFULLY and not is_packed):
                    return
                way, start, passed = (_UNPACKED, 0, done) if is_packed else (_CAREFULLY, place, min(done, 1))
            else:
                return

    def at(self, offset: int) -> WarcRecord | None:
        """The record at an offset that the iteration yielded, with its whole block; None if there is none any more. OSError when it is
        damaged."""
        way, place = divmod(offset, _PLACES)
        file = self._unpacked if way == _UNPACKED else self._file
        file.seek(place)
        if way == _FAST:
            return next(ArchiveIterator(file, parse_http=False), None)
        with _warcio_faults():
            found = next(iter(_iterator(file)), None)
            return None if found is None else _as_record(found)

    def _records(self, way: int, start: int) -> Iterator[Placed]:
        """Read from a byte on. OSError at a damaged place, _UnfitError where another way is needed."""
        file = self._unpacked if way == _UNPACKED else self._file
        file.seek(start)
        return _fast(file, is_gzip=self._is_gzip) if way == _FAST else _carefully(file)

    @cached_property
    def _unpacked(self) -> IO[bytes]:
        """A temporary file with the content of the gzip file, as far as it can be unpacked."""
        with file_faults(
            ReplayError, self.path, "cannot be unpacked", "make room, or set TMPDIR to a folder with room"
        ):
            copy = tempfile.TemporaryFile(prefix="topiccrawler-", buffering=0)  # noqa: SIM115 closed with this object
            weakref.finalize(self, copy.close)
            with gzip.open(self.path) as packed:
                try:
                    while piece := packed.read1(_PIECE_BYTES):
                        copy.write(piece)
                except (gzip.BadGzipFile, EOFError, zlib.error) as fault:
                    self.damage = str(fault)
        return copy


def _fast(file: IO[bytes], *, is_gzip: bool) -> Iterator[Placed]:
    """Yield the records of a file as the standard demands it."""
    for record in ArchiveIterator(file, parse_http=False):
        kind, place = str(record.record_type), record.stream_pos
        if _is_odd(record, kind):
            raise _UnfitError(packed=False)
        if kind in _KINDS:
            if is_gzip and not _begins_member(file, place, record):
                raise _UnfitError(packed=True)
            yield place, record


def _is_odd(record: WarcRecord, kind: str) -> bool:
    """Whether FastWARC misread the head of a record: it compares the names of fields with their case."""
    if kind not in _KNOWN:
        # of a head with LF only, all of it is one field
        named = field(record, "WARC-Type").partition("\n")[0]
        return named.lower() in {"", *_KNOWN}
    return record.content_length == 0 and field(record, "Content-Length") not in {"", "0"}


def _begins_member(file: IO[bytes], place: int, record: WarcRecord) -> bool:
    """Whether the gzip member at a place begins with this record. FastWARC reports wrong places for others."""
    name = field(record, "WARC-Record-ID").encode()
    heads = (_unpacked_head(os.pread(file.fileno(), most, place), most) for most in _MEMBER_BYTES)
    return any(head.startswith(b"WARC/") and name in head.partition(b"\r\n\r\n")[0] for head in heads)


def _unpacked_head(member: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(member, most)
    except zlib.error:
        return b""


def _carefully(file: IO[bytes]) -> Iterator[Placed]:
    """Yield the records of a file by warcio, with the beginnings of their blocks."""
    with _warcio_faults():
        records = _iterator(file)
        for found in records:
            place, kind = records.offset, (found.rec_type or "").lower()
            if kind in _KINDS:
                yield place, _as_record(found, HEAD_BYTES)


def _iterator(file: IO[bytes]) -> WarcioIterator:
    records = WarcioIterator(file, no_record_parse=True, arc2warc=True)
    records.INC_RECORD = ""  # warcio prints it to standard error for records of a wrong length
    return records


def _as_record(found: ArcWarcRecord, most: float = inf) -> WarcRecord:
    """A record that warcio has read, as FastWARC has it; its block is cut to about `most` bytes."""
    pieces: list[bytes] = []
    while most > 0 and (piece := found.raw_stream.read(_PIECE_BYTES)):
        pieces.append(piece)
        most -= len(piece)
    record = WarcRecord()
    record.init_headers(record_type=_KINDS.get((found.rec_type or "").lower(), WarcRecordType.unknown))
    record.set_bytes_content(b"".join(pieces))
    record.headers.clear()  # type: ignore[no-untyped-call]
    for name, value in found.rec_headers.headers:
        record.headers.append(name, value)
    return record


@contextmanager
def _warcio_faults() -> Iterator[None]:
    """Turn the errors of warcio about a file into OSError, and the one about its compression into _UnfitError."""
    try:
        yield
    except ArchiveLoadFailed as fault:
        if "gzip" in str(fault):
            raise _UnfitError(packed=True) from fault
        raise OSError(one_line(fault)) from fault
    except (ValueError, zlib.error) as fault:
        raise OSError(one_line(fault)) from fault
