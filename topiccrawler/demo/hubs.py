"""The links of pages that exist for their links: directory, its categories, a members' list, a calendar.

The conflict: hubs are where a crawl learns of other sites, so they must name sites of every topic; but not the hidden ones,
which only a list of people's names leads to.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from topiccrawler.demo.anchors import Block, Shown
from topiccrawler.demo.plan import PlannedPage, Web
from topiccrawler.demo.sentences import person
from topiccrawler.demo.sites import CALENDAR, DIRECTORY, JUMPED, LICAI, MIXED, SITES, TRAIN, TUNNELS, Site
from topiccrawler.demo.words import SUBJECTS, TOPICS

SITES_A_TOPIC = 2  # on the directory's front; all of them stand on the topic's own page


def directory(site: Site, dice: Random) -> list[Block]:
    """The front of the web: a few sites of every topic."""
    known = [other for other in SITES if other.part == site.part and not other.hidden and other is not site]
    found = []
    for topic in (MIXED, *dice.sample(TOPICS, len(TOPICS))):
        members = [s for s in known if s.topic == topic]
        shown = dice.sample(members, len(members))[: None if topic == MIXED else SITES_A_TOPIC]
        links = [_directory_entry(s, dice) for s in shown]
        if topic != MIXED:
            links.append(Shown(f"http://{site.host}/{SUBJECTS[topic].pinyin}/", "更多"))
        zh = "综合" if topic == MIXED else SUBJECTS[topic].zh
        found.append(Block("section", zh, tuple(links)))
    return found


def _directory_entry(site: Site, dice: Random) -> Shown:
    """A site in the directory: straight, or through the jump script that directories count clicks with."""
    if site.host == LICAI:
        return Shown(f"http://{JUMPED}/", site.name)
    if site.part != TRAIN and dice.random() < 0.2:
        return Shown(f"http://{DIRECTORY}/go.php?to={site.host}", site.name)
    return Shown(f"http://{site.host}/", site.name)


def category(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    """All places of a topic: sites, channels of portals, boards; each with a line about it."""
    links = []
    for site in SITES:
        if site.part != page.site.part or site.hidden:
            continue
        if site.topic == page.topic:
            links.append(replace(_directory_entry(site, dice), note=SUBJECTS[page.topic].zh + "类网站"))
            continue
        links += [
            Shown(web.lists[channel][0].url, f"{site.name}{channel.name}", "频道")
            for channel in site.channels
            if channel.topic == page.topic
        ]
    return [Block("list", page.title, tuple(dice.sample(links, len(links))))]


def members(web: Web, page: PlannedPage, dice: Random) -> list[Block]:
    """The mouth of a tunnel: people's names, and behind some of them a site worth crawling."""
    hidden = [Shown(f"http://{host}/", person(dice), "届友") for host in TUNNELS[page.url]]
    others = [
        Shown(web.lists[c][0].url, person(dice), "届友") for c in web.articles if c.host == "boke.example"
    ][:6]
    entries = hidden + others
    return [Block("list", "通讯录", tuple(dice.sample(entries, len(entries))))]


def months(page: PlannedPage) -> Block:
    """One month back and one ahead, for ever."""
    links = []
    for number, text in ((page.number - 1, "上月"), (page.number + 1, "下月"), (page.number + 12, "明年")):
        links.append(Shown(f"http://{CALENDAR}/{number // 12}/{number % 12 + 1:02}/", text))
    return Block("nav", "", tuple(links))
