"""Chooses URLs that explore new sites.

`SiteLooks` chooses URLs for exploration in a crawl for a topic with a name. Where few links name the topic, its sites look like all others
until some of their pages were read, and a home page names only the latest texts. So a share of the requests (looks) goes to sites
with fewer than four fetched pages, to the home pages of a portal's other hosts (its channels), to pages that lead to new sites, and to
further lists of known sites: a list shows ten titles for one fetch, and an old text on a rare topic stands deep in an archive.

Idea: the fewer of the latest pages were relevant, the less is lost by a look, and the more looks there are. A look that ends without a
    page is replaced by another one.
Formula: looks in ten pages = 1 + round((MOST - 1) max(0, 1 - r / PAYING)), r = relevant share of the latest pages
    choice, one URL a site: the largest of score + preference + ln(1 + o) + (site without a page, channel: ln a)
        - (channel, list: ln(1 + n), else n)
    channel -> the home page of another host of a site with pages
    list -> a list of pages, by URL or anchor (link_features.is_listing), of a site with pages
    preference -> 1 for a home page, 1.5 for a URL of the form that an index of texts usually has (`preference`)
    a -> share of the sites that gave a page at their first look, smoothed by one success: (answered + 1) / (tried + 1)
    n -> pages of the site, decaying; 0 where o is at least LEADING
    o -> number of sites whose first page was reached by links of the site, divided by the site's pages; both decaying
    r <- r + (relevant - r) / LATEST_PAGES after each page
Parameters: constants below; chosen on crawls of recorded webs (docs/lab.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from topiccrawler.links.columns import Floats, Numbers
from topiccrawler.strategies.link_features import HOME, UrlFeatures
from topiccrawler.urls.canonical import registered_domain

LOOK = 20.0  # added to the score of a URL chosen for a look
AT_ONCE = 10  # URLs with that bonus at a time; the oldest loses it, so a silent site is given up
MOST = 5  # looks in ten pages if none of the latest pages was relevant
PAYING = 0.2  # relevant share of the latest pages above which one look in ten pages is enough
LATEST_PAGES = 30.0
FEW_PAGES = 2.8  # decayed pages from which a site counts as known; three pages decay to 2.71 (GroupRates)
A_SITE = 5  # most looks at a site that gave a page; a site without one gets a single look
LEADING = 2.0  # new sites per page of a site, from which it counts as leading to others
REMEMBERED_SITES = 1_000  # sites whose looks are stored


class SiteLooks:
    """Chooses which waiting URLs are looks: fetches that explore a little-known site."""

    def __init__(self) -> None:
        self._looks: dict[str, tuple[str, int]] = {}  # site -> URL chosen last, number of looks; newest last
        self._due = 0  # looks that have not led to a page yet
        self._answered, self._silent = 0, 0  # sites that gave a page, or none, at their first look
        self._latest = 0.0  # relevant share of the latest pages

    def choose(self, urls: UrlFeatures, waiting: Numbers) -> None:
        """Choose the looks that are due, and raise the scores of their URLs by LOOK."""
        self._due = min(self._due + self._wanted(), AT_ONCE)
        number = max(1, self._due - len(self._under_way(urls)))
        estimates, sites = urls.columns["score"], urls.groups["site"]
        rows, bonus = self._candidates(urls, waiting)
        while number and len(rows):
            row = int(rows[np.argmax(estimates[rows] + bonus)])
            self._look(urls.rows.names[row])
            estimates[row] += LOOK
            others = sites[rows] != sites[row]
            rows, bonus = rows[others], bonus[others]
            number -= 1

    def added(self, urls: UrlFeatures, rows: Numbers) -> Floats | float:
        """Return what is added to the score of each row: LOOK for the URLs of looks under way, else 0."""
        if not self._looks:
            return 0.0
        added: Floats = np.where(np.isin(rows, self._under_way(urls)), LOOK, 0.0)
        return added

    def read(self, urls: UrlFeatures, row: int) -> None:
        """Notify that the page of a row was read. Its site's rates must already count it."""
        is_first = bool(urls.group_rates["site"].pages[urls.groups["site"][row]] == 1.0)
        if is_first:
            urls.led_to_site(row)
        if self._is_look(urls, row):
            self._due = max(0, self._due - 1)
            self._answered += is_first

    def count(self, *, is_target: bool) -> None:
        """Update the relevant share of the latest pages by one page."""
        self._latest += (is_target - self._latest) / LATEST_PAGES

    def ended(self, urls: UrlFeatures, rows: Iterable[int]) -> None:
        """Notify that these rows left the queue without a page."""
        pages, sites = urls.group_rates["site"].pages, urls.groups["site"]
        self._silent += sum(self._is_look(urls, row) for row in rows if pages[sites[row]] == 0)

    def save(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        counts = [self._due, self._answered, self._silent]
        return {"looks": self._looks, "counts": counts, "latest": self._latest}

    def load(self, state: Mapping[str, Any]) -> None:
        """Restore what `save` returned."""
        self._looks = {str(site): (str(url), int(times)) for site, (url, times) in state["looks"].items()}
        self._due, self._answered, self._silent = map(int, state["counts"])
        self._latest = float(state["latest"])

    def _wanted(self) -> int:
        """Return the number of looks in ten pages."""
        return 1 + round((MOST - 1) * max(0.0, 1.0 - self._latest / PAYING))

    def _candidates(self, urls: UrlFeatures, waiting: Numbers) -> tuple[Numbers, Floats]:
        """Return the waiting rows that may become looks, and the bonus on their scores in the choice among them."""
        rates = urls.group_rates["site"]
        sites = urls.groups["site"][waiting]
        pages, times = rates.pages[sites], self._times(urls)[sites]
        answer_rate = (self._answered + 1.0) / (self._answered + self._silent + 1.0)
        leads = rates.opened[sites] / np.maximum(pages, 1.0)
        is_new = pages == 0
        preference = urls.columns["preference"][waiting]
        is_channel = (preference == HOME) & ~is_new & (times <= A_SITE)
        is_open = np.where(is_new, times == 0, (pages < FEW_PAGES) & (times < A_SITE)) | is_channel
        is_list = (urls.columns["listing"][waiting] > 0) & ~is_new & (times <= A_SITE)
        chosen = is_open | (leads >= LEADING) | is_list
        bonus = preference + np.log1p(leads) + math.log(answer_rate) * (is_new | is_channel)
        bonus -= np.where(leads >= LEADING, 0.0, np.where(is_channel | is_list, np.log1p(pages), pages))
        return waiting[chosen], bonus[chosen]

    def _times(self, urls: UrlFeatures) -> Numbers:
        """Return the number of looks at each site, at most A_SITE; A_SITE + 1 while a look is under way."""
        names = urls.group_rates["site"].names
        found = np.zeros(names.size, dtype=np.int64)
        for site, (url, times) in self._looks.items():
            if (number := names.get(site)) is not None:
                row = urls.rows.get(url)
                is_under_way = row is not None and urls.waiting[row]
                found[number] = A_SITE + 1 if is_under_way else min(times, A_SITE)
        return found

    def _look(self, url: str) -> None:
        site = registered_domain(url)
        _, times = self._looks.pop(site, ("", 0))
        self._looks[site] = (url, times + 1)
        if len(self._looks) > REMEMBERED_SITES:
            del self._looks[next(iter(self._looks))]

    def _is_look(self, urls: UrlFeatures, row: int) -> bool:
        url = urls.rows.names[row]
        return bool(self._looks) and self._looks.get(registered_domain(url), ("", 0))[0] == url

    def _under_way(self, urls: UrlFeatures) -> list[int]:
        """Return the rows of the last AT_ONCE chosen URLs, without those that left the queue."""
        newest = [url for url, _ in [*self._looks.values()][-AT_ONCE:]]
        rows = (urls.rows.get(url) for url in newest)
        return [row for row in rows if row is not None and urls.waiting[row]]
