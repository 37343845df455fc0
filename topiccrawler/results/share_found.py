"""Estimates how many relevant pages several crawls could have found, and the share that they did find, by the overlap of the crawls.

Idea       capture–recapture: if two crawls choose pages independently, the share of the first one's pages that the second has too is the
           share that the second has of all. Few pages in common: much is still to be found.
Formula    N = Σ (n_i + 1)(n_j + 1) / (Σ m_ij + P) - 1 over the P pairs of crawls; n = pages kept by a crawl, m = by both; for two crawls
           Chapman's estimate. var N = P Σ (n_i + 1)(n_j + 1)(n_i - m_ij)(n_j - m_ij) / ((M + P)² (M + 2 P)), M = Σ m_ij. The share found is
           S / N, S = pages found by any.
Interval   95 %, log-normal for the pages not found (Chao 1987): f0 = N - S; [S + f0 / c, S + f0 · c], c = exp(1.96 √log(1 + var N / f0²)).
But        crawls of one topic are not independent. What all of them pass over is counted by none, so N is too small. Crawls in different
           corners of the web have little in common, so N is far too large: `apart` says that a pair has less than LEAST_COMMON of the
           smaller crawl in common. What no link leads to from any of the seeds is not counted. docs/clean-corpus.md has the
           error on recorded webs. There Chao's estimate for three crawls (1987) is off by .19 where this one is by .11.
Reference  Chapman (1951); pooled pairs as in Paris, Paris & Baumann, arXiv 2603.15416 (2026), who fit the overlaps of successive crawls of one
           configuration to the urn; Chao, Biometrics 43 (1987).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log, sqrt

Z = 1.96  # 95 % of a normal distribution
LEAST_COMMON = 0.05  # share of the smaller of two crawls


@dataclass(frozen=True, slots=True)
class ShareFound:
    """The pages that several crawls have found, and an estimate of all that they could have found."""

    pages: tuple[int, ...]  # of each crawl
    found: int  # by any
    common: int  # by more than one
    apart: bool  # two of the crawls have nearly nothing in common, so the estimate says nothing
    all_pages: float  # estimate; not less than `found`
    low: float  # 95 % interval of `all_pages`
    high: float

    @property
    def share(self) -> float:
        """The share of all pages that were found, 0..1."""
        return self.found / self.all_pages if self.all_pages else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share."""
        return (self.found / self.high, self.found / self.low) if self.found else (0.0, 1.0)

    def share_of(self, crawl: int) -> float:
        """The share of all pages that one crawl has found, 0..1."""
        return self.pages[crawl] / self.all_pages if self.all_pages else 0.0


def share_found(crawls: Sequence[Collection[str]]) -> ShareFound:
    """The share found by two crawls or more; each is the URLs of its relevant pages."""
    sets = [set(crawl) for crawl in crawls]
    times = Counter(url for crawl in sets for url in crawl)
    found, once = len(times), sum(count == 1 for count in times.values())
    pairs = [(len(one), len(other), len(one & other)) for one, other in combinations(sets, 2)]
    common = sum(both for _, _, both in pairs) + len(pairs)
    drawn = [(one + 1) * (other + 1) for one, other, _ in pairs]
    missing = max(0.0, sum(drawn) / common - 1 - found)
    low = high = float(found)
    if missing:
        spreads = (
            part * (one - both) * (other - both)
            for part, (one, other, both) in zip(drawn, pairs, strict=True)
        )
        variance = sum(spreads) * len(pairs) / (common**2 * (common + len(pairs)))
        factor = exp(Z * sqrt(log(1 + variance / missing**2)))
        low, high = found + missing / factor, found + missing * factor
    apart = any(both < LEAST_COMMON * min(one, other) for one, other, both in pairs)
    return ShareFound(tuple(map(len, sets)), found, found - once, apart, found + missing, low, high)
