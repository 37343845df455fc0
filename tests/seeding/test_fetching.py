"""Pages are fetched one at a time, at each host's pace, and not where robots.txt forbids it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from topiccrawler.seeding.http_client import HttpClient
from topiccrawler.seeding.polite_fetcher import PoliteFetcher


class _Site(BaseHTTPRequestHandler):
    asked: list[str]
    robots = b"User-agent: *\nDisallow: /private"

    def do_GET(self) -> None:
        self.asked.append(self.path + self.headers.get("Authorization", ""))
        body = self.robots if self.path == "/robots.txt" else b"<p>page"
        self.send_response(404 if self.path == "/gone" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Site", (_Site,), {"asked": asked}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_each_host_is_asked_at_its_pace_and_robots_are_obeyed(site: tuple[str, list[str]]) -> None:
    root, asked = site
    waited: list[float] = []
    client = HttpClient("topiccrawler", seconds=10, guarded=False)
    fetcher = PoliteFetcher(client, "topiccrawler", seconds=60, sleep=waited.append)
    found = list(fetcher.fetch([f"{root}/{name}" for name in ("a", "private/b", "gone")]))
    assert found == [
        (f"{root}/a", b"<p>page", ""),
        (f"{root}/private/b", b"", "robots.txt forbids it"),
        (f"{root}/gone", b"", "answers 404"),
    ]
    assert asked == ["/robots.txt", "/a", "/gone"]
    assert len(waited) == 2
    assert all(59 < seconds <= 60 for seconds in waited)


@pytest.mark.parametrize(
    "robots",
    [
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /private",
        b"User-agent: *\nDisallow: /*.pdf$",
        b"User-agent: *\nAllow: /\nDisallow: /private/",
    ],
    ids=["byte order mark", "wildcard", "the longest rule counts"],
)
def test_robots_are_read_as_a_crawl_reads_them(
    site: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch, robots: bytes
) -> None:
    root, asked = site
    monkeypatch.setattr(_Site, "robots", robots)
    fetcher = PoliteFetcher(
        HttpClient("t", seconds=10, guarded=False), "t/1.0 (+http://t.example)", seconds=0
    )
    found = fetcher.fetch([f"{root}/private/x.pdf", f"{root}/public.html"])
    assert [fault for *_, fault in found] == ["robots.txt forbids it", ""]
    assert asked == ["/robots.txt", "/public.html"]


def test_the_own_network_is_guarded_and_robots_may_be_ignored(site: tuple[str, list[str]]) -> None:
    root, asked = site
    guarded = PoliteFetcher(HttpClient("t", seconds=10, guarded=True), "t", seconds=0)
    [(_, body, fault)] = guarded.fetch([f"{root}/a"])
    assert (body, "private address" in fault) == (b"", True)
    free = PoliteFetcher(HttpClient("t", seconds=10, guarded=False), "t", seconds=0, obey=False)
    assert [fault for *_, fault in free.fetch([f"{root}/private/b"])] == [""]
    assert asked == ["/private/b"]


def test_no_password_of_the_user_goes_to_a_stranger(
    site: tuple[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, asked = site
    (tmp_path / "netrc").write_text("default login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert HttpClient("t", seconds=10, guarded=False).ask(f"{root}/a")[0] == 200
    assert asked == ["/a"]
