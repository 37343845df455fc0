"""A synthetic Chinese news web for measuring cost: pages of the size, link count and link text that portals have.

Every page is about 90 kB and has 200 links (menu 30, path 4, list 100, sidebar 40, in the text 10, foot 16), some 120
of them distinct; menu and foot repeat on every page of a host. Words are drawn by frequency from the dictionary that
comes with jieba; in every fifth page a part of them is drawn from a short list of financial words instead, so that a
focused crawl has something to prefer and to keep. Good for cost, useless for quality. The same seed makes the same web.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path

SHARE_ON_TOPIC = 0.2
STREAM_WORDS = 400_000  # words drawn once; every text is a piece of this stream
FINANCE = (
    "基金", "股票", "证券", "理财", "银行", "投资", "收益", "净值", "债券", "利率", "贷款",
    "保险", "期货", "外汇", "上市公司", "股市", "分红", "财经", "金融", "黄金", "信托", "大盘",
)  # fmt: skip
STYLE = "\n".join(
    f".c{n} {{ margin: {n % 7}px; padding: {n % 5}px; color: #{n:06x}; line-height: 1.{n % 10}em }}" for n in range(150)
)  # fmt: skip
SCRIPT = "\n".join(
    f"function f{n}(a,b){{var x=document.getElementById('e{n}');if(x){{x.className='c{n}';}}return a+b*{n};}}"
    for n in range(100)
)


class NewsWeb:
    """`pages` pages on `hosts` hosts; the seed is the first page of the first host."""

    def __init__(self, pages: int = 2000, hosts: int = 40, seed: int = 1) -> None:
        self.draw = random.Random(seed)
        plain, mixed = text_streams(self.draw)
        self.streams = (plain, mixed)
        self.pages = [(host, number) for host in range(hosts) for number in range(pages // hosts)]
        self.on_topic = {page: self.draw.random() < SHARE_ON_TOPIC for page in self.pages}
        self.titles = {page: self.words(self.on_topic[page], 8, 25) for page in self.pages}
        self.menus = [[self.words(False, 2, 5) for _ in range(30)] for _ in range(hosts)]
        self.feet = [[self.words(False, 4, 10) for _ in range(16)] for _ in range(hosts)]
        self.per_host = pages // hosts

    def bodies(self) -> Iterator[tuple[str, bytes]]:
        """Every page: URL and HTML."""
        for page in self.pages:
            yield _url(page), self.page(page).encode()

    def words(self, on_topic: bool, least: int, most: int) -> str:
        """Running words without punctuation."""
        return (
            self.prose(on_topic, self.draw.randint(least, most) * 2)
            .replace("，", "")
            .replace("。", "")[:most]
        )

    def prose(self, on_topic: bool, characters: int) -> str:
        """Clauses with Chinese punctuation."""
        stream = self.streams[on_topic]
        start = self.draw.randrange(len(stream) - characters)
        return stream[start : start + characters]

    def page(self, page: tuple[int, int]) -> str:
        """One page's HTML."""
        host, number = page
        draw, per_host = self.draw, self.per_host
        menu, foot, topic = self.menus[host], self.feet[host], self.on_topic[page]

        def link(to: tuple[int, int], text: str, kind: str) -> str:
            href = f"/p{to[1]}.html" if to[0] == host else _url(to)
            return f'<a href="{href}" class="{kind}" target="_blank" title="{text}">{text}</a>'

        def near() -> tuple[int, int]:
            return host, draw.randrange(per_host)

        def listed(position: int) -> str:
            to = near() if draw.random() < 0.7 else draw.choice(self.pages)
            anchor = link(to, self.titles[to], "list-link")
            summary = self.prose(self.on_topic[to], draw.randint(20, 40))
            date = f"2026-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"
            return (
                f'<div class="list-item c{position}"><span class="num">{position + 1}</span><h3 class="title">{anchor}</h3>'
                f'<p class="summary">{summary}</p><span class="date">{date}</span></div>'
            )

        def beside(position: int) -> str:
            to = draw.choice(self.pages)
            clicks = draw.randint(1, 9999)
            return f'<li class="side c{position}"><i class="icon"></i>{link(to, self.titles[to], "side-link")}<em>{clicks}</em></li>'

        def paragraph(characters: int) -> str:
            to = draw.choice(self.pages)
            anchor = link(to, self.words(self.on_topic[to], 4, 10), "inline")
            return f'<p class="para">{self.prose(topic, characters)}{anchor}{self.prose(topic, 20)}</p>'

        entries = "".join(
            f'<li class="nav-item c{n}">{link((host, n % per_host), menu[n], f"nav-link c{n}")}</li>' for n in range(30)
        )  # fmt: skip
        path = " &gt; ".join(link((host, (number + n) % per_host), menu[n], "crumb") for n in range(4))
        text = "".join(paragraph(draw.randint(80, 300)) for _ in range(10))
        last = "".join(f"<dd>{link((host, n % per_host), foot[n], 'foot')}</dd>" for n in range(16))
        title = self.titles[page]
        return (
            f'<!DOCTYPE html>\n<html lang="zh-CN"><head><meta charset="utf-8"><title>{title}</title>'
            f'<meta name="keywords" content="{self.words(topic, 4, 8)}">'
            f'<meta name="description" content="{self.prose(topic, 60)}">\n'
            f"<style>{STYLE}</style><script>{SCRIPT}</script></head>\n"
            f'<body><div id="header"><ul class="nav">{entries}</ul></div>\n<div id="crumb">{path}</div>\n'
            f'<div id="wrap"><div id="main"><h1 class="article-title">{title}</h1>\n'
            f'<div class="meta"><span>来源：{menu[0]}</span><span>2026-01-01 08:00</span></div>\n'
            f'<div id="content" class="article-content">{text}</div>\n'
            f'<div class="list">{"".join(map(listed, range(100)))}</div></div>\n'
            f'<div id="sidebar"><h2>{menu[1]}</h2><ul>{"".join(map(beside, range(40)))}</ul></div></div>\n'
            f'<div id="footer"><dl>{last}</dl><p>版权所有</p></div><script>{SCRIPT}</script></body></html>'
        )


def _url(page: tuple[int, int]) -> str:
    return f"http://s{page[0]}.example/p{page[1]}.html"


def text_streams(draw: random.Random) -> tuple[str, str]:
    """Words off topic, and the same with financial words among them."""
    found = find_spec("jieba")
    if found is None or found.origin is None:
        raise SystemExit("the words come from jieba's dictionary: pip install jieba")
    words, counts = [], []
    with Path(found.origin).with_name("dict.txt").open(encoding="utf-8") as lines:
        for line in lines:
            word, count, *_ = line.split(" ")
            if len(word) <= 5 and all("一" <= character <= "鿿" for character in word):
                words.append(word)
                counts.append(int(count))
    drawn = draw.choices(words, cum_weights=list(accumulate(counts)), k=STREAM_WORDS)
    mixed = [draw.choice(FINANCE) if draw.random() < 0.25 else word for word in drawn]
    return _clauses(drawn, draw), _clauses(mixed, draw)


def _clauses(words: list[str], draw: random.Random) -> str:
    parts: list[str] = []
    at = 0
    while at < len(words):
        length = draw.randint(4, 10)
        parts += (*words[at : at + length], "。" if draw.random() < 0.3 else "，")
        at += length
    return "".join(parts)
