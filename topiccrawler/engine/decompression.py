"""Decompresses bodies by what they are, not only by what their header says.

`DecompressionMiddleware` replaces Scrapy's HttpCompressionMiddleware. Servers and proxies declare gzip and send plain text, declare it twice,
compress twice, name another coding, or none. So the bytes decide. Codings with a signature (gzip, zlib, Zstandard) are undone, declared or
not. Brotli and raw deflate have none: they are tried on bodies that are neither text nor a file of a known format. Of a stream that is cut
off or damaged, what comes before counts.

Bounds: DOWNLOAD_MAXSIZE holds for each layer, MOST_LAYERS for their number, MOST_WINDOW for Zstandard's memory.
"""

from __future__ import annotations

import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from gzip import GzipFile
from io import BytesIO

import brotli
from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import Response, TextResponse
from scrapy.responsetypes import responsetypes
from scrapy.utils._compression import _check_max_size, _DecompressionMaxSizeExceeded

from topiccrawler.engine.reading import content_type
from topiccrawler.pages.formats.registry import HTML, UNKNOWN, recognise
from topiccrawler.zstandard import zstd

MOST_LAYERS = 3
MOST_WINDOW = 23  # binary logarithm of bytes, as in browsers (RFC 9659)
PIECE_BYTES = 65_536
MOST_BYTES_SINGLY = 100_000  # a tenth of a second
# bytes by which a short text may grow when it is compressed; what shrinks was no compressed text
LEAST_GAIN = 64
PLAIN_BYTES = 512  # of a body are looked at
_GZIP, _ZLIB, _ZSTD, _BROTLI, _RAW = "gzip", "zlib", "zstd", "br", "deflate"
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))
_FILES = ("application/gzip", "application/x-gzip")  # content types of files that are compressed themselves


