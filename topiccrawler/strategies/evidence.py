"""What is known of every URL that was met and not yet fetched, in columns; and what each group of URLs has yielded.

The conflict: an online ordering weighs a dozen kinds of evidence, all of which change while a URL waits, yet 100 000
waiting URLs must be weighed anew in milliseconds. So evidence lies in numpy columns, one row a URL, and what belongs to
a group (a site, a page, a block of a page) is kept once for the group and gathered by number.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topiccrawler.links.urls import host_of, registered_domain
from topiccrawler.model import Link

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

GROUPS = ("site", "host", "source_host", "source", "block", "list")
OF_A_PAGE = ("source", "block")  # groups that end with their page
MOST_ROWS = 200_000  # beyond it the rows that were fetched and then the poorest ones are forgotten
LEAST = 1e-3  # probabilities are kept this far from 0 and 1 before a logit


class Yields:
    """How many pages each group gave lately, and how many of them were relevant. With each page of a group those before
    it fade to `keep` of what they counted, so that a site that turned dry is soon left."""

    def __init__(self, keep: float = 1.0) -> None:
        self.keep = keep
        self.names: dict[str, int] = {}
        self.pages = np.zeros(256)
        self.relevant = np.zeros(256)
        self.touched = np.zeros(256, dtype=bool)  # since the last look

    def number(self, name: str) -> int:
        """The group's number; a new one for a new name."""
        found = self.names.get(name)
        if found is None:
            found = self.names[name] = len(self.names)
            if found == len(self.pages):
                self.pages, self.relevant, self.touched = map(
                    _doubled, (self.pages, self.relevant, self.touched)
                )
        return found

    def add(self, number: int, relevant: float) -> None:
        """One of its pages was fetched."""
        self.pages[number] = self.keep * self.pages[number] + 1.0
        self.relevant[number] = self.keep * self.relevant[number] + relevant
        self.touched[number] = True

    def keep_only(self, used: Numbers, *, with_pages: bool) -> Numbers:
        """Forget the groups that are not `used` (and gave no page, `with_pages`); the new numbers of those used."""
        names = list(self.names)
        stays = np.zeros(len(names), dtype=bool)
        stays[used] = True
        if with_pages:
            stays |= self.pages[: len(names)] > 0
        kept = np.flatnonzero(stays)
        self.names = {names[old]: new for new, old in enumerate(kept.tolist())}
        room = max(256, len(kept))
        for column in ("pages", "relevant", "touched"):
            values = getattr(self, column)[kept]
            setattr(self, column, np.concatenate([values, np.zeros(room - len(kept), dtype=values.dtype)]))
        renumbered: Numbers = (np.cumsum(stays) - 1)[used]
        return renumbered

    def rate(self, numbers: Numbers, prior: Floats | float, strength: float) -> Floats:
        """Relevant share, smoothed: (relevant + strength * prior) / (pages + strength)."""
        rates: Floats = (self.relevant[numbers] + strength * prior) / (self.pages[numbers] + strength)
        return rates


