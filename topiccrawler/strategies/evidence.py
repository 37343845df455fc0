"""What is known of every URL that was met and not yet fetched, in columns; and what each group of URLs has yielded.

The conflict: an online ordering weighs a dozen kinds of evidence, all of which change while a URL waits, yet 100 000
waiting URLs must be weighed anew in milliseconds. So evidence lies in numpy columns, one row a URL, and what belongs to
a group (a site, a page, a block of a page) is kept once for the group and gathered by number.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

GROUPS = ("site", "host", "source_host", "source", "block", "list")
MOST_ROWS = 200_000  # beyond it the rows that were fetched and then the poorest ones are forgotten
LEAST = 1e-3  # probabilities are kept this far from 0 and 1 before a logit


class Yields:
    """How many pages each group gave, and how many of them were relevant."""

    def __init__(self) -> None:
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
        self.pages[number] += 1
        self.relevant[number] += relevant
        self.touched[number] = True

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
        "score",
    )

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.urls: list[str] = []
        self.columns: dict[str, Floats] = {name: np.zeros(256) for name in self.FLOATS}
        self.groups: dict[str, Numbers] = {name: np.zeros(256, dtype=np.int64) for name in GROUPS}
        self.waiting: Flags = np.zeros(256, dtype=bool)
        self.yields: dict[str, Yields] = {name: Yields() for name in GROUPS}

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
        """Past MOST_ROWS keep the half of the rows that wait with the best scores."""
        if len(self.urls) <= MOST_ROWS:
            return
        rows = self.waiting_rows()
        kept = np.sort(rows[np.argsort(-self.columns["score"][rows], kind="stable")[: MOST_ROWS // 2]])
        self.urls = [self.urls[row] for row in kept]
        self.rows = {url: row for row, url in enumerate(self.urls)}
        self.columns = {name: column[kept] for name, column in self.columns.items()}
        self.groups = {name: column[kept] for name, column in self.groups.items()}
        self.waiting = self.waiting[kept]

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
    def load(cls, state: Mapping[str, Any]) -> Evidence:
        """What `save` kept."""
        evidence = cls()
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
