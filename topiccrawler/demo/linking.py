"""Which links stand on a page, in which block, under which text, in which shape.

Relevant pages can be found by their links (lists, related articles, friends of the same trade, hubs that name sites of every
topic), which are buried among navigation, hot lists of the whole portal, dull and cut anchors and dead ends, as on real pages.
Hidden sites are named by a list of people's names only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple

from topiccrawler.demo import sites
from topiccrawler.demo.plan import ENTRIES_A_LIST, PlannedPage, Web
from topiccrawler.demo.sentences import DULL_ANCHORS, headline, person
from topiccrawler.demo.sites import MIXED, SITES, TRAIN, TUNNELS, Channel, Site
from topiccrawler.demo.words import SUBJECTS, TOPICS

DULL_SHARE = 0.12  # links to articles whose text says nothing
CUT_SHARE = 0.15  # links to articles whose text is cut
DEAD_SHARE = 0.02  # links to articles that are gone
DEAD_NUMBER = 90_000  # of the one article of each channel that is gone
TRACKED_SHARE = 0.04  # links that carry a tracking parameter
SITES_A_TOPIC = 2  # on the directory's front; all of them stand on the topic's own page


class Shown(NamedTuple):
    """One link as it will stand on the page."""

    url: str
    text: str
    note: str = ""  # plain text after it: a date, a description
    shape: str = "text"  # text | image | titled (the text is the title attribute) | area


class Block(NamedTuple):
    """Links that stand together. `role` decides the markup."""

    role: str  # nav | crumb | section | list | pager | related | hot | inline | friends | footer | trade
    heading: str
    links: tuple[Shown, ...]


def blocks(web: Web, page: PlannedPage) -> list[Block]:
    """All links of a page, in page order."""
    dice, site = web.dice("links", page.url), page.site
    if page.kind == "menu":
        return [_block("nav", "", (_channel(web, channel) for channel in site.channels))]
    if page.kind == "month":
        return [_months(page), _footer(web, site)]
    found = [_navigation(web, site)]
    if middle := _MIDDLES.get(page.kind):
        found += middle(web, page, dice)
    mouth = TUNNELS.get(page.url, ())
    if mouth and page.kind != "members":
        names = {site.host: site.name for site in SITES}
        found.append(_block("friends", "邻居", (_home_of(host, names[host]) for host in mouth)))
    return [*found, _footer(web, site)]


def _block(role: str, heading: str, links: Iterable[Shown]) -> Block:
    return Block(role, heading, tuple(links))


def _home_of(host: str, text: str, note: str = "") -> Shown:
    return Shown(f"http://{host}/", text, note)


def _channel(web: Web, channel: Channel) -> Shown:
    return Shown(web.lists[channel][0].url, channel.name)


def _to_article(web: Web, target: PlannedPage, dice: Random) -> Shown:
    """A link to an article: its headline, a cut headline, or nothing worth reading; at times tracked or dead."""
    text, url, shape, drawn = target.title, target.url, "text", dice.random()
    if drawn < DULL_SHARE:
        text = dice.choice(DULL_ANCHORS)
    elif drawn < DULL_SHARE + CUT_SHARE and len(text) > 13:
        text = text[:12] + "…"
    if dice.random() < 0.06:
        shape = dice.choice(("image", "titled"))
    luck = dice.random()
    if luck < DEAD_SHARE:
        nouns = web.nouns(target.site, target.topic)
        text = headline(web.dice("dead", target.channel), target.topic, nouns)
        url = sites.article(target.site, target.channel, DEAD_NUMBER, text)
    elif luck < DEAD_SHARE + TRACKED_SHARE:
        url += ("&" if "?" in url else "?") + "utm_source=" + target.site.host.split(".")[0]
    return Shown(url, text, f"{dice.randint(1, 12):02}-{dice.randint(1, 28):02}", shape)


def _some(web: Web, pool: Sequence[PlannedPage], count: int, dice: Random) -> list[Shown]:
    """Links to `count` of these articles, drawn."""
    return [_to_article(web, target, dice) for target in dice.sample(pool, min(count, len(pool)))]


def _navigation(web: Web, site: Site) -> Block:
    found = [_home_of(site.host, "首页")]
    if site.kind == "directory":
        order = web.dice("order", site.host).sample(TOPICS, len(TOPICS))
        found += [_topic_page(site, topic, SUBJECTS[topic].zh) for topic in order]
    found += [_channel(web, channel) for channel in site.channels]
    if site.kind in ("portal", "forum"):
        found.append(Shown(f"http://{site.host}/user/login.html", "登录"))
    return _block("nav", "", found)


def _footer(web: Web, site: Site) -> Block:
    crawled = site.part != TRAIN
    links = [Shown(f"http://{site.host}/about.html", "关于我们")]
    links.append(_home_of(sites.DIRECTORY if crawled else sites.TRAIN_DIRECTORY, "网址导航"))
    if site.kind == "portal" and crawled:
        links += [_home_of(sites.CALENDAR, "万年历"), _home_of(sites.DEAD, "观亭网")]
    if site.kind == "topical" and not site.hidden:
        dice = web.dice("friends", site.host)
        others = [other for other in _open_sites(site) if other.channels]
        same = [other for other in others if other.topic == site.topic]
        friends = dice.sample(same, min(2, len(same)))
        friends += dice.sample([other for other in others if other.topic != site.topic], 2)
        links += [_home_of(friend.host, friend.name) for friend in friends]
    return _block("footer", "友情链接", links)


def _open_sites(site: Site) -> list[Site]:
    """The others of its part that anybody may name."""
    return [other for other in SITES if other.part == site.part and not other.hidden and other is not site]


def _site_articles(web: Web, site: Site) -> list[PlannedPage]:
    return [article for channel in site.channels for article in web.articles[channel]]


def _hot(web: Web, page: PlannedPage, dice: Random) -> Block:
    """What the whole site reads: on a portal a mixture of all topics on every page."""
    return _block("hot", "热点排行", _some(web, _site_articles(web, page.site), 8, dice))


def _home(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    site = page.site
    if site.kind == "directory":
        return _directory(site, dice)
    if site.kind == "calendar":
        years = (Shown(f"http://{sites.CALENDAR}/{year}/01/", f"{year}年") for year in (2018, 2019, 2020))
        return [_block("list", "年份", years)]
    found = []
    for channel in site.channels:
        more = Shown(web.lists[channel][0].url + "#list", "更多>>")
        found.append(_block("section", channel.name, [*_some(web, web.articles[channel], 6, dice), more]))
    if site.kind == "club":
        found.append(_block("list", "通讯录", [Shown(f"http://{site.host}/chengyuan.html", "成员主页")]))
    if site.kind == "portal":
        banner = dice.choice(_site_articles(web, site))
        found.append(_block("section", "焦点", [Shown(banner.url, banner.title, shape="area")]))
    return found


def _list(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    channel = page.channel
    pages, first = web.lists[channel], (page.number - 1) * ENTRIES_A_LIST
    entries = web.articles[channel][first : first + ENTRIES_A_LIST]
    pager = [Shown(other.url, str(other.number)) for other in pages if other is not page]
    pager += [Shown(other.url, "下一页") for other in pages[page.number : page.number + 1]]
    found = [_block("list", channel.name, (_to_article(web, entry, dice) for entry in entries))]
    found.append(_block("pager", "", pager))
    if tags := web.tags.get(channel):
        found.append(_block("section", "标签", (Shown(tag.url, tag.title.split("_")[0]) for tag in tags)))
    return [*found, _hot(web, page, dice)]


def _tag(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    return [_block("list", page.title, _some(web, web.articles[page.channel], 8, dice))]


def _article(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    channel, site = page.channel, page.site
    siblings = web.articles[channel]
    here = siblings.index(page)
    around = [*siblings[max(here - 1, 0) : here], *siblings[here + 1 : here + 2]]
    beside = (Shown(p.url, "上一篇" if p.number < page.number else "下一篇") for p in around)
    found = [
        _block("crumb", "", [_home_of(site.host, site.name), _channel(web, channel)]),
        _block("pager", "", beside),
        _block("related", "相关阅读", _some(web, siblings, 5, dice)),
        _hot(web, page, dice),
    ]
    if not site.hidden and dice.random() < 0.25:
        found.append(_trade(web, page, dice))
    return found


def _trade(web: Web, page: PlannedPage, dice: Random) -> Block:
    """Links to other sites: two of the same topic, one of any."""
    here = page.url.split("/")[2]
    near = [other for other in SITES if other.part == page.site.part and not other.hidden]
    channels = [channel for site in near for channel in site.channels if channel.host != here]
    same = [web.articles[channel] for channel in channels if channel.topic == page.topic]
    other = [web.articles[channel] for channel in channels if channel.topic != page.topic]
    picked = [dice.choice(dice.choice(same)) for _ in range(2) if same] + [dice.choice(dice.choice(other))]
    return _block("trade", "他们也在说", (_to_article(web, target, dice) for target in picked))


def _directory(site: Site, dice: Random) -> list[Block]:
    """The front of the web: a few sites of every topic."""
    found = []
    for topic in (MIXED, *dice.sample(TOPICS, len(TOPICS))):
        members = [other for other in _open_sites(site) if other.topic == topic]
        shown = dice.sample(members, len(members))[: None if topic == MIXED else SITES_A_TOPIC]
        more = [] if topic == MIXED else [_topic_page(site, topic, "更多")]
        heading = "综合" if topic == MIXED else SUBJECTS[topic].zh
        found.append(_block("section", heading, [*(_entry(member, dice) for member in shown), *more]))
    return found


def _topic_page(site: Site, topic: str, text: str) -> Shown:
    return Shown(f"http://{site.host}/{SUBJECTS[topic].pinyin}/", text)


def _entry(site: Site, dice: Random, note: str = "") -> Shown:
    """A site in the directory: straight, or through the jump script that directories count clicks with."""
    if site.host != sites.LICAI and site.part != TRAIN and dice.random() < 0.2:
        return Shown(f"http://{sites.DIRECTORY}/go.php?to={site.host}", site.name, note)
    return _home_of(sites.JUMPED if site.host == sites.LICAI else site.host, site.name, note)


def _category(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    """All places of a topic: sites, channels of portals, boards; each with a line about it."""
    links = []
    for site in _open_sites(page.site):
        if site.topic == page.topic:
            links.append(_entry(site, dice, SUBJECTS[page.topic].zh + "类网站"))
        else:
            channels = [channel for channel in site.channels if channel.topic == page.topic]
            links += [Shown(web.lists[c][0].url, f"{site.name}{c.name}", "频道") for c in channels]
    return [_block("list", page.title, dice.sample(links, len(links)))]


def _members(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    """The mouth of a tunnel: people's names, and behind some of them a site worth crawling."""
    homes = [f"http://{host}/" for host in TUNNELS[page.url]]
    blogs = [web.lists[channel][0].url for channel in web.lists if channel.host == "boke.example"]
    links = [Shown(url, person(dice), "届友") for url in (*homes, *blogs)][: len(homes) + 6]
    return [_block("list", "通讯录", dice.sample(links, len(links)))]


def _months(page: PlannedPage) -> Block:
    """One month back and one ahead, for ever."""
    steps = (page.number - 1, "上月"), (page.number + 1, "下月"), (page.number + 12, "明年")
    home = f"http://{sites.CALENDAR}/"
    return _block("nav", "", (Shown(f"{home}{n // 12}/{n % 12 + 1:02}/", text) for n, text in steps))


_MIDDLES = {"home": _home, "list": _list, "article": _article, "tag": _tag}
_MIDDLES |= {"category": _category, "members": _members}
