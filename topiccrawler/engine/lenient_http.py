"""Reads the HTTP answers that browsers read: with odd status lines, header lines, lengths and chunks.

Twisted's client refuses them, and the pages of such servers are lost. `LenientDownloadHandler` is Scrapy's handler for http and https with
another parser. The parser waits for the whole head and then reads it line by line; a line that is no header is passed over. The length of a
body is what the server sent: a length that is no number, or that contradicts another one, does not count, and bytes behind the declared end
count when the connection closes. A body that ends too early is handed on with the flag `dataloss` (engine.incomplete_answers).

Bounds: MOST_HEAD_BYTES for the heads of one answer, DOWNLOAD_MAXSIZE and DOWNLOAD_TIMEOUT for the rest. A client that sends one request at a
time has nothing to lose by a doubtful length; a proxy would.

Reference: RFC 9112; https://fetch.spec.whatwg.org/ and what Chromium's HttpStreamParser accepts.
"""

# mypy: disable-error-code="no-untyped-call"
# Twisted's client has no types.
from __future__ import annotations

import re
from collections.abc import Callable

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from scrapy.crawler import Crawler
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.web._newclient import BODY, STATUS, HTTPClientParser, ParseError, Request, Response
from twisted.web.http import PotentialDataLoss, _DataLoss
from twisted.web.iweb import UNKNOWN_LENGTH, IResponse

MOST_HEAD_BYTES = 256 * 1024  # as Chromium
MOST_LINE_BYTES = 4_096  # of the line with the size of a chunk
MOST_TRAILER_BYTES = 65_536
_HEAD_END = re.compile(rb"\n\r*\n")
_BEGIN = re.compile(rb"HTTP|ICY ", re.IGNORECASE)
_BEFORE = b"\r\n\t \xef\xbb\xbf"  # blank lines and a byte order mark
_STATUS = re.compile(
    rb"(?:HTTP[ \t]*(?:/[ \t]*(\d{1,3})(?:\.(\d{1,3}))?)?|ICY)(?:[ \t]+(\d*)[ \t]*(.*))?", re.IGNORECASE
)
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LENGTH = re.compile(rb"[0-9]{1,18}")
_MAY_BE_SIZE = re.compile(rb"\s*[0-9A-Fa-f]{0,15}[ \t]*(?:[;\r\n]|$)")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;|$)")

Deliver = Callable[[bytes], None]
Finish = Callable[[bytes], None]


