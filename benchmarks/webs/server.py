"""Serves a synthetic web to a crawler in another process, as an HTTP proxy on loopback, as fast as Python can.

The conflict: the crawler is measured, so the server must cost it nothing; and a crawl of two hundred hosts needs names
without DNS. So the answers lie ready in memory, the server takes a processor of its own where there is one, and a
crawler with `http_proxy` set sees any host it asks for.

    python server.py news --pages 2000 --hosts 40        python server.py order --hosts 200 --links 10000
    python server.py traps                               python server.py endless

With `--tls` the links of `news` are https: the server answers CONNECT and ends TLS itself, with a certificate that it signs.
prints its address and serves until stdin closes. http://bench.invalid/log lists as JSON what was asked for and when
(monotonic seconds); http://bench.invalid/forget empties that list.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import resource
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any, cast
from urllib.request import ProxyHandler, build_opener

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

sys.path.insert(0, str(Path(__file__).parents[1]))
from webs.bounded import BoundedWeb
from webs.endless import EndlessWeb
from webs.hosts import HostsWeb
from webs.news import NewsWeb
from webs.traps import TrapsWeb

ROOT = Path(__file__).parents[2]
CONTROL = "http://bench.invalid/"
_NOTHING = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"


def whole_answer(body: bytes, kind: str = "text/html; charset=utf-8") -> bytes:
    """The bytes of a response."""
    return (
        f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode("ascii")
        + body
    )


class _Connection(asyncio.Protocol):
    """Reads requests without a body, one after the other, and writes what `answer` gives for each URL."""

    def __init__(
        self,
        answer: Callable[[bytes], bytes | None],
        asked: list[tuple[float, str]],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._answer_to = answer
        self._asked = asked
        self._tls = tls
        self._site = b""  # https://host, of a connection that CONNECT has begun
        self._is_shaking_hands = False
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._read += data
        if not self._is_shaking_hands:
            self._answer_all()

    def _answer_all(self) -> None:
        while (end := self._read.find(b"\r\n\r\n")) >= 0:
            method, url, _ = self._read[: self._read.index(b"\r\n")].split(b" ")
            self._read = self._read[end + 4 :]
            if method != b"GET" and (method != b"CONNECT" or self._tls is None):
                self._transport.close()  # a browser asks its maker for something
                return
            if method == b"CONNECT":
                self._site = b"https://" + url.removesuffix(b":443")
                self._is_shaking_hands = True
                self._beginning = asyncio.ensure_future(self._begin_tls())
                return
            self._transport.write(self._answer(self._site + url))

    async def _begin_tls(self) -> None:
        assert self._tls is not None  # noqa: S101 other connections are closed
        self._transport.write(b"HTTP/1.1 200 OK\r\n\r\n")
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):  # a crawl that ends
            begun = await loop.start_tls(self._transport, self, self._tls, server_side=True)
            self._transport = cast("asyncio.Transport", begun)
            self._is_shaking_hands = False
            self._answer_all()

    def _answer(self, url: bytes) -> bytes:
        text = url.decode("latin-1")
        if not text.startswith(CONTROL):
            self._asked.append((time.monotonic(), text))
            return self._answer_to(url) or _NOTHING
        if text == f"{CONTROL}forget":
            self._asked.clear()
        return whole_answer(json.dumps(self._asked).encode(), "application/json")


def own_certificate() -> ssl.SSLContext:
    """A server's context with a key and a certificate of this moment."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now().astimezone()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "bench.invalid")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now - timedelta(1)).not_valid_after(now + timedelta(1))
    certificate = made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    encoded = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    with tempfile.NamedTemporaryFile() as file:
        file.write(encoded + certificate)
        file.flush()
        context.load_cert_chain(file.name)
    return context


async def serve(answer: Callable[[bytes], bytes | None], tls: ssl.SSLContext | None = None) -> None:
    """Until stdin closes."""
    asked: list[tuple[float, str]] = []
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(answer, asked, tls), "127.0.0.1", 0, backlog=512)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


