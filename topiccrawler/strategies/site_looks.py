"""Looks at sites of which few pages were fetched: which URLs a crawl for a topic with a name fetches to see what a site has.

Where few links name a topic its sites look like all others until some pages of each were read, and a home page names its latest
texts alone. So a share of the requests goes to sites of which fewer than four pages were fetched, to the home pages of a portal's other
hosts, which are its channels, and to pages that lead to new sites.

Idea: the fewer of the latest pages were relevant, the less is lost by a look, and the more looks there are. A look that ends without a
    page is made up for by another one.
Formula: looks in ten pages = 1 + round((MOST - 1) max(0, 1 - r / PAYING)), r = relevant share of the latest pages
    choice, one URL a site: the largest of score + preference + ln(1 + o) + (site without a page, channel: ln a) - (channel: ln(1 + n), else n)
    channel -> the home page of another host of a site with pages
    preference -> 1 for a home page, 1.5 for a URL that an index of texts usually has (link_features.preference)
    a -> share of the sites looked at for the first time that gave a page, one more counted: (answered + 1) / (tried + 1)
    n -> pages of the site, decaying; 0 where o is at least LEADING
    o -> sites whose first page was read by links of the site, a page of it; both decaying
    r <- r + (relevant - r) / LATEST_PAGES, a page
Parameters: as below; chosen on crawls of recorded webs (docs/lab/own-words.md).
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
AT_ONCE = 10  # URLs that have it; the oldest loses it, so that sites that do not answer are left
MOST = 5  # looks in ten pages, where none of the latest pages was relevant
PAYING = 0.2  # relevant share of the latest pages from which on one look in ten pages is enough
LATEST_PAGES = 30.0
FEW_PAGES = 2.8  # from which on a site is known; of three pages 2.71 are left (link_features.GroupRates)
A_SITE = 5  # most looks at a site that gave a page; a site without one is not looked at again
LEADING = 2.0  # sites a page, from which on a site leads to others
KEPT = 1_000  # sites whose looks are remembered


class SiteLooks:
    """The looks of a crawl. `latest`: relevant share of the latest pages."""

    def __init__(self) -> None:
        self._looks: dict[str, tuple[str, int]] = {}  # site -> URL chosen last, and how often; newest last
        self._due = 0  # looks that have not brought a page yet
        self._answered, self._silent = 0, 0  # sites at their first look
        self._latest = 0.0

    def choose(self, urls: UrlFeatures, waiting: Numbers) -> None:
        """Choose the URLs that are due, and raise their estimates."""
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
        """To the score of each row."""
        if not self._looks:
            return 0.0
        added: Floats = np.where(np.isin(rows, self._under_way(urls)), LOOK, 0.0)
        return added

    def read(self, urls: UrlFeatures, row: int) -> None:
        """The page of that row was read, and counts in the rates of its site."""
        is_first = bool(urls.group_rates["site"].pages[urls.groups["site"][row]] == 1.0)
        if is_first:
            urls.led_to_site(row)
        if self._is_look(urls, row):
            self._due = max(0, self._due - 1)
            self._answered += is_first

    def count(self, *, is_target: bool) -> None:
        """A page was read."""
        self._latest += (is_target - self._latest) / LATEST_PAGES

    def ended(self, urls: UrlFeatures, rows: Iterable[int]) -> None:
        """These rows ended without a page."""
        pages, sites = urls.group_rates["site"].pages, urls.groups["site"]
        self._silent += sum(self._is_look(urls, row) for row in rows if pages[sites[row]] == 0)

    def save(self) -> dict[str, Any]:
        """As JSON values."""
        counts = [self._due, self._answered, self._silent]
        return {"looks": self._looks, "counts": counts, "latest": self._latest}

    def load(self, state: Mapping[str, Any]) -> None:
        """What `save` kept."""
        self._looks = {str(site): (str(url), int(times)) for site, (url, times) in state["looks"].items()}
        self._due, self._answered, self._silent = map(int, state["counts"])
        self._latest = float(state["latest"])

    def _wanted(self) -> int:
        """Looks in ten pages."""
        return 1 + round((MOST - 1) * max(0.0, 1.0 - self._latest / PAYING))

    def _candidates(self, urls: UrlFeatures, waiting: Numbers) -> tuple[Numbers, Floats]:
        """The waiting rows that may be looked at, and what is added to their scores in the choice among them."""
        rates = urls.group_rates["site"]
        sites = urls.groups["site"][waiting]
        pages, times = rates.pages[sites], self._times(urls)[sites]
        answer_rate = (self._answered + 1.0) / (self._answered + self._silent + 1.0)
        leads = rates.opened[sites] / np.maximum(pages, 1.0)
        is_new = pages == 0
        preference = urls.columns["preference"][waiting]
        is_channel = (preference == HOME) & ~is_new & (times <= A_SITE)
        is_open = np.where(is_new, times == 0, (pages < FEW_PAGES) & (times < A_SITE)) | is_channel
        chosen = is_open | (leads >= LEADING)
        bonus = preference + np.log1p(leads) + math.log(answer_rate) * (is_new | is_channel)
        bonus -= np.where(leads >= LEADING, 0.0, np.where(is_channel, np.log1p(pages), pages))
        return waiting[chosen], bonus[chosen]

    def _times(self, urls: UrlFeatures) -> Numbers:
        """How often each site was looked at, at most A_SITE; more while a look at it is under way."""
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
        if len(self._looks) > KEPT:
            del self._looks[next(iter(self._looks))]

    def _is_look(self, urls: UrlFeatures, row: int) -> bool:
        url = urls.rows.names[row]
        return bool(self._looks) and self._looks.get(registered_domain(url), ("", 0))[0] == url

    def _under_way(self, urls: UrlFeatures) -> list[int]:
        """Rows of the URLs that were chosen last and wait."""
        newest = [url for url, _ in [*self._looks.values()][-AT_ONCE:]]
        rows = (urls.rows.get(url) for url in newest)
        return [row for row in rows if row is not None and urls.waiting[row]]
