"""Serves the synthetic web over real HTTP, as a forward proxy on loopback: `http_proxy` set, any crawler sees real hosts.

One port stands for some eighty hosts, so it speaks proxy (`GET http://host/path`) and plain HTTP with a Host header alike.
Every request is recorded: what was asked for, in which order and when.

What the synthetic web answers to one request: a page of the plan drawn as HTML, in the bytes of its site, or no page.

Each body is drawn anew on request and none is kept. All that is not a page of the plan happens here: redirects, robots.txt,
dead ends, wrong declarations of the charset.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from functools import cache
from html import escape
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, NamedTuple, Self
from urllib.parse import unquote

from opencc import OpenCC

from topiccrawler.files import package_table
from topiccrawler.lab.demo.linking import Block, Shown, blocks
from topiccrawler.lab.demo.plan import (
    BIG5,
    CALENDAR,
    DIRECTORY,
    JUMPED,
    LICAI,
    MIXED,
    SUBJECTS,
    TOPICS,
    UTF8,
    PlannedPage,
    Web,
    draw,
    key,
    paragraphs,
)

RARE = "𬱖"  # an editor's given name that only GB18030 among the GB family can write
_TEXT, _HTML = "text/plain; charset=utf-8", "text/html; charset=utf-8"
_traditional = cache(lambda: OpenCC("s2tw"))  # as Taiwan writes
_ROBOTS = "User-agent: *\nDisallow: /user/\n"
_CRAWL_DELAY = "Crawl-delay: 0.2\n"  # asked for by the calendar alone
_JUMP = "go.php?to="  # the directory's script that counts clicks
_MARKUP = package_table("lab/demo/markup.toml")


class Answer(NamedTuple):
    """One HTTP response; `page` is the page of the plan it shows, if any."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    page: PlannedPage | None = None


def answer(web: Web, url: str) -> Answer:
    """The response to GET `url`; never raises, whatever is asked."""
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
    status, kind, body = 404, _HTML, _MARKUP["gone"]
    if host not in web.site_of:
        status, kind, body = 502, _TEXT, "no such host\n"
    elif path == "robots.txt":
        status, kind, body = 200, _TEXT, _ROBOTS + (_CRAWL_DELAY if host == CALENDAR else "")
    return Answer(status, (("Content-Type", kind),), body.encode())


def _moved(web: Web, url: str, host: str, path: str) -> tuple[int, str] | None:
    """Where an address that is no page leads to, and by which status."""
    if host == JUMPED:
        return 301, f"http://{LICAI}/{path}"
    if host == DIRECTORY and path.startswith(_JUMP) and path.removeprefix(_JUMP) in web.site_of:
        return 302, f"http://{path.removeprefix(_JUMP)}/"
    return (301, f"{url}/") if "?" not in path and web.find(f"{url}/") else None


