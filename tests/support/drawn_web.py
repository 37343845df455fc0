"""A web given as url -> HTML, and the HTTP server on loopback that serves it as a proxy."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server(ThreadingHTTPServer):
    """Knows how many connections are open."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.open = 0
        self.ended = threading.Condition()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.ended:
            self.open += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self.ended:
            self.open -= 1
            self.ended.notify_all()


POLL_SECONDS = 0.02


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], over: threading.Event) -> Iterator[str]:
    """The address of a server on loopback with this handler. `over`: set when it ends, for handlers that hold a connection."""
    server = Server(handler)
    threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        over.set()
        server.shutdown()
        server.server_close()


@dataclass
class Answer:
    """One response of a drawn web."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def answer(status: int, body: str | bytes = b"", **headers: str) -> Answer:
    """A response that is more than HTML: `answer(301, Location="/new")`."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body.encode() if isinstance(body, str) else body, status, names)


@dataclass
class DrawnWeb:
    """A web given as url -> HTML (or Answer), served by an HTTP proxy on loopback; `asked` lists the URLs in order."""

    pages: dict[str, Any]
    asked: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    sent: int = 0  # bytes of bodies
    proxy: str = ""
    server: Server | None = None

    def settle(self) -> None:
        """Wait until all that was asked by processes that have ended stands in `asked`."""
        with socket.create_connection(
            self.server.server_address[:2]
        ) as last:  # the server takes it after all others
            last.shutdown(socket.SHUT_WR)
            last.recv(1)
        with self.server.ended:
            assert self.server.ended.wait_for(lambda: self.server.open == 0, timeout=60)

    def fetched(self) -> list[str]:
        """The pages asked for, without the files that say what a host wishes."""
        return [url for url in self.asked if not url.endswith(("/robots.txt", "/.well-known/tdmrep.json"))]

    def answer(self, url: str) -> Answer:
        found = self.pages.get(url)
        if callable(found):
            found = found()
        if found is None:
            return Answer(b"nothing here", 404, {"Content-Type": "text/plain"})
        return found if isinstance(found, Answer) else Answer(found.encode())
