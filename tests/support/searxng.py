"""A server on loopback that speaks SearXNG's search API, and as a proxy answers for sites; and a client to ask it without a reactor."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from drawn_web import serving

from topiccrawler.seeding.answers import NoAnswerError


@dataclass
class Searxng:
    """`results`: query -> rows of its first page. `sites`: "METHOD URL" or "URL" -> status, Location or raw bytes."""

    results: Mapping[str, Any] = field(default_factory=dict)
    sites: Mapping[str, int | str | bytes] = field(default_factory=dict)
    json_allowed: bool = True
    asked: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)
    access: list[str] = field(default_factory=list)  # the header Authorization of each search
    held: threading.Event = field(default_factory=threading.Event)  # an answer that never ends has begun
    address: str = ""
    over: threading.Event = field(default_factory=threading.Event)

    def search(self, query: Mapping[str, list[str]]) -> tuple[int, bytes]:
        if not self.json_allowed or query["format"] != ["json"]:
            return 403, b"Forbidden"
        rows = self.results.get(query["q"][0], [])
        if isinstance(rows, bytes):
            return 200, rows
        if isinstance(rows, int):
            return rows, b""
        return 200, json.dumps(
            {"query": query["q"][0], "results": rows if query["pageno"] == ["1"] else []}
        ).encode()


@dataclass(frozen=True)
class Got:
    """What a server has answered."""

    status: int
    body: bytes


async def fetch(url: str, method: str = "GET", *, head_only: bool = False, **meta: Any) -> Got:
    """A `Fetch` over real HTTP. The engine's is tested in a process of its own (seeding/test_fetching.py)."""
    request = Request(url, method=method, headers={"User-Agent": "tester/1"})  # noqa: S310
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=5) as answer:
            return Got(answer.status, answer.read())
    except HTTPError as answer:
        return Got(answer.code, answer.read())
    except URLError as failure:
        raise NoAnswerError(f"connection refused: {failure.reason}") from None


@contextmanager
def searxng(
    results: Mapping[str, Any] | None = None, sites: Mapping[str, Any] | None = None
) -> Iterator[Searxng]:
    """One that runs."""
    spoken = Searxng(results or {}, sites or {})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            spoken.asked.append(f"{self.command} {self.path}")
            spoken.agents.add(self.headers["User-Agent"])
            known = spoken.sites.get(f"{self.command} {self.path}", spoken.sites.get(self.path, 404))
            body = b""
            location = known if isinstance(known, str) else ""
            if isinstance(known, bytes):  # says so much, and never ends
                self.wfile.write(known)
                spoken.held.set()
                spoken.over.wait()
                return
            if self.path.startswith("/search?"):
                spoken.access.append(self.headers["Authorization"] or "")
                known, body = spoken.search(parse_qs(urlsplit(self.path).query))
            self.send_response(302 if location else int(known))
            self.send_header("Location", location) if location else None
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 the server's name for it

        def log_message(self, *args: Any) -> None:
            """Tests read `asked`."""

    with serving(Handler, spoken.over) as spoken.address:
        yield spoken
