"""Serves the synthetic web over real HTTP, as a forward proxy on loopback: with `http_proxy` set, any crawler sees real hosts.

`answer` generates the response to one request: a page of the plan as HTML in its site's charset, or what is no page of the plan: redirects,
robots.txt, missing pages, wrong declarations of the charset. No body is stored.

One port serves some eighty hosts, so it accepts proxy requests (`GET http://host/path`) and plain HTTP with a Host header alike.
Every request is recorded, with its URL and time, in order.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, NamedTuple, Self
from urllib.parse import unquote

from opencc import OpenCC

from topiccrawler.lab.demo.language import SUBJECTS, TOPICS, draw, paragraphs
from topiccrawler.lab.demo.linking import blocks
from topiccrawler.lab.demo.plan import BIG5, CALENDAR, DIRECTORY, JUMPED, LICAI, MIXED, PlannedPage, Web, key
from topiccrawler.results.templating import filled_in

_TEXT, _HTML = "text/plain; charset=utf-8", "text/html; charset=utf-8"
_traditional = cache(lambda: OpenCC("s2tw"))  # as Taiwan writes
_ROBOTS = "User-agent: *\nDisallow: /user/\n"
_CRAWL_DELAY = "Crawl-delay: 0.2\n"  # only in the robots.txt of the calendar
_JUMP = "go.php?to="  # the directory's redirect script, which counts clicks
_GONE = "<html><head><meta charset=utf-8><title>404</title></head><body>您访问的页面不存在。</body></html>"


class Answer(NamedTuple):
    """One HTTP response; `page` is the page of the plan in it, or None."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    page: PlannedPage | None = None


def answer(web: Web, url: str) -> Answer:
    """The response to GET `url`. Never raises, whatever the URL."""
    wanted = key(url)
    host, _, path = wanted.removeprefix("http://").partition("/")
    if page := web.find(wanted):
        encoding, html = page.site.encoding, _Drawing(web, page).html()
        html = _traditional().convert(html) if encoding is BIG5 else html
        kind = f"text/html; charset={encoding.http}" if encoding.http else "text/html"
        # in the site's own charset, whatever it declares
        return Answer(200, (("Content-Type", kind),), html.encode(encoding.codec, "xmlcharrefreplace"), page)
    if moved := _moved(web, wanted, host, path):
        status, where = moved
        return Answer(status, (("Location", where), ("Content-Type", _TEXT)), b"")
    status, kind, body = 404, _HTML, _GONE
    if host not in web.site_of:
        status, kind, body = 502, _TEXT, "no such host\n"
    elif path == "robots.txt":
        status, kind, body = 200, _TEXT, _ROBOTS + (_CRAWL_DELAY if host == CALENDAR else "")
    return Answer(status, (("Content-Type", kind),), body.encode())


def _moved(web: Web, url: str, host: str, path: str) -> tuple[int, str] | None:
    """The status and the target of a redirect for a URL that is no page; None if there is no redirect."""
    if host == JUMPED:
        return 301, f"http://{LICAI}/{path}"
    if host == DIRECTORY and path.startswith(_JUMP) and path.removeprefix(_JUMP) in web.site_of:
        return 302, f"http://{path.removeprefix(_JUMP)}/"
    return (301, f"{url}/") if "?" not in path and web.find(f"{url}/") else None


class _Drawing:
    """Renders one page as HTML."""

    def __init__(self, web: Web, page: PlannedPage) -> None:
        self.web, self.page, self.site = web, page, page.site
        self.dice = web.dice("body", page.url)

    def html(self) -> str:
        drawn = [] if self.page.kind == "front" else blocks(self.web, self.page)
        known = {"page": self.page, "site": self.site, "relative": self.relative, "blocks": drawn}
        return filled_in("lab/demo/page.html", **known, **self.text())

    def text(self) -> dict[str, Any]:
        """The template's values for the texts of a page: those of an article, or the few lines of other kinds."""
        page, dice = self.page, self.dice
        if page.kind == "about":
            (place, _), _, (_, person) = (
                (draw(dice, "places"), draw(dice, "surnames", "given")) for _ in range(3)
            )
            return {"place": place, "person": person}
        if page.kind in ("front", "menu", "members", "category", "month"):
            return {}
        if page.topic == MIXED:
            return {"place": draw(dice, "places")}
        nouns, found = self.web.nouns(self.site.host, page.topic), dict[str, Any]()
        if page.kind == "article":
            found = {"lines_of_text": paragraphs(dice, page.topic, nouns, dice.randint(9, 22))}
            found |= {"month": dice.randint(1, 12), "day": dice.randint(1, 28)}
            found |= {"author": draw(dice, "surnames", "given")}
            other = dice.choice(TOPICS)
            if dice.random() < 0.3:  # a line of keywords for search engines, which may be misleading
                found["tags"] = dice.sample(SUBJECTS[other].nouns, 3)
        else:
            found["lead"] = paragraphs(dice, page.topic, nouns, 2)[0]
        if page.kind in ("article", "list", "home"):
            found["words"] = dice.sample(nouns, 3)
        return found

    def relative(self, url: str) -> str:
        """A URL as the page writes it: links within its host are relative, to the root or to `<base href>`."""
        _, _, host, path = url.split("/", 3)
        path, channel = f"/{path}", self.page.channel
        if host != self.page.url.split("/")[2]:
            return url
        if self.site.is_old and "?q=%" in path and len(raw := unquote(path, "gb18030")) % 2 == 0:
            return raw  # not percent-encoded: browsers send a query in the page's own charset
        if self.site.style == "base" and channel.host and path.startswith(channel.prefix):
            return path.removeprefix(channel.prefix) or "./"
        return path


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
