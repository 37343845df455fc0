"""A synthetic web of one good site and of hosts that would keep a crawler for ever. Pages are computed when asked for.

good.example        a home, ten lists, 190 articles about finance; the home links to all the others
small0…19.example   ten articles each, five of these sites about finance
farm.example        a link farm: every page has fresh text and 30 fresh links, all about finance
net0…2.example      three farms that link each other
sN.wild.example     a farm with a host a page
words.example       endless pages of words that are about nothing
days.example        a calendar without end
deep.example        /a/a/a/…
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from zlib import crc32

TOPIC = "finance"
GOOD_PAGES = 200  # home and lists not counted: 190 articles and the ten lists
LINKS = 30  # of a trap's page
TRAPS = ("farm.example", "net0.example", "net1.example", "net2.example", "wild.example", "words.example",
         "days.example", "deep.example")  # fmt: skip
_FINANCE = (
    "基金", "股票", "证券", "债券", "期货", "银行", "理财", "保险", "信托", "投资", "收益率", "净值", "大盘", "涨停", "牛市",
    "熊市", "分红", "上市公司", "财报", "利率", "汇率", "央行", "存款", "贷款", "信用卡", "券商", "私募", "公募", "黄金",
    "外汇", "人民币", "通货膨胀", "市盈率", "创业板", "沪深", "上证指数", "融资", "并购", "首发", "股东",
)  # fmt: skip
_FILLERS = (
    "今天", "昨日", "专家", "记者", "认为", "表示", "市场", "消息", "情况", "问题", "时间", "公司", "数据", "结果", "近期",
    "方面", "目前", "继续", "出现", "可能", "影响", "需要", "选择", "关注",
)  # fmt: skip
_OTHERS = (
    "球队", "比赛", "电影", "演员", "天气", "菜谱", "旅途", "学校", "老师", "手机", "游戏", "小说", "音乐", "动物", "花园",
    "汽车", "城市", "公园", "故事", "节日",
)  # fmt: skip


class TrapsWeb:
    """Answers by URL; the same URL always gives the same page."""

    def __init__(self) -> None:
        self._words = _FINANCE

    def body(self, url: str) -> bytes | None:
        """The HTML of a page; None: there is none."""
        host, _, path = url.removeprefix("http://").partition("/")
        draw = random.Random(crc32(url.encode()))
        if host == "good.example":
            return self._good(path, draw)
        if host.startswith("small"):
            number = int(host.removeprefix("small").partition(".")[0])
            words = self._words if number < 5 else _OTHERS
            links = [(f"http://{host}/{n}", self._title(draw, words)) for n in range(10)]
            return self._page(draw, words, links)
        if host == "words.example":
            return self._page(draw, _OTHERS, self._links(draw, _OTHERS, "http://words.example/"))
        if host == "days.example":
            day = int(path or 0)
            return self._page(
                draw, _OTHERS, [(f"http://{host}/{day + step}", "下一天") for step in (1, 2, 30)]
            )
        if host == "deep.example":
            return self._page(
                draw, self._words, [(f"http://{host}/{path}a/", self._title(draw, self._words))]
            )
        return self._farm(host, draw)

    def _farm(self, host: str, draw: random.Random) -> bytes | None:
        if host.startswith("net"):
            starts = [f"http://net{n}.example/" for n in range(3)]
            links = [link for start in starts for link in self._links(draw, self._words, start)[:10]]
        elif host.endswith(".wild.example"):
            links = [
                (f"http://s{draw.randrange(10**6)}.wild.example/", self._title(draw, self._words))
                for _ in range(LINKS)
            ]
        elif host == "farm.example":
            links = self._links(draw, self._words, "http://farm.example/")
        else:
            return None
        return self._page(draw, self._words, links)

    def _good(self, path: str, draw: random.Random) -> bytes | None:
        if path == "":
            links = [(f"http://good.example/list{n}", f"财经新闻列表{n}") for n in range(10)]
            links += [(f"http://small{n}.example/", f"友情链接{n}") for n in range(20)]
            starts = [
                "http://s0.wild.example/",
                *(f"http://{host}/" for host in TRAPS if host != "wild.example"),
            ]
            links += [(start, self._title(draw, self._words)) for start in starts]
        elif path.startswith("list"):
            first = 19 * int(path.removeprefix("list"))
            links = [
                (f"http://good.example/article{n}", self._title(draw, self._words))
                for n in range(first, first + 19)
            ]
        elif path.startswith("article"):
            links = [("http://good.example/", "首页")]
        else:
            return None
        return self._page(draw, self._words, links)

    def _links(self, draw: random.Random, words: Sequence[str], start: str) -> list[tuple[str, str]]:
        return [(f"{start}{draw.randrange(10**9)}", self._title(draw, words)) for _ in range(LINKS)]

    def _title(self, draw: random.Random, words: Sequence[str]) -> str:
        return "".join(draw.choices(words, k=3)) + draw.choice(_FILLERS)

    def _page(self, draw: random.Random, words: Sequence[str], links: list[tuple[str, str]]) -> bytes:
        title = self._title(draw, words)
        lines = ("".join(draw.choices(words, k=6) + draw.choices(_FILLERS, k=6)) for _ in range(12))
        text = "".join(f"<p>{line}。</p>" for line in lines)
        rows = "".join(f'<li><a href="{url}">{anchor}</a></li>' for url, anchor in links)
        return f"<html><head><title>{title}</title></head><body>{text}<ul>{rows}</ul></body></html>".encode()