class LenientDownloadHandler(HTTP11DownloadHandler):
    """Download handler for http and https. Without a Twisted reactor it is Scrapy's own."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = _Factory  # noqa: SLF001 as Scrapy sets its own

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> BaseDownloadHandler:  # type: ignore[override]
        if crawler.settings.getbool("TWISTED_REACTOR_ENABLED"):
            return super().from_crawler(crawler)
        other: BaseDownloadHandler = build_from_crawler(
            load_object(crawler.settings["DOWNLOAD_HANDLERS_BASE"]["http"]), crawler
        )
        return other


class _Protocol(_LenientHTTP11ClientProtocol):
    def request(self, request: Request) -> Deferred[IResponse]:
        answer = super().request(request)
        # As in the base class: the parser has just been made, by a class that cannot be chosen.
        self._parser.__class__ = AnswerParser
        return answer


class _Factory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> _Protocol:  # noqa: N802 Twisted's name
        return _Protocol(self._quiescentCallback)


class AnswerParser(HTTPClientParser):
    """Parses one answer. `_Protocol` puts it in place of its base class, so it has no `__init__`."""

    _head: bytearray | None = None  # what has come of the head
    _searched = 0  # bytes of it in which no end was found
    _head_bytes = 0  # of all heads of this answer, and what came with them

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 Twisted's name
        self._everReceivedData = True
        if self.state == BODY and self.bodyDecoder is not None:
            self.bodyDecoder.dataReceived(data)
            return
        if self._head is None:
            self._head = bytearray()
        self._head += data
        self._head_bytes += len(data)
        while self.state == STATUS and self._read_head(self._head):
            self._searched = 0
            rest = self.clearLineBuffer()
            if self.state == BODY and rest and self.bodyDecoder is not None:
                self.bodyDecoder.dataReceived(rest)
            elif self.state == STATUS:  # that was an interim answer
                self._head[:] = rest

    def _read_head(self, head: bytearray) -> bool:
        """Parse a head if all of it has come; what follows it is in the line buffer then. ParseError for what is none."""
        if not head.startswith(b"HTTP"):  # as all but a few do
            if not self._searched:
                del head[: len(head) - len(head.lstrip(_BEFORE))]
            if len(head) >= 4 and not _BEGIN.match(head):
                raise ParseError("no status line", bytes(head[:100]))
        end = _HEAD_END.search(head, max(0, self._searched - 3))
        if end is None:
            if self._head_bytes > MOST_HEAD_BYTES:
                raise ParseError("head too long", bytes(head[:100]))
            self._searched = len(head)
            return False
        first, *lines = bytes(head[: end.start()]).split(b"\n")
        self._buffer = bytes(head[end.end() :])
        head.clear()
        self.statusReceived(first.rstrip(b"\r"))
        for name, value in _fields(lines):
            self.headerReceived(name, value)
        self.allHeadersReceived()
        return True

    def statusReceived(self, status: bytes) -> None:  # noqa: N802 Twisted's name
        found = _STATUS.fullmatch(status.rstrip())
        if found is None:
            raise ParseError("no status line", status[:100])
        major, minor, digits, phrase = found.groups()
        code = int(digits[:4]) if digits else 200  # as browsers
        if not 100 <= code <= 999:
            raise ParseError("no status", status[:100])
        version = (b"HTTP", int(major or 1), int(minor or 0))
        self.response = Response._construct(  # noqa: SLF001 as the base class
            version, code, phrase or b"", self.headers, self.transport, self.request
        )

    def allHeadersReceived(self) -> None:  # noqa: N802 Twisted's name
        response = self.response
        if (
            100 <= response.code < 200
            or response.code in self.NO_BODY_CODES
            or self.request.method == b"HEAD"
        ):
            # a body, where none may be, would answer the next request
            if response.code >= 200 and self._buffer:
                self.connHeaders.setRawHeaders(b"Connection", [b"close"])
            super().allHeadersReceived()
            return
        length = _length(self._control(b"Content-Length"))
        closes = b"close" in self._control(b"Connection") or response.version < (b"HTTP", 1, 1)
        body = Body(response._bodyDataReceived, self._finished, length, reads_on=closes)  # noqa: SLF001
        is_chunked = b"chunked" in self._control(b"Transfer-Encoding")
        if length is not None and not is_chunked:
            response.length = length
        if length == 0 and not is_chunked and not (closes and self._buffer.strip()):
            self._finished(self.clearLineBuffer())
            response._bodyDataFinished()  # noqa: SLF001
        else:
            if length == 0:
                response.length = UNKNOWN_LENGTH
            self.transport.pauseProducing()  # type: ignore[union-attr] # until someone is ready for the body
            self.switchToBodyMode(ChunkedBody(body) if is_chunked else body)
        # Last, because this may resume the transport.
        self._responseDeferred.callback(response)
        del self._responseDeferred

    def _control(self, name: bytes) -> bytes:
        """The values of a header of the connection, in lower case."""
        return b",".join(self.connHeaders.getRawHeaders(name) or ()).lower()


def _fields(lines: list[bytes]) -> list[tuple[bytes, bytes]]:
    """Name and value of each header line; a line that begins with a blank continues the one before it."""
    unfolded: list[bytearray] = []
    for line in (each.rstrip(b"\r") for each in lines):
        if line[:1] in (b" ", b"\t"):
            if unfolded:
                unfolded[-1] += b" " + line.strip()
        else:
            unfolded.append(bytearray(line))
    split = (bytes(line).partition(b":") for line in unfolded)
    named = ((name.strip(), value.strip()) for name, colon, value in split if colon)
    return [(name, value) for name, value in named if _NAME.fullmatch(name)]


def _length(declared: bytes) -> int | None:
    """The length that a server declares, in bytes; None without one, or if it is no number, or several numbers."""
    values = {value.strip() for value in declared.split(b",")}
    if not all(map(_LENGTH.fullmatch, values)):
        return None
    lengths = set(map(int, values))
    return lengths.pop() if len(lengths) == 1 else None


class Body:
    """Passes on a body of a declared length, or up to the end of the connection.

    `length`: in bytes; None = not known. `reads_on`: the connection closes behind the body, so what follows the declared end is of the body
    too.
    """

    def __init__(self, deliver: Deliver, finish: Finish, length: int | None, *, reads_on: bool) -> None:
        self.deliver, self.finish = deliver, finish
        self._left, self._reads_on = length, reads_on

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 Twisted's name
        if self._left is None:
            self.deliver(data)
            return
        now, rest = data[: self._left], data[self._left :]
        self._left -= len(now)
        if now:
            self.deliver(now)
        if self._left == 0 and self._reads_on and rest.strip():
            self._left = None
            self.deliver(rest)
        elif self._left == 0:
            self.finish(rest)

    def noMoreData(self) -> None:  # noqa: N802 Twisted's name
        """The connection is closed. PotentialDataLoss if the length is not known, _DataLoss if bytes are missing."""
        if self._left is None:
            self.finish(b"")
            raise PotentialDataLoss
        if self._left:
            raise _DataLoss


class ChunkedBody:
    """Passes on a body in chunks. `body`: takes over if the first line is no size: then the body is not chunked, whatever the header says.

    Lines may end in LF alone, and sizes be padded; the last chunk may lack the blank line behind it.
    """

    def __init__(self, body: Body) -> None:
        self._body = body
        self._buffer = bytearray()
        self._left = 0  # bytes of the chunk that is read
        self._trailer_bytes: int | None = None  # set behind the last chunk
        self._is_chunked: bool | None = None  # not known yet
        self._is_finished = False

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 Twisted's name
        if self._is_chunked is False:
            self._body.dataReceived(data)
            return
        self._buffer += data
        while self._buffer and not self._is_finished and self._step():
            pass

    def _step(self) -> bool:
        """Read on in the buffer; False if more must come first."""
        buffer = self._buffer
        if self._left:
            piece = bytes(buffer[: self._left])
            del buffer[: len(piece)]
            self._left -= len(piece)
            self._body.deliver(piece)
            return True
        end = buffer.find(b"\n")
        if end < 0 and len(buffer) <= MOST_LINE_BYTES:
            if self._is_chunked is None and not _MAY_BE_SIZE.match(buffer):
                self._is_plain()
            return False
        line = bytes(buffer[: end if end >= 0 else MOST_LINE_BYTES]).strip()
        if self._trailer_bytes is not None:
            return self._pass_trailer(line, end + 1)
        size = _CHUNK_SIZE.match(line)
        if size is None and (line or self._is_chunked is None):
            if self._is_chunked:
                raise ParseError("no size of a chunk", line[:100])
            self._is_plain()
            return False
        del buffer[: end + 1]
        if size is not None:  # else the line end behind a chunk
            self._is_chunked = True
            self._left = int(size[1], 16)
            if not self._left:
                self._trailer_bytes = 0
        return True

    def _is_plain(self) -> None:
        self._is_chunked = False
        rest, self._buffer = bytes(self._buffer), bytearray()
        self._body.dataReceived(rest)

    def _pass_trailer(self, line: bytes, length: int) -> bool:
        del self._buffer[:length]
        self._trailer_bytes = (self._trailer_bytes or 0) + length
        if line and length > 0 and self._trailer_bytes <= MOST_TRAILER_BYTES:
            return True
        self._is_finished = True
        self._body.finish(bytes(self._buffer))
        return False

    def noMoreData(self) -> None:  # noqa: N802 Twisted's name
        """The connection is closed. _DataLoss if the last chunk is missing."""
        if self._is_chunked is False:
            self._body.noMoreData()
        elif self._trailer_bytes is None:
            raise _DataLoss
