"""Stores the features of all known URLs in numpy columns, learns success rates of groups of URLs, and chooses URLs that explore new sites.

`UrlFeatures` has one row for each URL. The features of a URL change while it waits, and 100 000 waiting URLs are rescored in milliseconds.
So features are numpy columns.

`GroupRates` stores once for each group (a site, a linking host) what its URLs share: the success rate, the mean text of its links,
and the number of irrelevant pages since the last relevant one. Rows gather it by the number of their group.

`SiteLooks` chooses URLs for exploration in a crawl for a topic with a name. Where few links name the topic, its sites look like all others
until some of their pages were read, and a home page names only the latest texts. So a share of the requests (looks) goes to sites
with fewer than four fetched pages, to the home pages of a portal's other hosts (its channels), and to pages that lead to new sites.

Idea: the fewer of the latest pages were relevant, the less is lost by a look, and the more looks there are. A look that ends without a
    page is replaced by another one.
Formula: looks in ten pages = 1 + round((MOST - 1) max(0, 1 - r / PAYING)), r = relevant share of the latest pages
    choice, one URL a site: the largest of score + preference + ln(1 + o) + (site without a page, channel: ln a)
        - (channel: ln(1 + n), else n)
    channel -> the home page of another host of a site with pages
    preference -> 1 for a home page, 1.5 for a URL of the form that an index of texts usually has (`preference`)
    a -> share of the sites that gave a page at their first look, smoothed by one success: (answered + 1) / (tried + 1)
    n -> pages of the site, decaying; 0 where o is at least LEADING
    o -> number of sites whose first page was reached by links of the site, divided by the site's pages; both decaying
    r <- r + (relevant - r) / LATEST_PAGES after each page
Parameters: constants below; chosen on crawls of recorded webs (docs/lab.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from topiccrawler.links.columns import Floats, Numbers, packed, unpacked
from topiccrawler.model import Link
from topiccrawler.strategies.numbering import Numbering, WordStatistics, doubled
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.urls.canonical import host_of, registered_domain

TEXT_SMOOTHING = 2.0  # URLs with a text of 0
LEAST = 1e-3  # probabilities are kept this far from 0 and 1 before a logit
LEAST_STRENGTH = 1e-9  # pages


class GroupRates:
    """The number of pages fetched from each group, and of relevant ones. With each further page of a group its counts are multiplied
    by `keep`, so that the crawl soon leaves an unproductive site.
    """

    COLUMNS = ("pages", "relevant", "unproductive", "touched", "opened", "urls", "texts")

    def __init__(self, keep: float = 1.0) -> None:
        self.keep = keep
        self.names = Numbering()
        self.pages = np.zeros(256)
        self.relevant = np.zeros(256)
        self.touched = np.zeros(256, dtype=bool)  # changed since the last call of UrlFeatures.touched_rows
        self.unproductive = np.zeros(256)  # consecutive unproductive pages
        self.opened = np.zeros(256)  # groups first reached by this group's links; decays like `pages`
        self.urls, self.texts = np.zeros(256), np.zeros(256)  # URLs found, and the sum of their text scores

    def numbers(self, names: Sequence[str]) -> Numbers:
        """Return the numbers of the named groups; new names get new numbers."""
        if new := self.names.add_all(names):
            self._grow()
            for name in self.COLUMNS:
                getattr(self, name)[new] = 0
        return self.names.of(names)

    def add(self, number: int, relevant: float, least: float = 0.0) -> None:
        """Count a fetched page of a group. `relevant` is its outcome, 0..1; it is unproductive if that is at most `least`."""
        self.pages[number] = self.keep * self.pages[number] + 1.0
        self.relevant[number] = self.keep * self.relevant[number] + relevant
        self.unproductive[number] = 0.0 if relevant > least else self.unproductive[number] + 1.0
        self.opened[number] *= self.keep
        self.touched[number] = True

    def meet(self, numbers: Numbers, texts: Floats) -> None:
        """Count new URLs of these groups. `texts`: the text score of the link to each (log-odds scale)."""
        np.add.at(self.urls, numbers, 1.0)
        np.add.at(self.texts, numbers, texts)

    def text(self, numbers: Numbers) -> Floats:
        """Return the smoothed mean text score of the links to each group's URLs: sum / (URLs + TEXT_SMOOTHING)."""
        means: Floats = self.texts[numbers] / (self.urls[numbers] + TEXT_SMOOTHING)
        return means

    def forget(self, used: Numbers, most: int) -> None:
        """Forget the groups that are not `used` and have neither pages nor URLs. If more than `most` groups are left, also forget
        unused ones, those with the fewest pages first.
        """
        spare = self.names.used()
        spare[used] = False
        spares = np.flatnonzero(spare)
        spares = spares[np.argsort(self.pages[spares], kind="stable")]
        silent = (self.pages[spares] == 0) & (self.urls[spares] == 0)
        spares = np.concatenate([spares[silent], spares[~silent]])
        self.names.forget(spares[: max(np.count_nonzero(silent), len(self.names) - most)])

    def rate(self, numbers: Numbers, prior: Floats | float, strength: float) -> Floats:
        """Return the smoothed relevant share of each group: (relevant + strength * prior) / (pages + strength)."""
        strength = max(strength, LEAST_STRENGTH)  # 0 / 0 for a group without pages otherwise
        rates: Floats = (self.relevant[numbers] + strength * prior) / (self.pages[numbers] + strength)
        return rates

    def save(self) -> dict[str, Any]:
        """Return the groups and their counts as JSON values."""
        count = self.names.size
        columns = {name: packed(getattr(self, name)[:count]) for name in self.COLUMNS}
        return {"names": self.names.save(), **columns}

    @classmethod
    def load(cls, state: Mapping[str, Any], keep: float = 1.0) -> GroupRates:
        """Restore what `save` returned."""
        group_rates = cls(keep)
        group_rates.names = Numbering.load(state["names"])
        group_rates._grow()
        count = group_rates.names.size
        for name in cls.COLUMNS:
            column = getattr(group_rates, name)
            column[:count] = unpacked(state[name], column.dtype)
        return group_rates

    def _grow(self) -> None:
        while len(self.pages) < self.names.size:
            for name in self.COLUMNS:
                setattr(self, name, doubled(getattr(self, name)))


