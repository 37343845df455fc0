"""Serves the synthetic web over real HTTP, as a forward proxy on loopback: with `http_proxy` set, any crawler sees real hosts.

One port serves some eighty hosts, so it accepts proxy requests (`GET http://host/path`) and plain HTTP with a Host header alike.
Every request is recorded, with its URL and time, in order.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, NamedTuple, Self

from topiccrawler.lab.demo.answers import Answer, answer
from topiccrawler.lab.demo.plan import Web

IDLE_SECONDS = 60.0
_PROXY_NAMES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy"})
_NO_TLS = Answer(502, (("Content-Type", "text/plain"),), b"https is not served; use http://\n")
_NO_METHOD = Answer(405, (("Allow", "GET, HEAD"),), b"")


class Request(NamedTuple):
    """One request that the server answered."""

    time: float  # seconds since the epoch
    host: str
    url: str
    status: int
    topic: str | None  # of the page served; None for responses without a page of the plan


class RunningServer(ThreadingTCPServer):
    """`with RunningServer(web) as server:` serves a web; `server.address` is the value for http_proxy.

    Port 0 is any free one; OSError if the port is in use.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, web: Web, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Connection)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.requests: list[Request] = []  # all answered so far, in order
        self.web, self.lock = web, threading.Lock()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.shutdown()
        self.server_close()

    @property
    def pages_served(self) -> int:
        """The number of requests so far that were answered with a page of the plan."""
        return sum(request.topic is not None for request in self.requests)

    def environment(self) -> dict[str, str]:
        """The environment of this process, with the synthetic web as its only proxy."""
        kept = {name: value for name, value in os.environ.items() if name.lower() not in _PROXY_NAMES}
        return {**kept, "http_proxy": self.address}


class _Connection(BaseHTTPRequestHandler):
    server: RunningServer
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def handle(self) -> None:
        with suppress(ConnectionError):  # the client closed the connection
            super().handle()

    def do_GET(self) -> None:
        url = self.path if "://" in self.path[:9] else f"http://{self.headers.get('Host', '')}{self.path}"
        host = url.partition("://")[2].partition("/")[0].lower()
        with self.server.lock:
            found = answer(self.server.web, url)
            topic = found.page.topic if found.page else None
            self.server.requests.append(Request(time.time(), host, url, found.status, topic))
        self._send(found)

    do_HEAD = do_GET  # noqa: N815 the base class's name

    def do_CONNECT(self) -> None:
        self._send(_NO_TLS)

    def do_POST(self) -> None:
        self.close_connection = True  # its body is not read
        self._send(_NO_METHOD)

    def _send(self, found: Answer) -> None:
        self.send_response_only(found.status)
        for name, value in (*found.headers, ("Content-Length", str(len(found.body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else found.body)

    def log_message(self, *values: Any, **more: Any) -> None:
        """Print nothing to the terminal; requests are recorded."""
