"""Stores the features of all known URLs in numpy columns.

`UrlFeatures` has one row for each URL. The features of a URL change while it waits, and 100 000 waiting URLs are rescored in milliseconds.
So features are numpy columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from topiccrawler.links.columns import Floats, Numbers, packed, unpacked
from topiccrawler.model import Link
from topiccrawler.strategies.group_rates import GroupRates
from topiccrawler.strategies.numbering import Numbering, WordStatistics, doubled
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.urls.canonical import host_of, registered_domain

LEAST = 1e-3  # probabilities are kept this far from 0 and 1 before a logit


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
