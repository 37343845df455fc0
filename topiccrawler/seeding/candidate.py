"""What speaks for an address as a seed, in one score whatever the source.

Formula: score = relevance + Σ_source log2(1 + n) · n / (m + 4). relevance 0..1 of the page (of a search result: of its title and snippet) by the
page classifier; from earlier jobs n = relevant pages fetched by its links, m = all pages fetched by them; from a search service n = queries
that found it, m = queries asked; the 4 keeps low what few prove. So a page that led to many relevant pages and few others comes before one that is only relevant itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log2

PRIOR = 4


@dataclass(frozen=True, slots=True)
class Candidate:
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
    return Candidate(
        one.url,
        one.title or other.title,
        max(one.relevance, other.relevance),
        one.reached + other.reached,
        one.fetched + other.fetched,
        one.found + other.found,
        one.queries + other.queries,
    )
