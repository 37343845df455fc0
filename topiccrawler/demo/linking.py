"""Which links stand on a page, in which block, under which text.

The conflict: relevant pages must be findable by their links (lists, related articles, friends of the same trade), and the
same links must be buried among navigation, hot lists of the whole portal, dull anchors and dead ends, as on real pages.
"""

from __future__ import annotations

from random import Random

from topiccrawler.demo.anchors import Block, Shown, some, to_article
from topiccrawler.demo.hubs import category, directory, members, months
from topiccrawler.demo.plan import ENTRIES_A_LIST, PlannedPage, Web
from topiccrawler.demo.sites import (
    CALENDAR,
    DEAD,
    DIRECTORY,
    SITES,
    TRAIN,
    TRAIN_DIRECTORY,
    TUNNELS,
    Channel,
    Site,
)
from topiccrawler.demo.words import SUBJECTS, TOPICS


def blocks(web: Web, page: PlannedPage) -> list[Block]:
    """All links of a page, in page order."""
    dice = web.dice("links", page.url)
    site = page.site
    if page.kind == "menu":
        return [Block("nav", "", tuple(_channel(web, channel) for channel in site.channels))]
    if page.kind == "month":
        return [months(page), _footer(web, site)]
    middle = {
        "home": _home,
        "list": _list,
        "article": _article,
        "tag": _tag,
        "category": category,
        "members": members,
    }.get(page.kind)
    found = [_navigation(web, site), *(middle(web, page, dice) if middle else [])]
    mouth = TUNNELS.get(page.url)
    if mouth and page.kind != "members":
        found.append(
            Block("friends", "邻居", tuple(Shown(f"http://{host}/", _site(host).name) for host in mouth))
        )
    return [*found, _footer(web, site)]


def _site(host: str) -> Site:
    return next(site for site in SITES if site.host == host)


def _channel(web: Web, channel: Channel) -> Shown:
    return Shown(web.lists[channel][0].url, channel.name)


def _navigation(web: Web, site: Site) -> Block:
    home = Shown(f"http://{site.host}/", "首页")
    if site.kind == "directory":
        topics = (
            Shown(f"http://{site.host}/{SUBJECTS[t].pinyin}/", SUBJECTS[t].zh)
            for t in web.dice("order", site.host).sample(TOPICS, len(TOPICS))
        )
        return Block("nav", "", (home, *topics))
    shown = tuple(_channel(web, channel) for channel in site.channels)
    login = Shown(f"http://{site.host}/user/login.html", "登录") if site.kind in ("portal", "forum") else None
    return Block("nav", "", (home, *shown, *([login] if login else [])))


def _footer(web: Web, site: Site) -> Block:
    root = DIRECTORY if site.part != TRAIN else TRAIN_DIRECTORY
    links = [Shown(f"http://{site.host}/about.html", "关于我们"), Shown(f"http://{root}/", "网址导航")]
    if site.kind == "portal" and site.part != TRAIN:
        links += [Shown(f"http://{CALENDAR}/", "万年历"), Shown(f"http://{DEAD}/", "观亭网")]
    if site.kind == "topical" and not site.hidden:
        dice = web.dice("friends", site.host)
        same, other = _neighbours(site, own_topic=True), _neighbours(site, own_topic=False)
        friends = dice.sample(same, min(2, len(same))) + dice.sample(other, 2)
        links += [Shown(f"http://{friend.host}/", friend.name) for friend in friends]
    return Block("footer", "友情链接", tuple(links))


def _neighbours(site: Site, *, own_topic: bool) -> list[Site]:
    return [
        other
        for other in SITES
        if other.part == site.part
        and not other.hidden
        and other is not site
        and other.channels
        and (other.topic == site.topic) == own_topic
    ]


def _site_articles(web: Web, site: Site) -> list[PlannedPage]:
    return [article for channel in site.channels for article in web.articles[channel]]


def _hot(web: Web, page: PlannedPage, dice: Random, count: int = 8) -> Block:
    """What the whole site reads: on a portal a mixture of all topics on every page."""
    return Block("hot", "热点排行", some(web, _site_articles(web, page.site), count, dice))


def _home(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    site = page.site
    if site.kind == "directory":
        return directory(site, dice)
    if site.kind == "calendar":
        return [
            Block(
                "list",
                "年份",
                tuple(Shown(f"http://{CALENDAR}/{y}/01/", f"{y}年") for y in (2018, 2019, 2020)),
            )
        ]
    found = []
    for channel in site.channels:
        entries = some(web, web.articles[channel], 6, dice)
        more = Shown(web.lists[channel][0].url + "#list", "更多>>")
        found.append(Block("section", channel.name, (*entries, more)))
    if site.kind == "club":
        found.append(Block("list", "通讯录", (Shown(f"http://{site.host}/chengyuan.html", "成员主页"),)))
    if site.kind == "portal":
        banner = dice.choice(_site_articles(web, site))
        found.append(Block("section", "焦点", (Shown(banner.url, banner.title, shape="area"),)))
    return found


def _pager(web: Web, page: PlannedPage, channel: Channel) -> Block:
    pages = web.lists[channel]
    numbered = [Shown(other.url, str(other.number)) for other in pages if other is not page]
    following = [Shown(pages[page.number].url, "下一页")] if page.number < len(pages) else []
    return Block("pager", "", (*numbered, *following))


def _list(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    channel = page.channel
    if channel is None:
        return []
    first = (page.number - 1) * ENTRIES_A_LIST
    entries = tuple(
        to_article(web, target, dice) for target in web.articles[channel][first : first + ENTRIES_A_LIST]
    )
    tags = tuple(Shown(tag.url, tag.title.split("_")[0]) for tag in web.tags.get(channel, ()))
    found = [Block("list", channel.name, entries), _pager(web, page, channel)]
    return [*found, *([Block("section", "标签", tags)] if tags else []), _hot(web, page, dice)]


def _tag(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    return [Block("list", page.title, some(web, web.articles[page.channel], 8, dice))] if page.channel else []


def _article(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    channel, site = page.channel, page.site
    if channel is None:
        return []
    siblings = web.articles[channel]
    here = siblings.index(page)
    around = [siblings[i] for i in (here - 1, here + 1) if 0 <= i < len(siblings)]
    found = [
        Block("crumb", "", (Shown(f"http://{site.host}/", site.name), _channel(web, channel))),
        Block(
            "pager", "", tuple(Shown(p.url, "上一篇" if p.number < page.number else "下一篇") for p in around)
        ),
        Block("related", "相关阅读", some(web, siblings, 5, dice)),
        _hot(web, page, dice),
    ]
    if not site.hidden and dice.random() < 0.25:
        found.append(_trade(web, page, dice))
    return found


def _trade(web: Web, page: PlannedPage, dice: Random) -> Block:
    """Links to other sites: two of the same topic, one of any."""
    same: list[list[PlannedPage]] = []
    other: list[list[PlannedPage]] = []
    for channel, articles in web.articles.items():
        if not articles or articles[0].site.part != page.site.part or articles[0].site.hidden:
            continue
        if channel.host != page.url.split("/")[2]:
            (same if channel.topic == page.topic else other).append(articles)
    picked = [dice.choice(dice.choice(same)) for _ in range(2) if same] + [dice.choice(dice.choice(other))]
    return Block("trade", "他们也在说", tuple(to_article(web, target, dice) for target in picked))
