"""Asks single URLs outside a crawl, by urllib: bounded in time and size, and kept out of the own network where strangers name the host.

The conflict: a name may lead inside, and to another address each time it is resolved. So what is spelled as a private host is refused
before anything is sent, every address a name has is looked at, and so is the one that was connected to. Behind a proxy it is the proxy
that resolves. Redirects are looked at in the same way. Certificates are checked where
`certified` says so; a crawl checks none.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from http.client import HTTPException, HTTPMessage
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from topiccrawler.errors import one_line
from topiccrawler.urls.private_hosts import is_inside, is_private_answer

_PIECE_BYTES = 1 << 16


class PrivateAddressError(OSError):
    """A stranger's URL that leads into the own network."""


class NoAnswerError(Exception):
    """Why there is none, in one line."""


class HttpClient:
    """Safe to call from several threads. `seconds`: for each wait on the network; `guarded`: not into the own network."""

    def __init__(self, agent: str, *, seconds: float, guarded: bool, certified: bool = False) -> None:
        self._agent, self._seconds = agent, seconds
        self._opener = OpenerDirector()
        context = ssl.create_default_context()
        if not certified:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        own = [HTTPHandler(), HTTPSHandler(context=context)]
        if guarded:
            own = [_GuardedHttp(), _GuardedHttps(context)]
        for handler in (ProxyHandler(), *own, HTTPDefaultErrorHandler(), _Redirects(), HTTPErrorProcessor()):
            self._opener.add_handler(handler)

    def ask(self, url: str, method: str = "GET", most: int = 0) -> tuple[int, bytes]:
        """The status after redirects and at most so many bytes of the body. NoAnswerError when none comes, and for what is no http(s) URL."""
        try:
            return self._asked(url, method, most)
        except (OSError, HTTPException, ValueError) as failure:
            reason = getattr(failure, "reason", None) or failure
            raise NoAnswerError(one_line(reason) or type(failure).__name__) from None

    def _asked(self, url: str, method: str, most: int) -> tuple[int, bytes]:
        if urlsplit(url).scheme.lower() not in {"http", "https"}:
            raise ValueError(f"{url} is no http(s) URL")
        headers = {"User-Agent": self._agent, "Accept": "*/*"}
        request = Request(url, headers=headers, method=method)  # noqa: S310 the scheme was looked at
        try:
            response = self._opener.open(request, timeout=self._seconds)
        except HTTPError as failure:
            with failure:
                return failure.code, b""
        if response is None:  # a redirect to another scheme
            raise OSError("leads to what is no http(s) URL")
        with response:
            return int(response.status), _body(response, most)


def _body(response: Any, most: int) -> bytes:
    pieces, size = [], 0
    while size < most and (piece := response.read(min(_PIECE_BYTES, most - size))):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


class _Redirects(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        fp.read = bytes  # its body, however long, is not read
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _GuardedConnection(http.client.HTTPConnection):
    def connect(self) -> None:
        _look_at(self)
        super().connect()
        _look_at_peer(self)


class _GuardedTlsConnection(_GuardedConnection, http.client.HTTPSConnection):
    """Looks at the same, and speaks TLS."""


class _GuardedHttp(HTTPHandler):
    def http_open(self, req: Request) -> http.client.HTTPResponse:
        proxied = _look_at_spelling(req)
        return self.do_open(http.client.HTTPConnection if proxied else _GuardedConnection, req)


class _GuardedHttps(HTTPSHandler):
    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(context=context)
        self._chosen = context

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        proxied = _look_at_spelling(req)
        made = http.client.HTTPSConnection if proxied else _GuardedTlsConnection
        return self.do_open(made, req, context=self._chosen)


def _look_at_spelling(request: Request) -> bool:
    """Refuse a host that is spelled as a private one; whether a proxy is used."""
    parts = urlsplit(request.full_url)
    if is_inside(parts.hostname or ""):
        raise PrivateAddressError(f"private address: {parts.hostname}")
    return request.host != parts.netloc


def _look_at(connection: http.client.HTTPConnection) -> None:
    for *_, address in socket.getaddrinfo(connection.host, connection.port, type=socket.SOCK_STREAM):
        _refuse(connection, str(address[0]))


def _look_at_peer(connection: http.client.HTTPConnection) -> None:
    _refuse(connection, str(connection.sock.getpeername()[0]))


def _refuse(connection: http.client.HTTPConnection, address: str) -> None:
    if is_private_answer(address):
        connection.close()
        raise PrivateAddressError(f"private address: {connection.host} = {address}")