class _Drawing:
    """A page as HTML."""

    def __init__(self, web: Web, page: PlannedPage) -> None:
        self.web, self.page, self.site = web, page, page.site
        self.dice = web.dice("body", page.url)

    def html(self) -> str:
        page, site = self.page, self.site
        charset = f'<meta http-equiv="Content-Type" content="text/html; charset={site.encoding.meta}">'
        charset = '<meta charset="utf-8">' if site.encoding is UTF8 else charset
        if page.kind == "front":
            door = _MARKUP["doors"][site.kind]
            return f"<html><head>{charset}<title>{page.title}</title>{door}</html>\n"
        blocks_before, blocks_after = list[str](), list[str]()
        for block in blocks(self.web, page):
            (blocks_before if block.role in ("nav", "crumb") else blocks_after).append(self.block(block))
        junk = _MARKUP["junk"].format(site.host) if page.kind == "home" and site.style == "query" else ""
        foot = f"<p class=foot>责任编辑：李{RARE}　{escape(site.name)} 版权所有 {junk}</p>"
        body = f"{''.join(blocks_before)}{self.text()}{''.join(blocks_after)}{foot}"
        body = f"<table width=960 align=center><tr><td>{body}</td></tr></table>" if site.is_old else body
        return f"<!DOCTYPE html>\n<html><head>{charset}{self.head()}</head><body>{body}</body></html>\n"

    def head(self) -> str:
        page, site, channel = self.page, self.site, self.page.channel
        head = f"<title>{escape(page.title if page.title.endswith(site.name) else f'{page.title}_{site.name}')}</title>"
        if page.topic != MIXED and page.kind in ("article", "list", "home"):
            words = self.dice.sample(self.web.nouns(site.host, page.topic), 3)
            head += f'<meta name="keywords" content="{",".join(words)}">'
        based = site.style == "base" and channel.host
        return head + (f'<base href="http://{channel.host}{channel.prefix}">' if based else "")

    def text(self) -> str:
        """What is neither navigation nor list: the article, or the few lines other kinds have."""
        page, dice = self.page, self.dice
        heading = f"<h1>{escape(page.title)}</h1>"
        if page.kind == "about":
            lines = [
                line.format(place=draw(dice, "places"), person=draw(dice, "surnames", "given"))
                for line in _MARKUP["about"].split()
            ]
            return heading + "".join(f"<p>{line}</p>" for line in lines)
        if page.kind in ("menu", "members", "category", "month"):
            return heading
        if page.topic == MIXED:
            return f"<p>{escape(self.site.name)}，{draw(dice, 'places')}人的网上家园。</p>"
        nouns = self.web.nouns(self.site.host, page.topic)
        if page.kind != "article":
            lead = paragraphs(dice, page.topic, nouns, 2)[0]
            return f"<h1>{escape(page.title.split('_')[0])}</h1><p class=lead>{lead}</p>"
        lines = paragraphs(dice, page.topic, nouns, dice.randint(9, 22))
        text = "".join(f"<p>　　{line}</p>" for line in lines)
        day = f"2019年{dice.randint(1, 12)}月{dice.randint(1, 28)}日"
        author = draw(dice, "surnames", "given")
        byline = f"<div class=info>{day}　来源：{self.site.name}　作者：{author}</div>"
        other = dice.choice(TOPICS)
        if dice.random() < 0.3:  # a keyword line as sites print them for search engines, honest or not
            text += f"<p class=tags>大家还在搜：{'　'.join(dice.sample(SUBJECTS[other].nouns, 3))}</p>"
        return f"{heading}{byline}<div class=article>{text}</div>"

    def block(self, block: Block) -> str:
        role, links = block.role, [self.link(link) for link in block.links]
        heading = f"<h3>{escape(block.heading)}</h3>" if block.heading else ""
        if role in _MARKUP["lines"]:
            tag, glue = _MARKUP["lines"][role]
            return f"<{tag} class={role}>{heading}{glue.join(links)}</{tag}>\n"
        if self.site.is_old:
            rows = "".join(f"<tr><td>·{link}</td></tr>" for link in links)
            return f"{heading}<table class={role}>{rows}</table>\n"
        return f"<div class={role}>{heading}<ul>{''.join(f'<li>{link}</li>' for link in links)}</ul></div>\n"

    def link(self, link: Shown) -> str:
        note = f" <span>{escape(link.note)}</span>" if link.note else ""
        href = escape(self.relative(link.url))
        shape: str = _MARKUP["shapes"][link.shape]
        return shape.format(href=href, text=escape(link.text), note=note)

    def relative(self, url: str) -> str:
        """Links within a host are written relative, to the root or to `<base href>`."""
        _, _, host, path = url.split("/", 3)
        path, channel = f"/{path}", self.page.channel
        if host != self.page.url.split("/")[2]:
            return url
        if self.site.is_old and "?q=%" in path and len(raw := unquote(path, "gb18030")) % 2 == 0:
            return raw  # characters as they are: browsers send a query in the page's own charset
        if self.site.style == "base" and channel.host and path.startswith(channel.prefix):
            return path.removeprefix(channel.prefix) or "./"
        return path


IDLE_SECONDS = 60.0
_PROXY_NAMES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy"})
_NO_TLS = Answer(502, (("Content-Type", "text/plain"),), b"https is not served; use http://\n")
_NO_METHOD = Answer(405, (("Allow", "GET, HEAD"),), b"")


class Request(NamedTuple):
    """One request that was answered."""

    time: float  # seconds since the epoch
    host: str
    url: str
    status: int
    topic: str | None  # of the page shown; None for all that is no page of the plan


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
        self.requests: list[Request] = []  # every one answered so far, in order
        self.web, self.lock = web, threading.Lock()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.shutdown()
        self.server_close()

    @property
    def pages_served(self) -> int:
        """How many of the requests so far were answered with a page of the plan."""
        return sum(request.topic is not None for request in self.requests)

    def environment(self) -> dict[str, str]:
        """This process' environment with the web in the place of the network."""
        kept = {name: value for name, value in os.environ.items() if name.lower() not in _PROXY_NAMES}
        return {**kept, "http_proxy": self.address}


class _Connection(BaseHTTPRequestHandler):
    server: RunningServer
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def handle(self) -> None:
        with suppress(ConnectionError):  # the client left: nothing is owed to it
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
        """Not to the terminal: requests are recorded."""
