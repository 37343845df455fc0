"""Chooses seeds among candidates: those with the best scores that can be reached, and only a few of each host.

`Candidate` has one score for all sources of evidence.

Formula: score = relevance + Σ_source log2(1 + n) · n / (m + 4). relevance: 0..1, of the page (of a search result: of its title and snippet)
by the page classifier. From earlier jobs: n = relevant pages fetched through its links, m = all pages fetched through them. From a search
service: n = queries that found it, m = queries asked. The 4 keeps the score low where m is small. So a page that led to many relevant pages
and few others ranks above a page that is only relevant itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from operator import add
from typing import NamedTuple

from topiccrawler.urls.canonical import host_of

PRIOR = 4


class Candidate(NamedTuple):
    """One URL that may become a seed, with the evidence for it."""

    url: str  # canonical
    title: str = ""  # title of the page; the anchor of a link to it if the page was not stored
    relevance: float = 0.0  # 0..1
    reached: int = 0  # number of relevant pages fetched through its links in earlier jobs
    fetched: int = 0  # number of all pages fetched through its links
    found: int = 0  # number of queries that found it
    queries: int = 0  # number of queries asked

    @property
    def score(self) -> float:
        """The score of the module docstring; larger is better, 0 = no evidence."""
        return self.relevance + _worth(self.reached, self.fetched) + _worth(self.found, self.queries)

    @property
    def why(self) -> str:
        """The parts of the score in words, for display."""
        parts = [f"relevance {self.relevance:.2f}"]
        if self.reached:
            parts.append(f"{self.reached} of {self.fetched} pages it led to are relevant")
        if self.found:
            parts.append(f"found by {self.found} of {self.queries} queries")
        return ", ".join(parts)


def _worth(good: int, every: int) -> float:
    return log2(1 + good) * good / (every + PRIOR)


def merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates with all evidence for a URL joined, each URL once, the best first."""
    found: dict[str, Candidate] = {}
    for one in candidates:
        known = found.get(one.url)
        found[one.url] = one if known is None else _together(known, one)
    return sorted(found.values(), key=lambda one: (-one.score, one.url))


def _together(one: Candidate, other: Candidate) -> Candidate:
    counts = map(add, one[3:], other[3:])
    return Candidate(one.url, one.title or other.title, max(one.relevance, other.relevance), *counts)


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen candidates, best first, and the faults of URLs that could not be reached."""

    chosen: list[Candidate]
    dead: dict[str, str]  # URL -> fault


async def choose(
    candidates: Iterable[Candidate],
    count: int,
    per_host: int,
    check: Callable[[Sequence[str]], Awaitable[Mapping[str, str]]],
) -> Choice:
    """Choose at most `count` candidates, and at most `per_host` of one host. `candidates`: the best first.

    `check`: returns the fault of each URL, empty for one that can be reached. It is called for no more URLs than needed.
    """
    chosen: list[Candidate] = []
    dead: dict[str, str] = {}
    waiting = list(candidates)
    while waiting and len(chosen) < count:
        host_counts = Counter(host_of(one.url) for one in chosen)
        batch, later = list[Candidate](), list[Candidate]()
        for one in waiting:
            host = host_of(one.url)
            fits = len(chosen) + len(batch) < count and host_counts[host] < per_host
            host_counts[host] += fits
            (batch if fits else later).append(one)
        if not batch:
            break
        faults = await check([one.url for one in batch])
        dead |= {url: fault for url, fault in faults.items() if fault}
        chosen += [one for one in batch if one.url not in dead]
        waiting = later
    return Choice(sorted(chosen, key=lambda one: (-one.score, one.url)), dead)
