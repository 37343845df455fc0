"""Plans the synthetic web: its sites, and the pages of each with URL, topic and headline, equal on every machine for equal random seeds.

The web has the variety of the real one: portals with channels on hosts or on paths, small topical sites, forums, blogs, old charsets.
Every site is a list of channels (host, path prefix, topic, number of articles); everything else follows from its kind and style.
Two parts never link to each other: `train`, whose links train a classifier, and `crawl`, where it is tested.

Links and bodies are generated from the plan on demand.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from topiccrawler.lab.demo.language import SUBJECTS, TOPICS, headline, vocabulary
from topiccrawler.resources import package_text
from topiccrawler.urls.canonical import canonical

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


ENTRIES_A_LIST = 15
CALENDAR_MONTHS = range(
    2019 * 12, 2021 * 12
)  # months that are pages of the plan; the calendar itself has no end
_TAGS_A_CHANNEL = 2
NOWHERE = Channel("", "", MIXED, "", 0)  # of pages outside all channels


def key(url: str) -> str:
    """The canonical form of a URL; empty for an invalid one."""
    return canonical(url) or ""


class PlannedPage(NamedTuple):
    """One page of the plan."""

    url: str
    site: Site
    kind: str  # home | front | menu | list | article | tag | category | about | members | month
    topic: str
    title: str
    channel: Channel = NOWHERE
    number: int = 0  # of a list's page, an article, or a calendar's month


class Web:
    """All pages of the synthetic web for one random seed."""

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed
        self.seeds, self.train_seeds = [f"http://{DIRECTORY}/"], [f"http://{TRAIN_DIRECTORY}/"]
        self.pages: dict[str, PlannedPage] = {}
        self.site_of: dict[str, Site] = {}
        self.within: dict[tuple[Channel, str], list[PlannedPage]] = defaultdict(list)  # by channel and kind
        self.nouns, self.articles = cache(self._nouns), cache(self._articles)
        for site in SITES:
            for page in self._plan(site):
                self.pages[key(page.url)] = page
                self.site_of.setdefault(page.url.split("/")[2], site)
                self.within[page.channel, page.kind].append(page)

    def dice(self, *what: object) -> Random:
        """A random generator that depends only on the seed and on its purpose `what`, never on earlier calls."""
        return Random(" ".join(map(str, (self.seed, *what))))

    def _nouns(self, host: str, topic: str) -> list[str]:
        """The nouns of a topic that the site on this host uses."""
        return vocabulary(self.dice("words", host, topic), topic)

    def _articles(self, *channels: Channel) -> list[PlannedPage]:
        return [article for channel in channels for article in self.within[channel, "article"]]

    def find(self, url: str) -> PlannedPage | None:
        """The page at a URL in any form, including months of the endless calendar; None if there is none."""
        wanted = key(url)
        month = re.fullmatch(rf"http://{CALENDAR}/(\d+)/(0[1-9]|1[0-2])/", wanted, re.ASCII)
        if month is None:
            return self.pages.get(wanted)
        return _month(self.site_of[CALENDAR], int(month[1][:6]) * 12 + int(month[2]) - 1)

    def truth(self, url: str) -> str | None:
        """The topic of the page at `url`; "mixed" for pages without one; None if there is no page."""
        page = self.find(url)
        return page.topic if page else None

    def hosts(self, part: str | None = None) -> list[str]:
        """The hosts that have pages, of one part or all, in the order of the plan."""
        return [host for host, site in self.site_of.items() if part in (None, site.part)]

    def of_part(self, part: str) -> Iterator[PlannedPage]:
        """The pages of one part, TRAIN or CRAWL."""
        return (page for page in self.pages.values() if page.site.part == part)

    def _plan(self, site: Site) -> Iterator[PlannedPage]:
        home = f"http://{site.host}/"
        behind = site.kind in ("refresh", "frames")  # the home page is behind an entry page
        if behind:
            yield PlannedPage(home, site, "front", site.topic, site.name)
        yield PlannedPage(home + "main.html" * behind, site, "home", site.topic, site.name)
        if site.kind == "frames":
            yield PlannedPage(home + "menu.html", site, "menu", site.topic, "栏目")
        yield PlannedPage(home + "about.html", site, "about", MIXED, f"关于{site.name}")
        first = 0
        for channel in site.channels:
            yield from self._plan_channel(site, channel, first)
            first += channel.articles
        for topic in TOPICS if site.kind == "directory" else ():
            title = f"{SUBJECTS[topic].zh}网站大全"
            yield PlannedPage(f"{home}{SUBJECTS[topic].pinyin}/", site, "category", topic, title)
        if site.kind == "club":
            yield PlannedPage(home + "chengyuan.html", site, "members", MIXED, "成员主页")
        if site.kind == "calendar":
            yield from (_month(site, number) for number in CALENDAR_MONTHS)

    def _plan_channel(self, site: Site, channel: Channel, first: int) -> Iterator[PlannedPage]:
        """The lists, articles and tag pages of a channel. `first`: the number of its first article within the site."""
        name, topic = f"{channel.name}_{site.name}", channel.topic
        for at in range(1, -(-channel.articles // ENTRIES_A_LIST) + 1):
            title = name if at == 1 else f"{name}_第{at}页"
            yield PlannedPage(site.list_url(channel, at), site, "list", topic, title, channel, at)
        for number in range(first, first + channel.articles):
            dice = self.dice("title", site.host, number)
            about = dice.choice(TOPICS) if topic == MIXED else topic
            words = self.nouns(site.host, about)
            title = words[number - first] if site.style == "words" else headline(dice, about, words)
            url = site.article_url(channel, number, title)
            yield PlannedPage(url, site, "article", about, title, channel, number)
        if site.is_old and site.kind == "portal":  # words in the site's own charset, as old sites have them
            for word in self.nouns(site.host, topic)[:_TAGS_A_CHANNEL]:
                url = f"http://{channel.host}/so.php?q={quote(word.encode(site.encoding.codec))}"
                yield PlannedPage(url, site, "tag", topic, f"{word}_标签", channel)


def _month(site: Site, number: int) -> PlannedPage:
    """The page of any month of any year, counted from year 0: an endless trap for crawlers."""
    year, month = number // 12, number % 12 + 1
    url, title = f"http://{site.host}/{year}/{month:02}/", f"{year}年{month}月"
    return PlannedPage(url, site, "month", MIXED, title, number=number)