def logit(probability: Floats | float) -> Floats:
    """Return ln(p / (1 - p)); p is clipped to LEAST .. 1 - LEAST."""
    kept = np.minimum(np.maximum(probability, LEAST), 1.0 - LEAST)
    odds: Floats = np.log(kept / (1.0 - kept))
    return odds


def probability(log_odds: Floats | float) -> Floats:
    """Return 1 / (1 + e^-x), the inverse of `logit`; x is clipped at -700."""
    found: Floats = 1.0 / (1.0 + np.exp(-np.maximum(log_odds, -700.0)))
    return found


def bounded(log_odds: Floats) -> Floats:
    """Limit log-odds of words to -2 .. 2 by 2 tanh(x)."""
    found: Floats = 2.0 * np.tanh(log_odds)
    return found


HOME, INDEX = 1.0, 1.5  # bonus of home and index pages as a look at their site, on the scale of scores
_INDEX = re.compile(
    r"(?:archives?|tags?|categor(?:y|ies)|posts?|articles?|blog|all|list|sitemap)(?:/index)?(?:\.html?|/)?",
    re.IGNORECASE,
)


def preference(url: str) -> float:
    """Return the bonus of a canonical URL as a look at its site: HOME for a home page, INDEX for a typical index page, else 0."""
    path = url.split("/", 3)[-1]
    return HOME if not path else INDEX if _INDEX.fullmatch(path) else 0.0


TITLE_BYTES = 36  # of an anchor in UTF-8: twelve Chinese characters, or some six English words
_LISTING_URL = re.compile(
    r"(?:^|/)(?:page|list|index)[/_-]?\d+(?:\.s?html?|/)?$|[?&](?:page|paged|pn)=\d+"
    r"|^(?:[^/]+/)?(?:tags?|categor(?:y|ies)|columns?|series|channel|label)(?:/|$)"
    r"|(?:^|/)archives?(?:/\d{4}(?:/\d\d?)?)?/?$",
    re.IGNORECASE,
)
# without "next" and "prev" alone, which lead through a manual's chapters
_LISTING_ANCHOR = re.compile(
    r"\W*(?:\d{1,4}|next page|older(?: posts)?|newer(?: posts)?|[上下]一?[页頁]|更多|[末尾][页頁])\W*",
    re.IGNORECASE,
)


def titled(anchor: str) -> float:
    """Return how much of a title's length an anchor has, 0..1: the title of a page says whether the page is about the topic."""
    return min(1.0, len(anchor.encode()) / TITLE_BYTES)


def is_listing(link: Link) -> bool:
    """Whether the URL or the anchor has a form that lists of a site's pages usually have: tags, categories, further pages of a list."""
    path = link.url.split("/", 3)[-1]
    return bool(_LISTING_URL.search(path) or _LISTING_ANCHOR.fullmatch(link.anchor))


