"""Defines the sites of the synthetic web: their kinds, charsets and URL styles, and where each topic is on them.

The web has the variety of the real one: portals with channels on hosts or on paths, small topical sites, forums, blogs, old charsets.
Every site is a list of channels (host, path prefix, topic, number of articles); everything else follows from its kind and style.

Two parts never link to each other: `train`, whose links train a classifier, and `crawl`, where it is tested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from topiccrawler.resources import package_text

TRAIN, CRAWL = "train", "crawl"
DIRECTORY = "daohang.example"  # the seed of the crawl
TRAIN_DIRECTORY = "mulu.example"
JUMPED = "old-licai.example"  # a host that only redirects, to LICAI
LICAI = "www.qianzhuang.example"
DEAD = "www.guanting.example"  # linked from footers, but does not exist
CALENDAR = "rili.example"
CLUB = "tongchuang.example"  # an alumni club; its members' page is one mouth of a tunnel
BLOGS = "boke.example"
MIXED = "mixed"  # the topic of pages without a topic of their own


class Channel(NamedTuple):
    """One section of a site: pages of one topic under one prefix."""

    host: str
    prefix: str  # begins and ends with "/"
    topic: str  # MIXED: each article has its own
    name: str
    articles: int


class Encoding(NamedTuple):
    """The charset of a site's bytes, and the charsets that the site declares."""

    codec: str  # of the bytes
    http: str | None  # declared in the HTTP header; None = not declared
    meta: str  # declared in the page


UTF8 = Encoding("utf-8", "utf-8", "utf-8")
GBK = Encoding(
    "gb18030", None, "gb2312"
)  # as on old sites: declared only in the page, as a charset that is too small
BIG5 = Encoding("big5", "big5", "big5")
LYING = Encoding("gb18030", "utf-8", "gbk")  # a server whose default header nobody ever changed


class Site(NamedTuple):
    """One site. `kind` determines its home page, `style` its URLs."""

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
        """Whether the site uses tables for layout, as sites with a charset of the GB family do."""
        return self.encoding.codec == "gb18030"

    def article_url(self, channel: Channel, number: int, title: str) -> str:
        """The URL of one article. `number`: counted over the whole site."""
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
        """The URL of page `page` (from 1) of a channel's list; the first is the channel's home page."""
        base = f"http://{channel.host}{quote(channel.prefix)}"
        if self.style == "forum":
            return f"http://{channel.host}/forum-{channel.prefix.strip('/b')}-{page}.html"
        further = {"dated": f"index_{page}.shtml", "query": f"?page={page}", "blog": f"page/{page}"}
        return base if page == 1 else base + further.get(self.style, f"list_{page}.html")


def _sites() -> Iterator[Site]:
    """The sites in sites.txt; a site whose channels have only one topic has that topic."""
    encodings = {"utf8": UTF8, "gbk": GBK, "big5": BIG5, "lying": LYING}
    text = re.sub(r"(?m)^#.*\n", "", package_text("lab/demo/sites.txt"))
    for block in re.split(r"\n(?!\t)", text.strip()):
        (host, name, kind, style, encoding, part), *rows = (line.split() for line in block.splitlines())
        channels = []
        for where, topic, shown, articles in rows:
            own_host, _, path = where.partition("/")
            channels.append(Channel(own_host, f"/{path}", topic, shown, int(articles)))
        topics = {channel.topic for channel in channels}
        yield Site(
            host,
            name,
            kind,
            tuple(channels),
            style,
            encodings[encoding],
            hidden=part == "hidden",
            part=TRAIN if part == TRAIN else CRAWL,
            topic=topics.pop() if len(topics) == 1 else MIXED,
        )


SITES = tuple(_sites())
# The entrance of each tunnel, a page that links to hidden hosts -> the hidden hosts.
TUNNELS: dict[str, tuple[str, ...]] = {
    f"http://{CLUB}/chengyuan.html": ("zhouji.example", "shuimian.example"),
    f"http://{BLOGS}/shougong/": ("gebi.example",),
}
