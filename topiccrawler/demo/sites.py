"""The sites of the synthetic web: who they are, how they write bytes and addresses, and where each topic lives on them.

It has the real web's variety: portals with channels on hosts or on paths, small topical sites, boards, blogs, old charsets.
Every site is a list of channels (host, path prefix, topic, number of articles), and all else follows from its kind and style.

Two parts that never link to each other: `train`, whose links teach a classifier, and `crawl`, where it is tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from topiccrawler.demo.words import FINANCE, LISTS, SUBJECTS, TOPICS

TRAIN, CRAWL = "train", "crawl"
DIRECTORY = "daohang.example"  # the seed of the crawl
TRAIN_DIRECTORY = "mulu.example"
JUMPED = "old-licai.example"  # a host that only redirects, to LICAI
LICAI = "www.qianzhuang.example"
DEAD = "www.guanting.example"  # linked from footers, answers to nobody
CALENDAR = "rili.example"
CLUB = "tongchuang.example"  # an alumni club; its members' page is one mouth of a tunnel
BLOGS = "boke.example"
MIXED = "mixed"  # the topic of pages that have none of their own


class Channel(NamedTuple):
    """One section of a site: pages of one topic under one prefix."""

    host: str
    prefix: str  # begins and ends with "/"
    topic: str  # MIXED: each article has its own
    name: str
    articles: int


class Encoding(NamedTuple):
    """What a site's bytes are, and what it says they are."""

    codec: str  # of the bytes
    http: str | None  # what the HTTP header says; None = nothing
    meta: str  # what the page says


UTF8 = Encoding("utf-8", "utf-8", "utf-8")
GBK = Encoding("gb18030", None, "gb2312")  # as old sites have it: declared in the page only, and too small
BIG5 = Encoding("big5", "big5", "big5")
LYING = Encoding("gb18030", "utf-8", "gbk")  # a server whose default header nobody ever changed


class Site(NamedTuple):
    """One site. `kind` says what its home page is, `style` how it writes addresses."""

    host: str
    name: str
    kind: str  # directory | portal | topical | forum | blogs | newspaper | words | club | calendar | frames | refresh
    channels: tuple[Channel, ...] = ()
    style: str = "plain"  # plain | dated | query | forum | blog | words | base
    encoding: Encoding = UTF8
    hidden: bool = False  # reached through a tunnel only: in no directory, no footer
    part: str = CRAWL
    topic: str = MIXED  # of its home page

    @property
    def is_old(self) -> bool:
        """Laid out in tables, as sites of the GB family's time are."""
        return self.encoding.codec == "gb18030"

    def article_url(self, channel: Channel, number: int, title: str) -> str:
        """The address of one article; `number` counts through the whole site."""
        host, base = f"http://{channel.host}", f"http://{channel.host}{channel.prefix}"
        styles = {
            "dated": f"{base}2019/{number % 12 + 1:02}/{number % 28 + 1:02}/{100_000 + number * 37}.shtml",
            "query": f"{base}view.php?id={1_000 + number}",
            "forum": f"{host}/thread-{2_000 + number}-1-1.html",
            "blog": f"{base}archives/{number}",
            "words": f"{host}/{quote(channel.name)}/{quote(title)}",
        }
        return styles.get(self.style, f"{base}{number}.html")

    def list_url(self, channel: Channel, page: int) -> str:
        """The address of page `page` (from 1) of a channel's list; the first is the channel's home."""
        base = f"http://{channel.host}{quote(channel.prefix)}"
        if self.style == "forum":
            return f"http://{channel.host}/forum-{channel.prefix.strip('/b')}-{page}.html"
        further = {"dated": f"index_{page}.shtml", "query": f"?page={page}", "blog": f"page/{page}"}
        return base if page == 1 else base + further.get(self.style, f"list_{page}.html")


def _rows(words: Iterable[str], width: int) -> Iterator[tuple[str, ...]]:
    return zip(*[iter(words)] * width, strict=True)


