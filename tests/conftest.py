"""What tests share: a web drawn as a dictionary and served over real HTTP, and a way to run `scrapy` as users do."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import WarcRecord, WarcRecordType

from topiccrawler.demo import answers
from topiccrawler.demo.plan import Web
from topiccrawler.demo.sites import CRAWL, DIRECTORY, JUMPED, LICAI, MIXED

ROOT = Path(__file__).parents[1]


@dataclass
class Answer:
    """One response of a drawn web."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class DrawnWeb:
    """A web given as url -> HTML (or Answer), served by an HTTP proxy on loopback; `asked` lists the URLs in order."""

    pages: dict[str, Any]
    asked: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    proxy: str = ""

    def fetched(self) -> list[str]:
        """The pages asked for, without robots.txt."""
        return [url for url in self.asked if not url.endswith("/robots.txt")]

    def answer(self, url: str) -> Answer:
        found = self.pages.get(url)
        if callable(found):
            found = found()
        if found is None:
            return Answer(b"nothing here", 404, {"Content-Type": "text/plain"})
        return found if isinstance(found, Answer) else Answer(found.encode())


@pytest.fixture
def draw_web() -> Iterator[Callable[[dict[str, Any]], DrawnWeb]]:
    """Serve a web: `web = draw_web({"http://a.example/": "<a href=…>…"})`, then `http_proxy=web.proxy`."""
    servers: list[ThreadingHTTPServer] = []

    def serve(pages: dict[str, Any]) -> DrawnWeb:
        web = DrawnWeb(pages)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                web.asked.append(self.path)
                web.headers.append(dict(self.headers))
                answer = web.answer(self.path)
                self.send_response(answer.status)
                headers = {"Content-Type": "text/html; charset=utf-8", **answer.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *args: Any) -> None:
                """Tests read `asked`."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        web.proxy = f"http://127.0.0.1:{server.server_port}"
        return web

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def answer() -> Callable[..., Answer]:
    """Make a response that is more than HTML: `answer(301, Location="/new")`."""

    def make(status: int, body: bytes = b"", **headers: str) -> Answer:
        return Answer(body, status, {name.replace("_", "-"): value for name, value in headers.items()})

    return make


@dataclass
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def scrapy(tmp_path: Path) -> Callable[..., Ran]:
    """Run `scrapy …` in the checkout as a subprocess; data goes to the test's own folder."""

    def run(*args: str, proxy: str | None = None, timeout: float = 120, **environment: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", *args],
            cwd=ROOT,
            env=scrapy_environment(tmp_path, proxy, environment),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


def scrapy_environment(folder: Path, proxy: str | None, more: Mapping[str, str]) -> dict[str, str]:
    """This process's environment, the proxy set or none at all."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    if proxy:
        kept["http_proxy"] = proxy
    return {**kept, "PYTHONWARNINGS": "", **more}


@pytest.fixture
def shared() -> Path:
    """The unpacked shared data, where it is at hand."""
    folder = os.environ.get("TOPICCRAWLER_SHARED")
    if not folder:
        pytest.skip("TOPICCRAWLER_SHARED is not set: the shared webs and links are not on this machine")
    return Path(folder)


@pytest.fixture
def record_web() -> Callable[[Web, Path], tuple[Path, Path]]:
    """The part of the demo's web that is crawled, as a WARC file and its labels: the same bytes each time."""

    def write(web: Web, folder: Path) -> tuple[Path, Path]:
        warc, labels = folder / "pages.warc", folder / "labels.tsv"
        pages = list(web.of_part(CRAWL))
        urls = [page.url for page in pages]
        home = f"http://{LICAI}/"
        ways = [f"http://{DIRECTORY}/go.php?to={host}" for host in web.hosts()]
        ways += [url.replace(home, f"http://{JUMPED}/", 1) for url in urls if url.startswith(home)]
        given = [(url, answers.answer(web, url)) for url in (*urls, *ways)]
        with warc.open("wb") as file:
            for number, (url, found) in enumerate(pair for pair in given if pair[1].status < 400):
                fields = (*found.headers, ("Content-Length", str(len(found.body))))
                head = f"HTTP/1.1 {found.status} {HTTPStatus(found.status).phrase}\r\n"
                head += "".join(f"{name}: {value}\r\n" for name, value in fields)
                response = WarcRecord()
                response.init_headers(WarcRecordType.response)
                response.headers["WARC-Record-ID"] = f"<urn:topiccrawler:{number}>"
                response.headers["WARC-Date"] = "2020-01-01T00:00:00Z"  # a real one would not repeat
                response.headers["WARC-Target-URI"] = url
                response.headers["Content-Type"] = "application/http; msgtype=response"
                response.set_bytes_content(f"{head}\r\n".encode() + found.body)
                response.write(file)
        rows = ["#url\ttopics\thow\tkind"]
        for page in pages:
            topic = "" if page.topic == MIXED else page.topic
            rows.append(f"{page.url}\t{topic}\tplan\t{'content' if page.kind == 'article' else 'hub'}")
        labels.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return warc, labels

    return write
