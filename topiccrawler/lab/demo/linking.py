"""Generates the links of a page of the synthetic web: their blocks, targets, texts and shapes.

Relevant pages can be found by links in lists, related articles, links between sites of one topic, and hubs with sites of every topic.
As on real pages, these are mixed with navigation, hot lists of the whole portal, vague and cut anchors, and dead links. Hidden sites are
linked only by a list of people's names and a list of neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from topiccrawler.lab.demo import plan
from topiccrawler.lab.demo.language import SUBJECTS, TOPICS, VAGUE_ANCHORS, draw, headline
from topiccrawler.lab.demo.plan import (
    ENTRIES_A_LIST,
    MIXED,
    SITES,
    TRAIN,
    TUNNELS,
    Channel,
    PlannedPage,
    Site,
    Web,
)

VAGUE_ANCHOR_SHARE = 0.12  # links to articles with an anchor text that says nothing
CUT_SHARE = 0.15  # links to articles with a truncated anchor text
DEAD_SHARE = 0.02  # links to articles that do not exist
DEAD_NUMBER = 90_000  # of the article of each channel that does not exist
TRACKED_SHARE = 0.04  # links with a tracking parameter
SITES_A_TOPIC = 2  # on the directory's front page; the topic's own page has all of them


class Hyperlink(NamedTuple):
    """One link on a page."""

    url: str
    text: str
    note: str = ""  # plain text after it: a date, a description
    shape: str = "text"  # text | image | titled (the text is the title attribute) | area


class Block(NamedTuple):
    """A group of links on a page. `role` determines the markup."""

    role: str  # nav | crumb | section | list | pager | related | hot | inline | friends | footer | trade
    heading: str
    links: tuple[Hyperlink, ...]


Drawn = Iterator[tuple[str, str, Iterable[Hyperlink]]]  # role, heading and links of blocks, in page order


def blocks(web: Web, page: PlannedPage) -> list[Block]:
    """The blocks of links of a page, in page order."""
    return [Block(role, heading, tuple(links)) for role, heading, links in _Links(web, page).blocks()]


def _home(host: str, text: str, note: str = "") -> Hyperlink:
    return Hyperlink(f"http://{host}/", text, note)


class _Links:
    """Generates the links of one page at random, the same in each call."""

    def __init__(self, web: Web, page: PlannedPage) -> None:
        self.web, self.page, self.site = web, page, page.site
        self.dice = web.dice("links", page.url)
        # the other sites of this part that are not hidden
        self.others = [s for s in SITES if s.part == self.site.part and not s.hidden and s != self.site]

    def blocks(self) -> Drawn:
        if self.page.kind == "menu":
            yield "nav", "", [self.channel(channel) for channel in self.site.channels]
            return
        if self.page.kind == "month":
            yield "nav", "", self.months()
        else:
            yield "nav", "", self.navigation()
            yield from getattr(self, f"on_{self.page.kind}", tuple)()
        yield "footer", "友情链接", self.footer()

    def navigation(self) -> Iterator[Hyperlink]:
        yield _home(self.site.host, "首页")
        if self.site.kind == "directory":
            order = self.web.dice("order", self.site.host).sample(TOPICS, len(TOPICS))
            yield from (self.topic_page(topic, SUBJECTS[topic].zh) for topic in order)
        yield from map(self.channel, self.site.channels)
        if self.site.kind in ("portal", "forum"):
            yield Hyperlink(f"http://{self.site.host}/user/login.html", "登录")

    def months(self) -> Iterator[Hyperlink]:
        """Links to the previous month, the next month and the next year, without end."""
        for step, text in ((-1, "上月"), (1, "下月"), (12, "明年")):
            year, month = divmod(self.page.number + step, 12)
            yield Hyperlink(f"http://{plan.CALENDAR}/{year}/{month + 1:02}/", text)

    def footer(self) -> Iterator[Hyperlink]:
        site = self.site
        yield Hyperlink(f"http://{site.host}/about.html", "关于我们")
        yield _home(plan.TRAIN_DIRECTORY if site.part == TRAIN else plan.DIRECTORY, "网址导航")
        if site.kind == "portal" and site.part != TRAIN:
            yield from (_home(plan.CALENDAR, "万年历"), _home(plan.DEAD, "观亭网"))
        if site.kind == "topical" and not site.hidden:
            dice = self.web.dice("friends", site.host)
            others = [other for other in self.others if other.channels]
            same = [other for other in others if other.topic == site.topic]
            friends = dice.sample(same, min(2, len(same)))
            friends += dice.sample([other for other in others if other not in same], 2)
            yield from (_home(friend.host, friend.name) for friend in friends)

    def on_home(self) -> Drawn:
        site = self.site
        if site.kind == "directory":
            yield from self.directory()
        if site.kind == "calendar":
            years = {year: f"http://{plan.CALENDAR}/{year}/01/" for year in (2018, 2019, 2020)}
            yield "list", "年份", [Hyperlink(url, f"{year}年") for year, url in years.items()]
        for channel in site.channels:
            more = Hyperlink(self.channel(channel).url + "#list", "更多>>")
            yield "section", channel.name, [*self.some(self.web.articles(channel), 6), more]
        if site.kind == "club":
            yield "list", "通讯录", [Hyperlink(f"http://{site.host}/chengyuan.html", "成员主页")]
        if site.kind == "portal":
            banner = self.dice.choice(self.web.articles(*site.channels))
            yield "section", "焦点", [Hyperlink(banner.url, banner.title, shape="area")]

    def directory(self) -> Drawn:
        """The directory's front page: all mixed sites, and a few sites of every topic."""
        for topic in (MIXED, *self.dice.sample(TOPICS, len(TOPICS))):
            members = [other for other in self.others if other.topic == topic]
            members = self.dice.sample(members, len(members))
            if topic == MIXED:
                yield "section", "综合", [self.entry(member) for member in members]
            else:
                entries = [self.entry(member) for member in members[:SITES_A_TOPIC]]
                yield "section", SUBJECTS[topic].zh, [*entries, self.topic_page(topic, "更多")]

    def on_category(self) -> Drawn:
        """All sites and channels of a topic, each with a short note."""
        topic, links = self.page.topic, list[Hyperlink]()
        for site in self.others:
            if site.topic == topic:
                links.append(self.entry(site, SUBJECTS[topic].zh + "类网站"))
            else:
                channels = [channel for channel in site.channels if channel.topic == topic]
                links += [Hyperlink(self.channel(c).url, f"{site.name}{c.name}", "频道") for c in channels]
        yield "list", self.page.title, self.dice.sample(links, len(links))

    def on_list(self) -> Drawn:
        page, pages = self.page, self.web.within[self.page.channel, "list"]
        entries = self.web.articles(page.channel)[(page.number - 1) * ENTRIES_A_LIST :][:ENTRIES_A_LIST]
        yield "list", page.channel.name, map(self.article, entries)
        pager = [Hyperlink(other.url, str(other.number)) for other in pages if other != page]
        pager += [Hyperlink(other.url, "下一页") for other in pages[page.number : page.number + 1]]
        yield "pager", "", pager
        if tags := self.web.within[page.channel, "tag"]:
            yield "section", "标签", [Hyperlink(tag.url, tag.title.split("_")[0]) for tag in tags]
        yield from self.hot()
        if hidden := TUNNELS.get(page.url):
            yield "friends", "邻居", [_home(host, self.web.site_of[host].name) for host in hidden]

    def on_tag(self) -> Drawn:
        yield "list", self.page.title, self.some(self.web.articles(self.page.channel), 8)

    def on_article(self) -> Drawn:
        page, siblings = self.page, self.web.articles(self.page.channel)
        here = page.number - siblings[0].number
        yield "crumb", "", [_home(self.site.host, self.site.name), self.channel(page.channel)]
        pager = [Hyperlink(other.url, "上一篇") for other in siblings[max(here - 1, 0) : here]]
        pager += [Hyperlink(other.url, "下一篇") for other in siblings[here + 1 : here + 2]]
        yield "pager", "", pager
        yield "related", "相关阅读", self.some(siblings, 5)
        yield from self.hot()
        if not self.site.hidden and self.dice.random() < 0.25:
            yield "trade", "他们也在说", map(self.article, self.trade())

    def on_members(self) -> Drawn:
        """The entrance of a tunnel: people's names, of which some link to hidden relevant sites."""
        homes = [f"http://{host}/" for host in TUNNELS[self.page.url]]
        blogs = [self.channel(channel).url for channel in self.web.site_of[plan.BLOGS].channels]
        links = [Hyperlink(url, draw(self.dice, "surnames", "given"), "届友") for url in (*homes, *blogs)]
        yield "list", "通讯录", self.dice.sample(links[: len(homes) + 6], len(homes) + 6)

    def hot(self) -> Drawn:
        """A list of random articles of the whole site; on a portal a mixture of all topics on every page."""
        yield "hot", "热点排行", self.some(self.web.articles(*self.site.channels), 8)

    def trade(self) -> list[PlannedPage]:
        """Random articles of other sites: two of the same topic, one of another topic."""
        here = self.page.url.split("/")[2]
        near = [site for site in SITES if site.part == self.site.part and not site.hidden]
        channels = [channel for site in near for channel in site.channels if channel.host != here]
        same = [self.web.articles(channel) for channel in channels if channel.topic == self.page.topic]
        other = [self.web.articles(channel) for channel in channels if channel.topic != self.page.topic]
        sides = [same, same, other] if same else [other]
        return [self.dice.choice(self.dice.choice(side)) for side in sides]

    def channel(self, channel: Channel) -> Hyperlink:
        return Hyperlink(self.web.within[channel, "list"][0].url, channel.name)

    def topic_page(self, topic: str, text: str) -> Hyperlink:
        return Hyperlink(f"http://{self.site.host}/{SUBJECTS[topic].pinyin}/", text)

    def entry(self, site: Site, note: str = "") -> Hyperlink:
        """The directory's link to a site: direct, or through the redirect script with which directories count clicks."""
        if site.host != plan.LICAI and site.part != TRAIN and self.dice.random() < 0.2:
            return Hyperlink(f"http://{plan.DIRECTORY}/go.php?to={site.host}", site.name, note)
        return _home(plan.JUMPED if site.host == plan.LICAI else site.host, site.name, note)

    def some(self, pool: Sequence[PlannedPage], count: int) -> Iterable[Hyperlink]:
        """Links to `count` random articles of these."""
        return map(self.article, self.dice.sample(pool, min(count, len(pool))))

    def article(self, target: PlannedPage) -> Hyperlink:
        """A link to an article with its headline, a truncated headline or a vague text; some have a tracking parameter, some are dead."""
        dice, text, url, site = self.dice, target.title, target.url, target.site
        drawn = dice.random()
        if drawn < VAGUE_ANCHOR_SHARE:
            text = dice.choice(VAGUE_ANCHORS)
        elif drawn < VAGUE_ANCHOR_SHARE + CUT_SHARE and len(text) > 13:
            text = text[:12] + "…"
        shape = dice.choice(("image", "titled")) if dice.random() < 0.06 else "text"
        drawn = dice.random()
        if drawn < DEAD_SHARE:
            nouns = self.web.nouns(site.host, target.topic)
            text = headline(self.web.dice("dead", target.channel), target.topic, nouns)
            url = site.article_url(target.channel, DEAD_NUMBER, text)
        elif drawn < DEAD_SHARE + TRACKED_SHARE:
            url += ("&" if "?" in url else "?") + "utm_source=" + site.host.split(".")[0]
        return Hyperlink(url, text, f"{dice.randint(1, 12):02}-{dice.randint(1, 28):02}", shape)
