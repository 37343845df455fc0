"""The plan of the synthetic web: every page with its address, topic and headline, the same under the same seed on every machine.

Links and bodies follow from it on demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from urllib.parse import quote

from topiccrawler.demo.sentences import headline, vocabulary
from topiccrawler.demo.sites import CALENDAR, CLUB, DIRECTORY, MIXED, SITES, TRAIN_DIRECTORY, Channel, Site
from topiccrawler.demo.sites import article as article_url
from topiccrawler.demo.sites import listing as list_url
from topiccrawler.demo.words import SUBJECTS, TOPICS
from topiccrawler.urls.canonical import canonical

ENTRIES_A_LIST = 15
CALENDAR_YEARS = range(2019, 2021)  # counted as pages; the calendar itself has no end
_TAGS_A_CHANNEL = 2
NOWHERE = Channel("", "", MIXED, "", 0)  # of pages that stand in no channel


def key(url: str) -> str:
    """The one spelling of an address; "" for what is none."""
    return canonical(url) or ""


@dataclass(frozen=True, slots=True)
class PlannedPage:
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
        self.articles: dict[Channel, list[PlannedPage]] = {}
        self.lists: dict[Channel, list[PlannedPage]] = {}
        self.tags: dict[Channel, list[PlannedPage]] = {}
        self.site_of: dict[str, Site] = {}
        self._nouns: dict[tuple[str, str], list[str]] = {}
        for site in SITES:
            self._plan_site(site)

    def dice(self, *what: object) -> Random:
        """Luck that depends on the seed and on what it is for, never on what was asked before."""
        return Random(" ".join(map(str, (self.seed, *what))))

    def nouns(self, site: Site, topic: str) -> list[str]:
        """The words of a topic that this site uses."""
        place = site.host, topic
        if place not in self._nouns:
            self._nouns[place] = vocabulary(self.dice("words", *place), topic)
        return self._nouns[place]

    def find(self, url: str) -> PlannedPage | None:
        """The page at this address in any spelling, months of the endless calendar among them."""
        wanted = key(url)
        return self.pages.get(wanted) or _month(self.site_of[CALENDAR], wanted)

    def truth(self, url: str) -> str | None:
        """The topic of the page at `url`; "mixed" for pages without one; None where there is no page."""
        page = self.find(url)
        return page.topic if page else None

    def hosts(self, part: str | None = None) -> list[str]:
        """Hosts that have pages, in the order of the plan."""
        return [host for host, site in self.site_of.items() if part in (None, site.part)]

    def of_part(self, part: str) -> Iterator[PlannedPage]:
        return (page for page in self.pages.values() if page.site.part == part)

    def _add(self, page: PlannedPage) -> PlannedPage:
        self.pages[key(page.url)] = page
        self.site_of.setdefault(page.url.split("/")[2], page.site)
        return page

    def _plan_site(self, site: Site) -> None:
        home = f"http://{site.host}/"
        behind = site.kind in ("refresh", "frames")  # the home page stands behind a door
        if behind:
            self._add(PlannedPage(home, site, "front", site.topic, site.name))
        self._add(PlannedPage(f"{home}main.html" if behind else home, site, "home", site.topic, site.name))
        if site.kind == "frames":
            self._add(PlannedPage(home + "menu.html", site, "menu", site.topic, "栏目"))
        self._add(PlannedPage(home + "about.html", site, "about", MIXED, f"关于{site.name}"))
        number = 0
        for channel in site.channels:
            self._plan_channel(site, channel, number)
            number += channel.articles
        for topic in TOPICS if site.kind == "directory" else ():
            url, title = f"{home}{SUBJECTS[topic].pinyin}/", f"{SUBJECTS[topic].zh}网站大全"
            self._add(PlannedPage(url, site, "category", topic, title))
        if site.host == CLUB:
            self._add(PlannedPage(home + "chengyuan.html", site, "members", MIXED, "成员主页"))
        for year in CALENDAR_YEARS if site.host == CALENDAR else ():
            for month in range(1, 13):
                self._add(_month_page(site, year, month))

    def _plan_channel(self, site: Site, channel: Channel, first: int) -> None:
        """Lists, articles and tags of a channel; the site's articles are numbered from `first` on."""
        name, topic = f"{channel.name}_{site.name}", channel.topic
        self.lists[channel] = [
            self._add(PlannedPage(list_url(site, channel, at), site, "list", topic, title, channel, at))
            for at in range(1, -(-channel.articles // ENTRIES_A_LIST) + 1)
            for title in [name if at == 1 else f"{name}_第{at}页"]
        ]
        numbers = range(first, first + channel.articles)
        self.articles[channel] = [self._add(self._plan_article(site, channel, number)) for number in numbers]
        if site.is_old and site.kind == "portal":  # words in the site's own charset, as old sites have them
            self.tags[channel] = [
                self._add(PlannedPage(url, site, "tag", topic, f"{word}_标签", channel))
                for word in self.nouns(site, topic)[:_TAGS_A_CHANNEL]
                for url in [f"http://{channel.host}/so.php?q={quote(word.encode(site.encoding.codec))}"]
            ]

    def _plan_article(self, site: Site, channel: Channel, number: int) -> PlannedPage:
        dice = self.dice("title", site.host, number)
        topic = dice.choice(TOPICS) if channel.topic == MIXED else channel.topic
        words = self.nouns(site, topic)
        title = words[number % channel.articles] if site.style == "words" else headline(dice, topic, words)
        url = article_url(site, channel, number, title)
        return PlannedPage(url, site, "article", topic, title, channel, number)


def _month_page(site: Site, year: int, month: int) -> PlannedPage:
    url, number = f"http://{site.host}/{year}/{month:02}/", year * 12 + month - 1
    return PlannedPage(url, site, "month", MIXED, f"{year}年{month}月", number=number)


def _month(site: Site, url: str) -> PlannedPage | None:
    """Any month of any year: the trap has no bottom."""
    found = re.fullmatch(rf"http://{site.host}/(\d+)/(0[1-9]|1[0-2])/", url, re.ASCII)
    return _month_page(site, int(found[1][:6]), int(found[2])) if found else None
