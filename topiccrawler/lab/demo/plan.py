"""The plan of the synthetic web: every page with its address, topic and headline, the same under the same seed on every machine.

Links and bodies follow from it on demand.

What the synthetic web says: each topic's words, and the headlines and paragraphs made of them.

Words and templates lie in web.txt, the sites in sites.txt. Topics overlap where they do in life: property, technology
and games speak of money too, lottery most of all, so a finance word in a link is no proof. Headlines are of three
kinds: telling, vague (nothing of the topic) and false (words of another topic). Were all telling, any crawler could
follow them.

The sites of the synthetic web: who they are, how they write bytes and addresses, and where each topic lives on them.

It has the real web's variety: portals with channels on hosts or on paths, small topical sites, boards, blogs, old charsets.
Every site is a list of channels (host, path prefix, topic, number of articles), and all else follows from its kind and style.

Two parts that never link to each other: `train`, whose links teach a classifier, and `crawl`, where it is tried.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from topiccrawler.files import package_text
from topiccrawler.urls.canonical import canonical

VAGUE_SHARE = 0.14  # headlines that name nothing of their topic
FALSE_SHARE = 0.12  # headlines that borrow a word from elsewhere: others from finance, finance from others
# Of the sentences of a page, how many speak of its second theme; drawn per page.
SIDE_SHARES = (0.0, 0.0, 0.1, 0.2, 0.4)
PLAIN_SHARE = 0.1  # sentences that speak of nothing in particular
VOCABULARY_SHARE = 0.75  # of a topic's nouns that one site uses: none was learnt in full elsewhere
VAGUE_ANCHORS = ("更多", "详情", "更多>>", "[图]", "阅读全文", "查看", "点击进入", "全文", "[详细]", "组图")


class Subject(NamedTuple):
    """One topic's share of the language."""

    zh: str
    pinyin: str  # as it stands in URLs
    sections: tuple[str, ...]
    nouns: tuple[str, ...]
    predicates: tuple[str, ...]


SUBJECTS: dict[str, Subject] = {}
LISTS: dict[str, tuple[str, ...]] = {}
_TEXT = re.sub(r"(?m)^#.*\n", "", package_text("lab/demo/web.txt"))
for _row in f"\n{_TEXT}".split("\n* ")[1:]:
    _names, *_parts = (tuple(part.split()) for part in re.split(r"\s/\s", _row))
    if _parts:
        SUBJECTS[_names[0]] = Subject(_names[1], _names[2], *_parts)
    else:
        LISTS[_names[0]] = _names[1:]
TOPICS = tuple(SUBJECTS)
FINANCE = "finance"
# What finance is asked by: the demo's topic file. Chosen by hand, heavier when the word belongs to finance alone.
_KEYWORDS = {
    1.0: "股票 基金 证券 债券 期货 外汇 投资者 股市 理财产品 净利润 收益率 汇率",
    0.8: "大盘 板块 个股 券商 财报 定投 净值 国债 央行 降息 通胀 保费 上市公司 资产配置 指数基金",
    0.6: "银行 保险 利率 存款 人民币 美元 黄金 原油 市盈率 分红 新股 牛市 熊市 私募 公募 营收",
    0.3: "贷款 风险 融资 监管 估值 并购 投资 信用卡 税收 财政",
}
FINANCE_KEYWORDS = {word: weight for weight, words in _KEYWORDS.items() for word in words.split()}


def draw(dice: Random, *lists: str) -> str:
    """One entry of each list, joined: draw(dice, "surnames", "given") is a person's name."""
    return "".join(dice.choice(LISTS[name]) for name in lists)


def vocabulary(dice: Random, topic: str) -> list[str]:
    """The nouns of a topic that one site uses."""
    nouns = SUBJECTS[topic].nouns
    return dice.sample(nouns, max(3, int(len(nouns) * VOCABULARY_SHARE)))


def headline(dice: Random, topic: str, nouns: list[str]) -> str:
    drawn = dice.random()
    if drawn < VAGUE_SHARE:
        return _filled(draw(dice, "vague"), dice, topic, nouns)
    if drawn < VAGUE_SHARE + FALSE_SHARE:
        other = dice.choice([t for t in TOPICS if t != FINANCE]) if topic == FINANCE else FINANCE
        return _filled(draw(dice, "false"), dice, topic, nouns, dice.choice(SUBJECTS[other].nouns))
    return _filled(draw(dice, "telling"), dice, topic, nouns)


