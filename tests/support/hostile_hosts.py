"""Servers that do not answer as HTTP has it, each a host of its own (a port on loopback), and the word a crawl has for each."""

import contextlib
import gzip
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

POLL_SECONDS = 0.05
PAGE = "<title>基金</title><p>" + "基金净值上涨，股票市场成交量放大。" * 20

Behaviour = Callable[[socket.socket, bytes], None]
"""What is done with a connection and what came first."""


def send(*pieces: bytes) -> Behaviour:
    """Answer with these bytes and close."""

    def answer(connection: socket.socket, asked: bytes) -> None:
        connection.sendall(b"".join(pieces))

    return answer


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join((f"HTTP/1.1 {status}", "Connection: close", *lines, "", "")).encode()


def reset(after: bytes = b"") -> Behaviour:
    """Answer with these bytes, then break the connection off."""

    def answer(connection: socket.socket, asked: bytes) -> None:
        connection.sendall(after)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return answer


def silent(begin: bytes = b"") -> Behaviour:
    """Send this much and nothing more until the other side goes; say that there is no robots.txt, for a test must not wait twice."""

    def answer(connection: socket.socket, asked: bytes) -> None:
        if asked.startswith(b"GET /robots.txt"):
            page("404 Not Found")(connection, asked)
            return
        connection.sendall(begin)
        while connection.recv(4096):
            pass

    return answer


def redirect(location: str) -> Behaviour:
    return send(head(f"Location: {location}", "Content-Length: 0", status="302 Found"))


def page(status: str = "200 OK") -> Behaviour:
    body = PAGE.encode()
    return send(
        head("Content-Type: text/html; charset=utf-8", f"Content-Length: {len(body)}", status=status), body
    )


_GZIP = gzip.compress(PAGE.encode())
_BOMB = gzip.compress(bytes(64 * 1024 * 1024), 9)

BEHAVIOURS: dict[str, tuple[Behaviour, str]] = {
    "answers": (page(), ""),
    "closes at once": (send(), "connection_lost"),
    "resets at once": (reset(), "connection_lost"),
    "resets in the body": (reset(head("Content-Length: 5000") + b"<p>"), ""),
    "ends in the body": (send(head("Content-Length: 5000"), b"<p>"), ""),
    "ends before the body": (send(head("Content-Length: 5000")), "incomplete_answer"),
    "ends before a chunk": (send(head("Transfer-Encoding: chunked"), b"ff\r\n"), "incomplete_answer"),
    "ends in a chunk": (send(head("Transfer-Encoding: chunked"), b"ff\r\nabc"), ""),
    "bad chunk": (send(head("Transfer-Encoding: chunked"), b"zz\r\nabc\r\n0\r\n\r\n"), ""),
    "garbage": (send(bytes(range(1, 256)) * 4), "bad_answer"),
    "another protocol": (send(b"SSH-2.0-OpenSSH_9.6\r\n"), "bad_answer"),
    "no status": (send(b"HTTP/1.1\r\n\r\n"), ""),
    "status is no number": (send(b"HTTP/1.1 abc OK\r\n\r\n"), ""),
    "length is no number": (send(head("Content-Length: many"), b"x"), ""),
    "two lengths": (send(head("Content-Length: 1", "Content-Length: 2"), b"xx"), ""),
    "header line without end": (send(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 100_000), "connection_lost"),
    "endless header line": (send(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 1_000_000), "bad_answer"),
    "header lines by the million": (send(b"HTTP/1.1 200 OK\r\n", b"X:\r\n" * 1_000_000), "bad_answer"),
    "headers without end": (silent(b"HTTP/1.1 200 OK\r\n" + b"X-Y: z\r\n" * 5000), "timeout"),
    "never answers": (silent(), "timeout"),
    "never ends": (silent(head("Content-Length: 5000") + b"<p>"), "timeout"),
    "half a gzip": (send(head("Content-Encoding: gzip"), _GZIP[: len(_GZIP) // 2]), ""),
    "no gzip": (send(head("Content-Encoding: gzip"), b"<p>plain"), ""),
    "no brotli": (send(head("Content-Encoding: br"), b"<p>plain"), ""),
    "no encoding known": (send(head("Content-Encoding: x-own"), b"<p>plain"), ""),
    "a bomb": (send(head("Content-Encoding: gzip"), _BOMB), "too_large"),
    "too long": (send(head("Content-Length: 99999999999"), b"<p>"), "too_large"),
    "redirects to itself": (redirect("/"), "too_many_redirects"),
    "redirects on and on": (redirect("?x"), "too_many_redirects"),
    "redirects to nonsense": (redirect("http://[::bad/"), "http_302"),
    "redirects to a file": (redirect("ftp://a.invalid/x"), "http_302"),
    "redirects nowhere": (send(head("Content-Length: 0", status="302 Found")), "http_302"),
    "not found": (page("404 Not Found"), "http_404"),
    "gone": (page("410 Gone"), "http_410"),
    "forbidden": (page("403 Forbidden"), "http_403"),
    "broken": (page("500 Internal Server Error"), "http_500"),
    "odd status": (page("999 No"), "http_999"),
}
"""What a server does, and the last part of the stats key `frontier/failed/…`; empty: it is a page."""


@contextmanager
def served(behaviour: Behaviour) -> Iterator[str]:
    """`host:port` of a server on loopback."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError):
                behaviour(self.request, self.request.recv(65536))

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True
        request_queue_size = 64

        def shutdown_request(self, request: Any) -> None:
            self.close_request(request)  # no handshake after a reset

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@contextmanager
def all_served() -> Iterator[dict[str, str]]:
    """`host:port` of each behaviour."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(served(behaviour)) for name, (behaviour, _) in BEHAVIOURS.items()}


def free_port() -> str:
    """`host:port` where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        return f"127.0.0.1:{closed.getsockname()[1]}"
