"""A synthetic web for measuring order: many hosts, of which one in twenty is about the topic.

A few lists name all pages, mixed, each with a summary around its link; each page is a leaf. What a link says is clear,
so that only the order in which politeness lets a crawler fetch decides how soon it has the pages about finance. The same seed makes the same web.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

SHARE_ON_TOPIC = 0.05  # of hosts, and so of links
LIST_LINKS = 1_000  # links a list
ABOUT = (
    "基金净值今日上涨", "股票市场成交放大", "银行理财产品收益", "上市公司财报公布", "债券利率走势分析",
    "证券投资策略周报", "保险资金入市规模", "期货黄金价格行情", "央行下调贷款利率", "外汇市场人民币汇率",
)  # fmt: skip
ASIDE = (
    "球队主场取得胜利", "新片首映明星到场", "周末郊外赏花好去处", "家常红烧肉的做法", "中学开学典礼举行",
    "手机拍照技巧大全", "医生提醒多喝热水", "博物馆展出青铜器", "小猫走失众人寻找", "台风过后道路恢复",
)  # fmt: skip


class HostsWeb:
    """`links` pages on `hosts` hosts, one host in twenty about finance."""

    def __init__(self, hosts: int = 200, links: int = 10_000, seed: int = 1) -> None:
        draw = random.Random(seed)
        self.per_host = links // hosts
        self.on_topic = set(draw.sample(range(hosts), max(1, round(hosts * SHARE_ON_TOPIC))))
        self.pages = [(host, number) for host in range(hosts) for number in range(self.per_host)]
        draw.shuffle(self.pages)

    @property
    def lists(self) -> list[str]:
        """The seeds."""
        return [f"http://list{n}.example/" for n in range(-(-len(self.pages) // LIST_LINKS))]

    def is_on_topic(self, url: str) -> bool:
        """Is it one of the pages that are wanted?"""
        name = url.removeprefix("http://h").partition(".")[0]
        return name.isdigit() and int(name) in self.on_topic

    def bodies(self) -> Iterator[tuple[str, bytes]]:
        """Every page: URL and HTML."""
        for number, url in enumerate(self.lists):
            pages = self.pages[number * LIST_LINKS : (number + 1) * LIST_LINKS]
            rows = "".join(map(self._row, pages))
            yield url, f"<html><head><title>列表</title></head><body><ul>{rows}</ul></body></html>".encode()
        for page in self.pages:
            title = self._title(page)
            text = f"<p>{title}，详情请看正文。</p>" * 10
            yield (
                _url(page),
                f"<html><head><title>{title}</title></head><body>{text}</body></html>".encode(),
            )

    def _row(self, page: tuple[int, int]) -> str:
        host, number = page
        lead, tail = (self._title((host, number + step)) for step in (3, 7))
        return f'<li><p>{f"{lead}，" * 8}</p><a href="{_url(page)}">{self._title(page)}</a><p>{f"{tail}，" * 8}</p></li>\n'

    def _title(self, page: tuple[int, int]) -> str:
        host, number = page
        titles = ABOUT if host in self.on_topic else ASIDE
        return titles[(host * 7 + number) % len(titles)]


def _url(page: tuple[int, int]) -> str:
    return f"http://h{page[0]}.example/page{page[1]}.html"