def paragraphs(dice: Random, topic: str, nouns: list[str], sentences: int) -> list[str]:
    """`sentences` sentences in paragraphs of two to five, some of them on a second theme."""
    side, side_share = dice.choice(TOPICS), dice.choice(SIDE_SHARES)

    def sentence() -> str:
        drawn = dice.random()
        if PLAIN_SHARE <= drawn < PLAIN_SHARE + side_share:
            return _filled(draw(dice, "sentences"), dice, side, list(SUBJECTS[side].nouns))
        return _filled(draw(dice, "plain" if drawn < PLAIN_SHARE else "sentences"), dice, topic, nouns)

    result = []
    while sentences > 0:
        size = min(sentences, dice.randint(2, 5))
        result.append("".join(sentence() for _ in range(size)))
        sentences -= size
    return result


def _filled(template: str, dice: Random, topic: str, nouns: list[str], borrowed: str = "") -> str:
    predicates = SUBJECTS[topic].predicates
    drawn = [*dice.sample(nouns, 3), dice.choice(predicates), dice.choice(predicates), draw(dice, "places")]
    drawn += [draw(dice, *names) for names in (("surnames", "given"), ("firms", "firm_ends"), ("times",))]
    drawn += [str(dice.randint(2, 9)), dice.choice("一二三四五六"), borrowed]
    return template.format_map(dict(zip("nmkvupwctqaf", drawn, strict=True)))


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


def _sites() -> Iterator[Site]:
    """The sites of sites.txt, each with the topic of its channels if they have only one."""
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
# Mouth of each tunnel, a page that names the hidden hosts -> hidden hosts.
TUNNELS: dict[str, tuple[str, ...]] = {
    f"http://{CLUB}/chengyuan.html": ("zhouji.example", "shuimian.example"),
    f"http://{BLOGS}/shougong/": ("gebi.example",),
}

ENTRIES_A_LIST = 15
CALENDAR_MONTHS = range(2019 * 12, 2021 * 12)  # counted as pages; the calendar itself has no end
_TAGS_A_CHANNEL = 2
NOWHERE = Channel("", "", MIXED, "", 0)  # of pages that stand in no channel


def key(url: str) -> str:
    """The one spelling of an address; "" for what is none."""
    return canonical(url) or ""


class PlannedPage(NamedTuple):
    """One page of the plan."""

    url: str
    site: Site
    kind: str  # home | front | menu | list | article | tag | category | about | members | month
    topic: str
    title: str
    channel: Channel = NOWHERE
    number: int = 0  # page of a list, month of a calendar


class Web:
    """All pages under one seed."""

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
        """Luck that depends on the seed and on what it is for, never on what was asked before."""
        return Random(" ".join(map(str, (self.seed, *what))))

    def _nouns(self, host: str, topic: str) -> list[str]:
        """The words of a topic that the site of this host uses."""
        return vocabulary(self.dice("words", host, topic), topic)

    def _articles(self, *channels: Channel) -> list[PlannedPage]:
        return [article for channel in channels for article in self.within[channel, "article"]]

    def find(self, url: str) -> PlannedPage | None:
        """The page at this address in any spelling, months of the endless calendar among them."""
        wanted = key(url)
        month = re.fullmatch(rf"http://{CALENDAR}/(\d+)/(0[1-9]|1[0-2])/", wanted, re.ASCII)
        if month is None:
            return self.pages.get(wanted)
        return _month(self.site_of[CALENDAR], int(month[1][:6]) * 12 + int(month[2]) - 1)

    def truth(self, url: str) -> str | None:
        """The topic of the page at `url`; "mixed" for pages without one; None where there is no page."""
        page = self.find(url)
        return page.topic if page else None

    def hosts(self, part: str | None = None) -> list[str]:
        """Hosts that have pages, in the order of the plan."""
        return [host for host, site in self.site_of.items() if part in (None, site.part)]

    def of_part(self, part: str) -> Iterator[PlannedPage]:
        return (page for page in self.pages.values() if page.site.part == part)

    def _plan(self, site: Site) -> Iterator[PlannedPage]:
        home = f"http://{site.host}/"
        behind = site.kind in ("refresh", "frames")  # the home page stands behind a door
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
        """Lists, articles and tags of a channel; the site's articles are numbered from `first` on."""
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
    """Any month of any year, counted from year 0: the trap has no bottom."""
    year, month = number // 12, number % 12 + 1
    url, title = f"http://{site.host}/{year}/{month:02}/", f"{year}年{month}月"
    return PlannedPage(url, site, "month", MIXED, title, number=number)