def _site(host: str, name: str, kind: str, style: str, articles: int, rows: Iterable[Sequence[str]]) -> Site:
    """A site with a channel for each row (prefix, topic, name); a prefix may begin with a host of its own."""
    channels = []
    for prefix, topic, shown in rows:
        own_host, _, path = prefix.partition("/")
        channels.append(Channel(own_host or host, f"/{path}", topic, shown, articles))
    topics = {channel.topic for channel in channels}
    return Site(host, name, kind, tuple(channels), style, topic=topics.pop() if len(topics) == 1 else MIXED)


def _portal(
    host: str, name: str, size: int, prefix: str, topics: Sequence[str], style: str = "plain"
) -> Site:
    """A site with a channel of `size` articles for each topic, under a prefix made of the topic's names."""
    subjects = [(topic, SUBJECTS[topic]) for topic in topics]
    rows = ((prefix.format(topic=topic, **of._asdict()), topic, of.zh) for topic, of in subjects)
    return _site(host, name, "portal", style, size, rows)


def _topical(host: str, name: str, topic: str, size: str, style: str = "plain", **more: Any) -> Site:
    """A site about one topic: a channel of `size` articles for each of the topic's first five sections."""
    folder = {"plain": "c", "dated": "news", "query": "s", "base": "list"}[style]  # says nothing of the topic
    rows = ((f"/{folder}{n}/", topic, name) for n, name in enumerate(SUBJECTS[topic].sections[:5], 1))
    return _site(host, name, "topical", style, int(size), rows)._replace(**more)


_CRAWLED = (
    Site(DIRECTORY, "大全网址导航", "directory"),
    _portal("www.yunting.example", "云汀网", 44, "{topic}.yunting.example/", TOPICS, "dated"),
    _portal("www.beichuang.example", "北窗网", 32, "/{pinyin}/", TOPICS[:10], "dated"),
    _portal("www.nanpu.example", "南浦在线", 27, "/{pinyin}/", TOPICS[:9])._replace(encoding=GBK),
    *(_topical(*row) for row in _rows(LISTS["crawled"], 5)),
    _topical(LICAI, "钱庄理财", FINANCE, "10", "dated"),
    _topical("www.hongpan.example", "红盘财讯", FINANCE, "9", "query", kind="refresh"),
    _topical("www.haixia.example", "海霞财经", FINANCE, "6", encoding=BIG5),
    _topical("baoxian.example", "保险明白人", FINANCE, "7", encoding=LYING),
    _topical("laogumin.example", "老股民之家", FINANCE, "5", kind="frames", encoding=GBK),
    _site("luntan.example", "半山论坛", "forum", "forum", 27, _rows(LISTS["boards"], 3)),
    _site(BLOGS, "自留地博客", "blogs", "blog", 10, _rows(LISTS["blogs"], 3)),
    _site("wanbao.example", "望川晚报", "newspaper", "query", 32, _rows(LISTS["newspaper"], 3)),
    _site(CLUB, "同窗会", "club", "plain", 10, _rows(LISTS["club"], 3)),
    _portal("cidian.example", "小词典", 12, "/{zh}/", TOPICS, "words")._replace(kind="words"),
    Site(CALENDAR, "万年历", "calendar"),
    _topical("zhouji.example", "周记", FINANCE, "5", "query", hidden=True),
    _topical("shuimian.example", "水面之下", FINANCE, "5", hidden=True),
    _topical("gebi.example", "隔壁小院", FINANCE, "5", "dated", hidden=True),
)
_TRAINED_ON = (
    Site(TRAIN_DIRECTORY, "目录网", "directory"),
    # without lottery, which speaks as finance does
    _portal("www.changting.example", "长亭网", 24, "{topic}.changting.example/", TOPICS[:-1], "dated"),
    _portal("www.luoyuan.example", "洛原热线", 16, "/{pinyin}/", TOPICS[:6]),
    *(_topical(*row) for row in _rows(LISTS["trained_on"], 5)),
)
SITES: tuple[Site, ...] = (*_CRAWLED, *(site._replace(part=TRAIN) for site in _TRAINED_ON))
# Mouth of each tunnel, a page that names the hidden hosts -> hidden hosts.
TUNNELS: dict[str, tuple[str, ...]] = {
    f"http://{CLUB}/chengyuan.html": ("zhouji.example", "shuimian.example"),
    f"http://{BLOGS}/shougong/": ("gebi.example",),
}
