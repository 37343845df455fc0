"""Chooses seeds among candidates: the best, few of a host, those that answer.

A candidate's score is one, whatever its source.

Formula: score = relevance + Σ_source log2(1 + n) · n / (m + 4). relevance 0..1 of the page (of a search result: of its title and snippet) by the
page classifier; from earlier jobs n = relevant pages fetched by its links, m = all pages fetched by them; from a search service n = queries
that found it, m = queries asked; the 4 keeps low what few prove. So a page that led to many relevant pages and few others comes before one that is only relevant itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from operator import add
from typing import NamedTuple

from topiccrawler.urls.canonical import host_of

PRIOR = 4


class Candidate(NamedTuple):
    """One address, and what speaks for it."""

    url: str  # canonical
    title: str = ""  # as the web has it; the text of a link to it when it was not kept
    relevance: float = 0.0  # 0..1
    reached: int = 0  # relevant pages fetched by its links in earlier jobs
    fetched: int = 0  # all pages fetched by its links
    found: int = 0  # queries that found it
    queries: int = 0  # queries asked

    @property
    def score(self) -> float:
        """Larger is better; 0 = nothing speaks for it."""
        return self.relevance + _worth(self.reached, self.fetched) + _worth(self.found, self.queries)

    @property
    def why(self) -> str:
        """The score in words."""
        parts = [f"relevance {self.relevance:.2f}"]
        if self.reached:
            parts.append(f"{self.reached} of {self.fetched} pages it led to are relevant")
        if self.found:
            parts.append(f"found by {self.found} of {self.queries} queries")
        return ", ".join(parts)


def _worth(good: int, every: int) -> float:
    return log2(1 + good) * good / (every + PRIOR)


def merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Each address once, with all that speaks for it; the best first."""
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
    """What was chosen, best first, and why others were not there."""

    chosen: list[Candidate]
    dead: dict[str, str]  # URL -> fault


def choose(
    candidates: Iterable[Candidate],
    count: int,
    per_host: int,
    check: Callable[[Sequence[str]], Mapping[str, str]] | None = None,
) -> Choice:
    """At most `count`, at most `per_host` of one host. `candidates` come best first; `check` gives the fault of each URL, empty for
    one that is there, and is asked for no more than may be needed; None = all are."""
    chosen: list[Candidate] = []
    dead: dict[str, str] = {}
    waiting = list(candidates)
    while waiting and len(chosen) < count:
        taken = Counter(host_of(one.url) for one in chosen)
        batch, later = list[Candidate](), list[Candidate]()
        for one in waiting:
            host = host_of(one.url)
            fits = len(chosen) + len(batch) < count and taken[host] < per_host
            taken[host] += fits
            (batch if fits else later).append(one)
        if not batch:
            break
        faults = check([one.url for one in batch]) if check else {}
        dead |= {url: fault for url, fault in faults.items() if fault}
        chosen += [one for one in batch if one.url not in dead]
        waiting = later
    return Choice(sorted(chosen, key=lambda one: (-one.score, one.url)), dead)
