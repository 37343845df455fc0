"""The body of a recorded response, decoded, however it was stored.

A WARC should keep the bytes of the wire, chunked and compressed; many writers store the decoded body with the old
headers. So each header is tried, and followed only when it fits the bytes.
"""

from __future__ import annotations

import io
import zlib

from fastwarc.stream_io import BrotliReader, ZstdReader

MAX_BODY_BYTES = 64 * 1024 * 1024  # what a bomb of a few kB may unfold to
_GONE = (b"transfer-encoding", b"content-encoding", b"content-length")

Headers = list[tuple[bytes, bytes]]


def plain(headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """The body as the page's author wrote it, and the headers that are still true of it."""
    for coding in _codings(headers, b"transfer-encoding"):
        body = _dechunked(body) if coding == b"chunked" else _unpacked(coding, body)
    for coding in _codings(headers, b"content-encoding"):
        body = _unpacked(coding, body)
    kept = [(name, value) for name, value in headers if name.lower() not in _GONE]
    return [*kept, (b"Content-Length", b"%d" % len(body))], body


def _codings(headers: Headers, wanted: bytes) -> list[bytes]:
    """In the order in which they must be undone."""
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
        if size < 0:  # not chunked after all, or cut off in the middle
            return b"".join(parts) if parts else body
        if size == 0:
            return b"".join(parts)
        parts.append(body[line_end + 2 : line_end + 2 + size])
        at = line_end + 2 + size + 2


def _unpacked(coding: bytes, body: bytes) -> bytes:
    try:
        if coding in (b"gzip", b"x-gzip"):
            return zlib.decompressobj(31).decompress(body, MAX_BODY_BYTES)
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
        pass  # stored unpacked under its old header
    return body
