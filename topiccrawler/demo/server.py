"""Serves the synthetic web over real HTTP, as a forward proxy on loopback: `http_proxy` set, any crawler sees real hosts.

The conflict: one port must stand for some eighty hosts, so it speaks proxy (`GET http://host/path`) and plain HTTP with a
Host header alike; and a test must know afterwards what was asked for, in which order and when, so every request is noted.
It must not share the crawler's event loop: it has a loop of its own in a thread, and the crawls are processes of their own.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Self

from topiccrawler.demo.answers import Answer, answer
from topiccrawler.demo.plan import Web

IDLE_SECONDS = 60.0
_PROXY_NAMES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy"})


@dataclass(frozen=True, slots=True)
class Request:
    """One request that was answered."""

    time: float  # seconds since the epoch
    host: str
    url: str
    status: int
    topic: str | None  # of the page shown; None for all that is no page of the plan


class RunningServer:
    """`with RunningServer(web) as server:` gives a served web; `server.address` is what http_proxy takes."""

    def __init__(self, web: Web) -> None:
        self.address = ""
        self.requests: list[Request] = []  # every one answered so far, in order
        self._web = web
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._stop = asyncio.Event()

    def __enter__(self) -> Self:
        listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        loop = self._runner.get_loop()
        self._thread = threading.Thread(
            target=loop.run_until_complete, args=(self._serve(listening),), daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._runner.get_loop().call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._runner.close()

    @property
    def pages_served(self) -> int:
        """How many of the requests so far were answered with a page of the plan."""
        return sum(request.topic is not None for request in self.requests)

    def environment(self) -> dict[str, str]:
        """This process' environment with the web in the place of the network."""
        kept = {name: value for name, value in os.environ.items() if name.lower() not in _PROXY_NAMES}
        return {**kept, "http_proxy": self.address}

    async def _serve(self, listening: socket.socket) -> None:
        server = await asyncio.start_server(self._connection, sock=listening)
        await self._stop.wait()
        server.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, EOFError, asyncio.LimitOverrunError, TimeoutError):
            pass  # the client left, or sent no HTTP: nothing is owed to it
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; whether the connection stays open."""
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), IDLE_SECONDS)
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        method, target, version = [*first.split(" "), "", "", ""][:3]
        wanted = fields.get("proxy-connection", fields.get("connection", "")).lower()
        stays = version == "HTTP/1.1" and wanted != "close" and method in ("GET", "HEAD")
        url = target if "://" in target[:9] else f"http://{fields.get('host', '')}{target}"
        writer.write(_bytes(self._reply(method, url), stays=stays, bodiless=method == "HEAD"))
        await writer.drain()
        return stays

    def _reply(self, method: str, url: str) -> Answer:
        if method == "CONNECT":
            return Answer(502, (("Content-Type", "text/plain"),), b"https is not served; use http://\n")
        if method not in ("GET", "HEAD"):
            return Answer(405, (("Allow", "GET, HEAD"),), b"")
        found, host = answer(self._web, url), url.partition("://")[2].partition("/")[0].lower()
        topic = found.page.topic if found.page else None
        self.requests.append(Request(time.time(), host, url, found.status, topic))
        return found


def _bytes(found: Answer, *, stays: bool, bodiless: bool) -> bytes:
    connection = ("Connection", "keep-alive" if stays else "close")
    fields = (*found.headers, ("Content-Length", str(len(found.body))), connection)
    head = f"HTTP/1.1 {found.status} {HTTPStatus(found.status).phrase}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in fields) + "\r\n"
    return head.encode("latin-1") + (b"" if bodiless else found.body)
