"""The features of every URL met, in columns, one row a URL; and the success rates of groups of URLs.

All features change while a URL waits, and 100 000 waiting URLs are rescored in milliseconds. So features are numpy columns,
and what belongs to a group (a site, a host that links) is kept once for the group and gathered by number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from topiccrawler.link_model.word_statistics import WordStatistics
from topiccrawler.links.numbering import Numbering
from topiccrawler.links.packed_arrays import Floats, Numbers, doubled, packed, unpacked
from topiccrawler.model import Link
from topiccrawler.strategies.adaptive.group_rates import GroupRates
from topiccrawler.text.tokenise import words_of
from topiccrawler.urls.canonical import host_of, registered_domain

GROUPS = ("site", "source_host")
MEMORY_URLS = 30_000
KEPT = 7 / 8  # of them, when some are forgotten
WORDS_OF_A_URL = 8
WORDS_HALF_LIFE_PAGES, WORDS_SMOOTHING = 350.0, 4.0


class UrlFeatures:
    """One row a URL. `best_*` are maxima over the pages that link it, `sum_*` sums; groups are those of the best link.

    Of `memory_urls` URLs at most: then those that were fetched are forgotten, and the poorest. Only `rows_of` forgets, before
    it gives out rows, so rows are good until it is called again.
    """

    FLOATS = (
        "links",
        "sum_odds",
        "standing",  # of the best link, whose groups count
        "best_relevance",
        "best_grandparent",
        "score",  # as weighed last
        "queued",  # the score the queue has
    )

    def __init__(self, keep: float = 1.0, memory_urls: int = MEMORY_URLS) -> None:
        self.memory_urls = memory_urls
        self.rows = Numbering()
        self.columns: dict[str, Floats] = {name: np.zeros(256) for name in self.FLOATS}
        self.groups: dict[str, Numbers] = {name: np.zeros(256, dtype=np.int64) for name in GROUPS}
        self.words: Numbers = np.zeros((256, WORDS_OF_A_URL), dtype=np.int64)  # of the first anchor with any
        self.waiting = np.zeros(256, dtype=bool)
        self.vocabulary = WordStatistics(WORDS_HALF_LIFE_PAGES, WORDS_SMOOTHING)
        self.group_rates: dict[str, GroupRates] = {name: GroupRates(keep) for name in GROUPS}

    def words_in(self, texts: Sequence[str]) -> Numbers:
        """(texts, WORDS_OF_A_URL) numbers of their first words."""
        return self.vocabulary.of(words_of(texts), WORDS_OF_A_URL)

    def rows_of(self, urls: Sequence[str]) -> Numbers:
        """The rows of the URLs; new, waiting ones for new URLs."""
        if len(self.rows) + len(urls) > self.memory_urls:
            self._forget(int(KEPT * self.memory_urls))
        new = [self.rows.add(url) for url in dict.fromkeys(urls) if url not in self.rows]
        self._grow()
        for column in self.columns.values():
            column[new] = 0.0
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
        odds: Floats,
        texts: Floats,
        standings: Floats,
        relevance: float,
        grandparent: float,
    ) -> Numbers:
        """Add a page's links to the rows of their URLs; returns the rows, each once. A link's groups become its URL's when its
        `standing` is the largest so far. `texts`: what the words of each link say, bounded; of a new URL they are said of its site.
        """
        columns = self.columns
        rows, at = np.unique(link_rows, return_inverse=True)
        known, met = columns["links"][rows] > 0, np.bincount(at)
        columns["links"][rows] += met
        columns["sum_odds"][rows] += np.bincount(at, weights=odds)
        for name, value in (("best_relevance", relevance), ("best_grandparent", grandparent)):
            columns[name][rows] = np.where(known, np.maximum(columns[name][rows], value), value)
        order = np.lexsort((-standings, at))  # stable: the first of equals
        best = order[np.unique(at[order], return_index=True)[1]]
        better = ~known | (standings[best] > columns["standing"][rows])
        columns["standing"][rows[better]] = standings[best][better]
        mute = np.flatnonzero(self.words[link_rows, 0] == 0)
        words = self.words_in([links[place].anchor for place in mute.tolist()])
        # written backwards, so that of several links to one URL the first with words counts
        speaks = np.flatnonzero(words[:, 0])[::-1]
        self.words[link_rows[mute[speaks]]] = words[speaks]
        numbers = self._group_numbers(page_url, [links[place] for place in best[better].tolist()])
        for name, of_group in zip(GROUPS, numbers, strict=True):
            self.groups[name][rows[better]] = of_group
        self.group_rates["site"].meet(self.groups["site"][rows[~known]], texts[best[~known]])
        return rows

    def _group_numbers(self, page_url: str, links: Sequence[Link]) -> Numbers:
        """Of each link on a page: (groups, links)."""
        source_host = self.group_rates["source_host"].number(host_of(page_url))
        sites: dict[str, int] = {}
        for link in links:
            if link.host not in sites:
                sites[link.host] = self.group_rates["site"].number(registered_domain(link.url))
        return np.array([[sites[link.host] for link in links], [source_host] * len(links)], dtype=np.int64)

    def waiting_rows(self) -> Numbers:
        """The rows that may still be fetched."""
        return np.flatnonzero(self.waiting[: self.rows.size])

    def touched_rows(self) -> Numbers:
        """Waiting rows with a group from which a page was fetched since the last call."""
        count = self.rows.size
        hit = np.zeros(count, dtype=bool)
        for name, group_rates in self.group_rates.items():
            hit |= group_rates.touched[self.groups[name][:count]]
            group_rates.touched[:] = False
        return np.flatnonzero(hit & self.waiting[:count])

    def _forget(self, kept: int) -> None:
        """Keep so many URLs, those that wait with the best scores; and the groups and words that they need."""
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
        """All of it as JSON values: texts joined and columns as compressed bytes in base64."""
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
    def load(cls, state: Mapping[str, Any], keep: float = 1.0, memory_urls: int = MEMORY_URLS) -> UrlFeatures:
        """What `save` kept."""
        features = cls(keep, memory_urls)
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