GROUPS = ("site", "source_host")
MEMORY_URLS = 30_000
KEPT = 7 / 8  # share of MEMORY_URLS that is left when URLs are forgotten
WORDS_OF_A_URL = 8
WORDS_HALF_LIFE_PAGES, WORDS_SMOOTHING = 350.0, 4.0


class UrlFeatures:
    """The features of URLs, one row for each. `best_*` are maxima over the linking pages, `sum_*` sums; groups are those of the best link.

    At most `memory_urls` URLs are stored: beyond that, fetched URLs and those with the lowest scores are forgotten. Only `rows_of`
    forgets, before it adds rows, so row numbers are valid until its next call.
    """

    FLOATS = (
        "links",
        "sum_odds",
        "standing",  # of the best link, which determines the groups
        "best_relevance",
        "best_grandparent",
        "score",  # as computed last
        "queued",  # the score in the queue
        "named",  # whether links name the topic (adaptive.IN_ANCHOR, IN_PATH)
        "titled",  # the longest of its anchors, as a share of a title's length
        "listing",  # 1 if a link to it looks like one to a list of pages
        "preference",  # bonus as a look at its site: home pages and indexes
    )

    def __init__(
        self, keep: float = 1.0, memory_urls: int = MEMORY_URLS, segmenter: Segmenter = PLAIN
    ) -> None:
        self.memory_urls, self.segmenter = memory_urls, segmenter
        self.rows = Numbering()
        self.columns: dict[str, Floats] = {name: np.zeros(256) for name in self.FLOATS}
        self.groups: dict[str, Numbers] = {name: np.zeros(256, dtype=np.int64) for name in GROUPS}
        # words of the first anchor that has any
        self.words: Numbers = np.zeros((256, WORDS_OF_A_URL), dtype=np.int64)
        self.waiting = np.zeros(256, dtype=bool)
        self.vocabulary = WordStatistics(WORDS_HALF_LIFE_PAGES, WORDS_SMOOTHING)
        self.group_rates: dict[str, GroupRates] = {name: GroupRates(keep) for name in GROUPS}

    def words_in(self, texts: Sequence[Sequence[str]]) -> Numbers:
        """Return a (texts, WORDS_OF_A_URL) array with the numbers of the first words of each text."""
        return self.vocabulary.of(texts, WORDS_OF_A_URL)

    def rows_of(self, urls: Sequence[str]) -> Numbers:
        """Return the rows of the URLs; new URLs get new rows and are waiting."""
        if len(self.rows) + len(urls) > self.memory_urls:
            self._forget(int(KEPT * self.memory_urls))
        new = np.array(self.rows.add_all(urls), dtype=np.int64)
        self._grow()
        for column in self.columns.values():
            column[new] = 0.0
        self.columns["preference"][new] = [preference(self.rows.names[row]) for row in new.tolist()]
        self.columns["queued"][new] = -np.inf
        self.words[new] = 0
        self.waiting[new] = True
        return self.rows.of(urls)

    def meet(
        self,
        page_url: str,
        links: Sequence[Link],
        link_rows: Numbers,
        *,
        anchors: Sequence[Sequence[str]],
        odds: Floats,
        texts: Floats,
        standings: Floats,
        relevance: float,
        grandparent: float,
    ) -> Numbers:
        """Add a page's links to the rows of their URLs; return the distinct rows.

        A URL's groups are those of the link with the largest of its `standings`. `anchors`: the words of each link's anchor. `texts`: the
        bounded text score of each link; that of a new URL is also added to its site.
        """
        columns = self.columns
        rows, at = np.unique(link_rows, return_inverse=True)
        known, met = columns["links"][rows] > 0, np.bincount(at)
        columns["links"][rows] += met
        columns["sum_odds"][rows] += np.bincount(at, weights=odds)
        for name, value in (("best_relevance", relevance), ("best_grandparent", grandparent)):
            columns[name][rows] = np.where(known, np.maximum(columns[name][rows], value), value)
        order = np.lexsort((-standings, at))  # stable: the first of equal links
        best = order[np.cumsum(met) - met]  # the first link of each URL in that order
        better = ~known | (standings[best] > columns["standing"][rows])
        columns["standing"][rows[better]] = standings[best][better]
        mute = np.flatnonzero(self.words[link_rows, 0] == 0)
        words = self.words_in([anchors[place] for place in mute.tolist()])
        # written backwards, so that the first link with words counts where several lead to one URL
        speaks = np.flatnonzero(words[:, 0])[::-1]
        self.words[link_rows[mute[speaks]]] = words[speaks]
        numbers = self._group_numbers(page_url, [links[place] for place in best[better].tolist()])
        for name, of_group in zip(GROUPS, numbers, strict=True):
            self.groups[name][rows[better]] = of_group
        self.group_rates["site"].meet(self.groups["site"][rows[~known]], texts[best[~known]])
        return rows

    def led_to_site(self, row: int) -> None:
        """Count, for the linking site, one more site that it leads to. Called when the first page of the row's site was read."""
        hosts, rates = self.group_rates["source_host"].names, self.group_rates["site"]
        host = hosts.names[self.groups["source_host"][row]]
        source = rates.names.get(registered_domain(f"http://{host}/"))
        if source is not None and source != self.groups["site"][row]:
            rates.opened[source] += 1.0

    def _group_numbers(self, page_url: str, links: Sequence[Link]) -> Numbers:
        """Return a (groups, links) array with the group numbers of each link of a page."""
        urls: dict[str, str] = {}  # one URL of each host
        for link in links:
            urls.setdefault(link.host, link.url)
        numbers = self.group_rates["site"].numbers(list(map(registered_domain, urls.values())))
        sites = dict(zip(urls, numbers.tolist(), strict=True))
        (source_host,) = self.group_rates["source_host"].numbers([host_of(page_url)])
        return np.array([[sites[link.host] for link in links], [source_host] * len(links)], dtype=np.int64)

    def waiting_rows(self) -> Numbers:
        """Return the rows of URLs that have not been fetched yet."""
        return np.flatnonzero(self.waiting[: self.rows.size])

    def touched_rows(self) -> Numbers:
        """Return the waiting rows with a group from which a page was fetched since the last call."""
        count = self.rows.size
        hit = np.zeros(count, dtype=bool)
        for name, group_rates in self.group_rates.items():
            hit |= group_rates.touched[self.groups[name][:count]]
            group_rates.touched[:] = False
        return np.flatnonzero(hit & self.waiting[:count])

    def _forget(self, kept: int) -> None:
        """Keep the `kept` waiting URLs with the best scores, and the groups and words that they use."""
        rows = self.waiting_rows()
        stays = np.zeros(self.rows.size, dtype=bool)
        stays[rows[np.argsort(-self.columns["score"][rows], kind="stable")[:kept]]] = True
        self.rows.forget(np.flatnonzero(self.rows.used() & ~stays))
        self.waiting[: len(stays)] &= stays
        self.vocabulary.forget(self.words[: len(stays)][stays])
        for name, group_rates in self.group_rates.items():
            group_rates.forget(self.groups[name][: len(stays)][stays], self.memory_urls)

    def _grow(self) -> None:
        while len(self.waiting) < self.rows.size:
            self.columns = {name: doubled(column) for name, column in self.columns.items()}
            self.groups = {name: doubled(column) for name, column in self.groups.items()}
            self.words, self.waiting = doubled(self.words), doubled(self.waiting)

    def save(self) -> dict[str, Any]:
        """Return all features as JSON values: texts joined, and columns as compressed bytes in base64."""
        count = self.rows.size
        return {
            "urls": self.rows.save(),
            "columns": {name: packed(column[:count]) for name, column in self.columns.items()},
            "groups": {name: packed(column[:count]) for name, column in self.groups.items()},
            "words": packed(self.words[:count]),
            "waiting": packed(self.waiting[:count]),
            "vocabulary": self.vocabulary.save(),
            "group_rates": {name: group_rates.save() for name, group_rates in self.group_rates.items()},
        }

    @classmethod
    def load(
        cls,
        state: Mapping[str, Any],
        keep: float = 1.0,
        memory_urls: int = MEMORY_URLS,
        segmenter: Segmenter = PLAIN,
    ) -> UrlFeatures:
        """Restore what `save` returned."""
        features = cls(keep, memory_urls, segmenter)
        features.rows = Numbering.load(state["urls"])
        features._grow()
        count = features.rows.size
        for name in cls.FLOATS:
            features.columns[name][:count] = unpacked(state["columns"][name])
        for name in GROUPS:
            features.groups[name][:count] = unpacked(state["groups"][name], np.int64)
            features.group_rates[name] = GroupRates.load(state["group_rates"][name], keep)
        features.words[:count] = unpacked(state["words"], np.int64).reshape(count, WORDS_OF_A_URL)
        features.waiting[:count] = unpacked(state["waiting"], np.bool_)
        features.vocabulary.load(state["vocabulary"])
        return features


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
        chosen = is_open | (leads >= LEADING)
        bonus = preference + np.log1p(leads) + math.log(answer_rate) * (is_new | is_channel)
        bonus -= np.where(leads >= LEADING, 0.0, np.where(is_channel, np.log1p(pages), pages))
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