class DecompressionMiddleware(HttpCompressionMiddleware):
    """Downloader middleware (590): decompresses the bodies of responses."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        if request.method == "HEAD" or not response.body:
            return response
        if "Content-Encoding" in response.headers:
            return super().process_response(request, response)
        declared = content_type(response).lower()
        if declared.startswith(_FILES):
            return response
        try:
            most = request.meta.get("download_maxsize", self._max_size)
            body = decompressed(response.body, most, tries=not declared or declared.startswith("text/"))
        except _DecompressionMaxSizeExceeded:
            return response  # a file, for what is known
        if body is response.body:
            return response
        kind = responsetypes.from_args(headers=response.headers, url=response.url, body=body)
        more = {"encoding": None} if issubclass(kind, TextResponse) else {}
        return response.replace(cls=kind, body=body, **more)

    def _handle_encoding(
        self, body: bytes, content_encoding: list[bytes], max_size: int
    ) -> tuple[bytes, list[bytes]]:
        named = [name.strip().lower() for value in content_encoding for name in value.split(b",")]
        order = [_BROTLI, _RAW] if named and named[-1] == b"br" else [_RAW, _BROTLI]
        return decompressed(body, max_size, order), []


def decompressed(
    body: bytes,
    max_size: int = 0,
    order: Sequence[str] = (_BROTLI, _RAW),
    *,
    tries: bool = True,
    layers: int = MOST_LAYERS,
) -> bytes:
    """The body without its layers of compression; the same object when it has none.

    `order`: codings without a signature, the likeliest first; `tries`: these are tried. `max_size`: most bytes of a layer, 0 = no bound;
    Scrapy's exception for a larger one.
    """
    if not layers:
        return body
    undone = _undone(body, _signed(body), max_size)
    if undone is not None:
        return decompressed(undone, max_size, order, tries=tries, layers=layers - 1)
    if tries and not _is_plain(body) and not _is_file(body):
        for coding in order:
            undone = _undone(body, coding, max_size)
            if undone is not None:
                undone = decompressed(undone, max_size, order, layers=layers - 1)
                if _is_plain(undone) or _is_file(undone):
                    return undone
    return body


def _signed(body: bytes) -> str | None:
    """The coding whose signature a body has, if any."""
    if body.startswith(b"\x1f\x8b\x08"):
        return _GZIP
    if body.startswith(b"\x28\xb5\x2f\xfd"):
        return _ZSTD
    if body[:2] in (b"\x78\x01", b"\x78\x9c", b"\x78\xda"):
        return _ZLIB
    is_zlib = body[:1] in (b"\x78", b"\x68", b"\x58", b"\x48") and int.from_bytes(body[:2], "big") % 31 == 0
    return _ZLIB if is_zlib and not _is_plain(body) else None  # x^, hC and the like begin texts, too


def _is_plain(body: bytes) -> bool:
    """Whether the first bytes are text of a usual charset; of one of Latin or Cyrillic letters, this cannot be said."""
    head = body[:PLAIN_BYTES]
    if 30 * (len(head) - len(head.translate(None, _CONTROLS))) > len(head):
        return False
    return any(map(partial(_is_text, head), ("utf-8", "gb18030", "big5hkscs")))


def _is_text(head: bytes, charset: str) -> bool:
    try:
        getincrementaldecoder(charset)().decode(head)  # the last character may be cut
    except UnicodeDecodeError:
        return False
    return True


def _is_file(body: bytes) -> bool:
    """Whether a body has the signature of a file that is read or known; tags are in compressed bytes by chance."""
    return recognise(body) not in {UNKNOWN, HTML}


def _undone(body: bytes, coding: str | None, max_size: int) -> bytes | None:
    """The body without this coding; None if it does not have it."""
    if coding is None:
        return None
    output = BytesIO()
    try:
        for piece in _PIECES[coding](body):
            output.write(piece)
            _check_max_size(output.tell(), max_size)
    except _DecompressionMaxSizeExceeded:
        raise
    except Exception:  # noqa: BLE001, S110 each library has errors of its own; what came before them counts
        pass
    undone = output.getvalue()
    return undone if undone and 2 * len(undone) + LEAST_GAIN >= len(body) else None


def _gzip_pieces(body: bytes) -> Iterator[bytes]:
    with GzipFile(fileobj=BytesIO(body)) as file:
        while piece := file.read1(PIECE_BYTES):
            yield piece


def _deflate_pieces(body: bytes, window: int = -zlib.MAX_WBITS) -> Iterator[bytes]:
    stream = zlib.decompressobj(window)
    while body and not stream.eof:
        yield stream.decompress(body, PIECE_BYTES)
        body = stream.unconsumed_tail
    yield stream.flush(PIECE_BYTES)


def _zlib_pieces(body: bytes) -> Iterator[bytes]:
    return _deflate_pieces(body, zlib.MAX_WBITS)


def _brotli_pieces(body: bytes) -> Iterator[bytes]:
    passed = 0
    try:
        for piece in _brotli_parts([body]):
            yield piece
            passed += len(piece)
    except brotli.error:
        # Anything behind the end makes the whole call fail, so the end is found byte by byte.
        if len(body) <= MOST_BYTES_SINGLY:
            for piece in _brotli_parts(body[at : at + 1] for at in range(len(body))):
                yield piece[passed:]
                passed = max(0, passed - len(piece))


def _brotli_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    for part in parts:
        piece = stream.process(part, output_buffer_limit=PIECE_BYTES)
        while piece:
            yield piece
            piece = b"" if stream.is_finished() else stream.process(b"", output_buffer_limit=PIECE_BYTES)
        if stream.is_finished():
            return


def _zstd_pieces(body: bytes) -> Iterator[bytes]:
    options = {int(zstd.DecompressionParameter.window_log_max): MOST_WINDOW}
    with zstd.ZstdFile(BytesIO(body), options=options) as file:
        while piece := file.read1(PIECE_BYTES):
            yield piece


_PIECES = {
    _GZIP: _gzip_pieces,
    _ZLIB: _zlib_pieces,
    _ZSTD: _zstd_pieces,
    _BROTLI: _brotli_pieces,
    _RAW: _deflate_pieces,
}