@dataclass
class Served:
    """A web that is being served."""

    proxy: str

    def ask(self, what: str) -> Any:
        """ "log" or "forget"."""
        with build_opener(ProxyHandler({"http": self.proxy})).open(CONTROL + what, timeout=30) as answer:
            return json.load(answer)

    def environment(self) -> dict[str, str]:
        """That of a crawler that is to see this web and no other."""
        # a project's settings, proxies
        others = ("SCRAPY_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(others)}
        return {**kept, "http_proxy": self.proxy, "https_proxy": self.proxy}


@contextlib.contextmanager
def served(*arguments: str) -> Iterator[Served]:
    """Serve a web from a process of its own."""
    process = subprocess.Popen(
        [sys.executable, __file__, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None  # noqa: S101 a pipe was asked for
    assert process.stdout is not None  # noqa: S101
    try:
        address = process.stdout.readline().strip()
        if not address:
            raise SystemExit("the server of the synthetic web did not start")
        yield Served(address)
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(10)


def started(
    words: Sequence[str],
    environment: Mapping[str, str],
    log: IO[str],
    cwd: str | Path = ROOT,
    program: Sequence[str] = (sys.executable, "-m", "scrapy"),
) -> subprocess.Popen[bytes]:
    """`scrapy WORDS`, or those of another program, on the crawler's processor; by default in the project."""
    return subprocess.Popen(
        [*program, *words],
        cwd=cwd,
        env=environment,
        stdout=log,
        stderr=log,
        preexec_fn=lambda: os.sched_setaffinity(0, processors()[0]),  # noqa: PLW1509 no threads here
    )


def ended(process: subprocess.Popen[bytes], log: IO[str], code: int = 0) -> resource.struct_rusage:
    """Wait for its end; what it used. SystemExit with the end of its log for another exit status."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != code:
        log.seek(0)
        raise SystemExit(f"ended with {process.returncode}:\n{log.read()[-3000:]}")
    return usage


def processors() -> tuple[set[int], set[int]]:
    """For the crawler, for the server: the same when there is only one."""
    every = sorted(os.sched_getaffinity(0))
    return {every[0]}, {every[-1]}


def main() -> None:
    """Make a web and serve it."""
    parser = argparse.ArgumentParser(description="Serve a synthetic web as a proxy on loopback.")
    parser.add_argument("web", choices=("news", "order", "traps", "endless", "bounded"))
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--hosts", type=int, default=40)
    parser.add_argument("--links", type=int, default=10_000)
    parser.add_argument("--suffix", default=".example", help="of news: the last part of each host's name")
    parser.add_argument("--tls", action="store_true", help="of news: all links are https")
    given = parser.parse_args()
    os.sched_setaffinity(0, processors()[1])
    if given.web == "traps":
        traps = TrapsWeb()

        def computed(url: bytes) -> bytes | None:
            body = traps.body(url.decode("latin-1"))
            return None if body is None else whole_answer(body)

        asyncio.run(serve(computed))
        return
    if given.web in {"endless", "bounded"}:
        made = (EndlessWeb() if given.web == "endless" else BoundedWeb(given.hosts)).answer
        asyncio.run(serve(lambda url: whole_answer(*body) if (body := made(url)) else None))
        return
    web: NewsWeb | HostsWeb
    web = NewsWeb(given.pages, given.hosts) if given.web == "news" else HostsWeb(given.hosts, given.links)
    pages = ((url.encode(), body) for url, body in web.bodies())
    changed = {b"http://": b"https://"} if given.tls else {}
    for old, new in (changed | {b".example": given.suffix.encode()}).items():
        pages = [(url.replace(old, new), body.replace(old, new)) for url, body in pages]
    answers = {url: whole_answer(body) for url, body in pages}
    asyncio.run(serve(answers.get, own_certificate() if given.tls else None))


if __name__ == "__main__":
    main()
