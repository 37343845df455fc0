"""Serves the synthetic web over real HTTP, as a forward proxy on loopback: `http_proxy` set, any crawler sees real hosts.

The conflict: one port must stand for some eighty hosts, so it speaks proxy (`GET http://host/path`) and plain HTTP with a
Host header alike; and a test must know afterwards what was asked for, in which order and when, so every request is noted.

`python -m topiccrawler.demo.server --seed 1` prints its address on stdout and serves until stdin closes; `running` does that
in a process of its own. Not part of the web: http://demo.invalid/requests lists what was served as JSON, /count
counts the pages among it, /forget empties it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from http import HTTPStatus

from topiccrawler.demo.answers import Answer, answer
from topiccrawler.demo.plan import Web

CONTROL = "demo.invalid"
IDLE_SECONDS = 60.0
_JSON = (("Content-Type", "application/json"),)


@dataclass(frozen=True, slots=True)
class Request:
    """One request that was answered."""

    time: float  # seconds since the epoch
    host: str
    url: str
    status: int
    topic: str | None  # of the page shown; None for all that is no page of the plan


class DemoServer:
    """Answers connections from one web and notes every request."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._requests: list[Request] = []

    async def serve(self, ready: Callable[[str], None], stop: asyncio.Event, port: int = 0) -> None:
        """Listen until `stop` is set; `ready` is told the address."""
        server = await asyncio.start_server(self._connection, "127.0.0.1", port)
        ready(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await stop.wait()
        server.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            pass  # the client left, or sent no HTTP: nothing is owed to it
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; whether the connection stays open."""
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), IDLE_SECONDS)
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
        }
        method, target, version = [*first.split(" "), "", "", ""][:3]
        if fields.get("content-length", "0").isdigit():
            await reader.readexactly(int(fields.get("content-length", "0")))
        wanted = fields.get("proxy-connection", fields.get("connection", "")).lower()
        stays = version == "HTTP/1.1" and wanted != "close" and method in ("GET", "HEAD")
        reply = self._reply(method, target, fields.get("host", ""))
        writer.write(_bytes(reply, stays=stays, bodiless=method == "HEAD"))
        await writer.drain()
        return stays

    def _reply(self, method: str, target: str, host: str) -> Answer:
        if method == "CONNECT":
            return Answer(502, (("Content-Type", "text/plain"),), b"https is not served; use http://\n")
        if method not in ("GET", "HEAD"):
            return Answer(405, (("Allow", "GET, HEAD"),), b"")
        url = target if "://" in target[:9] else f"http://{host}{target}"
        named, _, path = url.partition("://")[2].partition("/")
        if named == CONTROL:
            return self._control(path)
        reply = answer(self._web, url)
        topic = reply.page.topic if reply.page else None
        self._requests.append(Request(time.time(), named.lower(), url, reply.status, topic))
        return reply

    def _control(self, path: str) -> Answer:
        if path == "count":
            pages = sum(request.topic is not None for request in self._requests)
            return Answer(200, _JSON, json.dumps([{"pages": pages}]).encode())
        if path == "forget":
            self._requests.clear()
        elif path != "requests":
            return Answer(404, _JSON, b"[]")
        return Answer(
            200, _JSON, json.dumps([asdict(r) for r in self._requests], ensure_ascii=False).encode()
        )


def _bytes(reply: Answer, *, stays: bool, bodiless: bool) -> bytes:
    fields = [
        *reply.headers,
        ("Content-Length", str(len(reply.body))),
        ("Connection", "keep-alive" if stays else "close"),
    ]
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}", *(f"{k}: {v}" for k, v in fields)]
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
    return head if bodiless else head + reply.body


async def _until_stdin_closes(server: DemoServer, port: int) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def wait_for_end() -> None:
        sys.stdin.buffer.read()
        loop.call_soon_threadsafe(stop.set)

    def ready(address: str) -> None:
        sys.stdout.write(address + "\n")
        sys.stdout.flush()

    threading.Thread(target=wait_for_end, daemon=True).start()
    await server.serve(ready, stop, port)


def main(arguments: list[str] | None = None) -> int:
    """Serve until stdin closes."""
    parser = argparse.ArgumentParser(prog="python -m topiccrawler.demo.server", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="another seed makes another web (default 1)")
    parser.add_argument("--port", type=int, default=0, help="0 (default) takes a free port")
    options = parser.parse_args(arguments)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_until_stdin_closes(DemoServer(Web(options.seed)), options.port))
    return 0


if __name__ == "__main__":
    sys.exit(main())