class Evidence:
    """One row a URL. `best_*` are maxima over the pages that link it, `sum_*` sums; groups are those of the best link."""

    FLOATS = (
        "links",
        "sum_odds",
        "standing",  # of the best link, whose groups count
        "best_relevance",
        "sum_relevance",
        "best_heading",
        "best_grandparent",
        "score",  # as weighed last
        "told",  # the score the queue has
    )

    def __init__(self, keep: float = 1.0) -> None:
        self.rows: dict[str, int] = {}
        self.urls: list[str] = []
        self.columns: dict[str, Floats] = {name: np.zeros(256) for name in self.FLOATS}
        self.groups: dict[str, Numbers] = {name: np.zeros(256, dtype=np.int64) for name in GROUPS}
        self.waiting: Flags = np.zeros(256, dtype=bool)
        self.yields: dict[str, Yields] = {name: Yields(keep) for name in GROUPS}

    def row(self, url: str) -> int:
        """The URL's row; a new, waiting one for a new URL."""
        found = self.rows.get(url)
        if found is None:
            found = self.rows[url] = len(self.urls)
            self.urls.append(url)
            if found == len(self.waiting):
                self.columns = {name: _doubled(column) for name, column in self.columns.items()}
                self.groups = {name: _doubled(column) for name, column in self.groups.items()}
                self.waiting = _doubled(self.waiting)
            self.waiting[found] = True
        return found

    def waiting_among(self, links: Sequence[Link]) -> tuple[list[Link], Numbers]:
        """The links whose URLs wait, new ones among them, and their rows."""
        rows = np.array([self.row(link.url) for link in links], dtype=np.int64)
        waits = self.waiting[rows]
        return list(compress(links, waits.tolist())), rows[waits]

    def meet(
        self,
        page_url: str,
        links: Sequence[Link],
        link_rows: Numbers,
        *,
        odds: Floats,
        standings: Floats,
        headings: Floats,
        relevance: float,
        grandparent: float,
    ) -> Numbers:
        """Add what a page's links say of their URLs; the rows, each once. A link's groups become its URL's when its
        `standing` is the largest so far."""
        columns = self.columns
        rows, at = np.unique(link_rows, return_inverse=True)
        known, met = columns["links"][rows] > 0, np.bincount(at)
        best_heading = np.full(len(rows), -np.inf)
        np.maximum.at(best_heading, at, headings)
        columns["links"][rows] += met
        columns["sum_odds"][rows] += np.bincount(at, weights=odds)
        columns["sum_relevance"][rows] += relevance * met
        for name, values in (
            ("best_relevance", relevance),
            ("best_grandparent", grandparent),
            ("best_heading", best_heading),
        ):
            columns[name][rows] = np.where(known, np.maximum(columns[name][rows], values), values)
        order = np.lexsort((-standings, at))  # stable: the first of equals
        best = order[np.unique(at[order], return_index=True)[1]]
        better = ~known | (standings[best] > columns["standing"][rows])
        columns["standing"][rows[better]] = standings[best][better]
        numbers = self._group_numbers(page_url, [links[place] for place in best[better].tolist()])
        for name, of_group in zip(GROUPS, numbers, strict=True):
            self.groups[name][rows[better]] = of_group
        return rows

    def _group_numbers(self, page_url: str, links: Sequence[Link]) -> Numbers:
        """Of each link on a page: (groups, links)."""
        number = {name: yields.number for name, yields in self.yields.items()}
        source_host = host_of(page_url)
        source = number["source_host"](source_host), number["source"](page_url)
        of_host: dict[str, tuple[int, int]] = {}
        of_path: dict[str, tuple[int, int]] = {}
        found = np.empty((len(GROUPS), len(links)), dtype=np.int64)
        for place, link in enumerate(links):
            if link.host not in of_host:
                of_host[link.host] = number["site"](registered_domain(link.url)), number["host"](link.host)
            if link.path not in of_path:
                block = number["block"](f"{page_url} {link.path}")
                of_path[link.path] = block, number["list"](f"{source_host} {link.path}")
            found[:, place] = (*of_host[link.host], *source, *of_path[link.path])
        return found

    def waiting_rows(self) -> Numbers:
        """The rows that may still be fetched."""
        return np.flatnonzero(self.waiting[: len(self.urls)])

    def touched_rows(self) -> Numbers:
        """Waiting rows with a group that has yielded something since the last call."""
        count = len(self.urls)
        hit = np.zeros(count, dtype=bool)
        for name, yields in self.yields.items():
            hit |= yields.touched[self.groups[name][:count]]
            yields.touched[:] = False
        return np.flatnonzero(hit & self.waiting[:count])

    def forget(self) -> None:
        """Past MOST_ROWS rows (or twice as many groups) keep the half of the rows that wait with the best scores."""
        groups = max(len(yields.names) for yields in self.yields.values())
        if len(self.urls) <= MOST_ROWS and groups <= 2 * MOST_ROWS:
            return
        rows = self.waiting_rows()
        kept = np.sort(rows[np.argsort(-self.columns["score"][rows], kind="stable")[: MOST_ROWS // 2]])
        self.urls = [self.urls[row] for row in kept]
        self.rows = {url: row for row, url in enumerate(self.urls)}
        self.columns = {name: column[kept] for name, column in self.columns.items()}
        self.waiting = self.waiting[kept]
        for name, numbers in self.groups.items():
            self.groups[name] = self.yields[name].keep_only(numbers[kept], with_pages=name not in OF_A_PAGE)

    def save(self) -> dict[str, Any]:
        """All of it as JSON values: texts joined and columns as compressed bytes in base64."""
        count = len(self.urls)
        return {
            "urls": _packed("\n".join(self.urls).encode("utf-8", "surrogatepass")),
            "columns": {name: _packed(column[:count].tobytes()) for name, column in self.columns.items()},
            "groups": {name: _packed(column[:count].tobytes()) for name, column in self.groups.items()},
            "waiting": _packed(self.waiting[:count].tobytes()),
            "yields": {
                name: {
                    "names": _packed("\n".join(kept.names).encode("utf-8", "surrogatepass")),
                    "pages": _packed(kept.pages[: len(kept.names)].tobytes()),
                    "relevant": _packed(kept.relevant[: len(kept.names)].tobytes()),
                    "touched": _packed(kept.touched[: len(kept.names)].tobytes()),
                }
                for name, kept in self.yields.items()
            },
        }

    @classmethod
    def load(cls, state: Mapping[str, Any], keep: float = 1.0) -> Evidence:
        """What `save` kept."""
        evidence = cls(keep)
        for url in _lines(state["urls"]):
            evidence.row(url)
        count = len(evidence.urls)
        for name in cls.FLOATS:
            evidence.columns[name][:count] = np.frombuffer(_unpacked(state["columns"][name]))
        for name in GROUPS:
            evidence.groups[name][:count] = np.frombuffer(_unpacked(state["groups"][name]), dtype=np.int64)
            kept, yields = state["yields"][name], evidence.yields[name]
            for group in _lines(kept["names"]):
                yields.number(group)
            groups = len(yields.names)
            yields.pages[:groups] = np.frombuffer(_unpacked(kept["pages"]))
            yields.relevant[:groups] = np.frombuffer(_unpacked(kept["relevant"]))
            yields.touched[:groups] = np.frombuffer(_unpacked(kept["touched"]), dtype=bool)
        evidence.waiting[:count] = np.frombuffer(_unpacked(state["waiting"]), dtype=bool)
        return evidence


def logit(probability: Floats) -> Floats:
    """ln p / (1 - p), kept finite."""
    kept = np.clip(probability, LEAST, 1.0 - LEAST)
    odds: Floats = np.log(kept / (1.0 - kept))
    return odds


def _doubled(column: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([column, np.zeros_like(column)])


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 1)).decode("ascii")


def _unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def _lines(text: str) -> list[str]:
    lines = _unpacked(text).decode("utf-8", "surrogatepass")
    return lines.split("\n") if lines else []
