"""A made-up web without end for measuring crawls that are long: every URL of its hosts is answered, made when asked for.

A page is about 20 kB with 94 links: 14 of the site's menu, 55 to pages of its site that nothing else links, 15 to pages
that its neighbours link too, 10 to other sites. So a crawl meets some 60 new URLs a page for as long as it runs. In one
site of five most pages are about finance, in the others one of twelve. A page is a function of its URL.
"""

from __future__ import annotations

import random

from webs.news import text_streams

SEED = "http://s0.example/news/0.html"
HOSTS = 20_000
MENU, CHILDREN, SHARED, OTHERS = 14, 55, 15, 10
SITES_ON_TOPIC, PAGES_ON_TOPIC = 0.2, (1 / 12, 0.6)  # of other sites, of sites on topic
_NUMBERS = 1 << 40
_STEP, _SALT = 6_364_136_223_846_793_005, 1_442_695_040_888_963_407
_ROBOTS = "User-agent: *\n" + "".join(f"Disallow: /private{n}/\n" for n in range(20))


class EndlessWeb:
    """The same seed makes the same web."""

    def __init__(self, seed: int = 1) -> None:
        self._streams = text_streams(random.Random(seed))

    def answer(self, url: bytes) -> tuple[bytes, str] | None:
        """Body and content type; None for what is no URL of this web."""
        name, _, path = url.decode("ascii", "replace").removeprefix("http://s").partition(".example/")
        number = path[5:-5]
        if path == "robots.txt":
            return _ROBOTS.encode(), "text/plain"
        if not name.isdecimal() or not number.isdecimal():
            return None
        return self._page(int(name), int(number)).encode(), "text/html; charset=utf-8"

    def _title(self, host: int, number: int) -> str:
        stream = self._streams[is_on_topic(host, number)]
        start = (number * 2_654_435_761 + host * 97) % (len(stream) - 40)
        return stream[start : start + 12 + number % 9].replace("，", "").replace("。", "")

    def _page(self, host: int, number: int) -> str:
        draw = random.Random(number * HOSTS + host)
        stream = self._streams[is_on_topic(host, number)]

        def link(to_host: int, to: int, text: str) -> str:
            return (
                f'<a href="{_path(to) if to_host == host else url_of(to_host, to)}" title="{text}">{text}</a>'
            )

        def listed(to: int) -> str:
            start = to % (len(stream) - 80)
            return f'<li class="item"><h3>{link(host, to, self._title(host, to))}</h3><p>{stream[start : start + 30]}</p></li>'

        def paragraph() -> str:
            start = draw.randrange(len(stream) - 300)
            return f"<p>{stream[start : start + draw.randrange(80, 240)]}</p>"

        menu = "".join(f"<li>{link(host, n, self._title(host, n)[:4])}</li>" for n in range(MENU))
        near = [_child(number % 97, n) for n in range(SHARED)]
        below = [_child(number, n + SHARED) for n in range(CHILDREN)]
        others = [(int(HOSTS * draw.random() ** 2), draw.randrange(1000)) for _ in range(OTHERS)]
        title = self._title(host, number)
        return (
            f'<!DOCTYPE html>\n<html lang="zh-CN"><head><meta charset="utf-8"><title>{title}</title></head>\n'
            f'<body><ul class="nav">{menu}</ul><div class="main"><h1>{title}</h1>\n'
            f'<div class="text">{"".join(paragraph() for _ in range(8))}</div>\n'
            f'<ul class="list">{"".join(map(listed, below))}</ul></div>\n'
            f'<div class="side"><h2>相关</h2><ul>{"".join(map(listed, near))}</ul>'
            f"{''.join(link(*place, self._title(*place)) for place in others)}</div></body></html>"
        )


def _path(number: int) -> str:
    return f"/{('news', 'view', 'list')[number % 3]}/{number}.html"


def url_of(host: int, number: int) -> str:
    """The address of a page."""
    return f"http://s{host}.example{_path(number)}"


def _child(number: int, place: int) -> int:
    mixed = (number * _STEP + (place + 1) * _SALT) % (1 << 64)
    return (mixed ^ mixed >> 29) * _STEP % (1 << 64) % _NUMBERS


def is_on_topic(host: int, number: int) -> bool:
    """Whether the page is about finance."""
    on_topic = host * 7919 % 1000 < 1000 * SITES_ON_TOPIC
    return (number * 40_503 + host) % 997 < 997 * PAGES_ON_TOPIC[on_topic]
