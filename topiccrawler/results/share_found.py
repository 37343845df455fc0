"""Estimates how many relevant pages several crawls could have found, and the share that they did find, by the overlap of the crawls.

Idea       capture–recapture: if two crawls choose pages independently, the share of the first one's pages that the second has too is the
           share that the second has of all. Few pages in common: much is still to be found.
Formula    two crawls (Chapman 1951): N = (n1 + 1)(n2 + 1) / (m + 1) - 1, var N = (n1 + 1)(n2 + 1)(n1 - m)(n2 - m) / ((m + 1)² (m + 2));
           n1, n2 = pages kept by each, m = by both. Three and more (Chao 1987, bias-corrected): N = S + (t - 1)/t · f1 (f1 - 1) / (2 (f2 + 1)); S = pages
           found by any of t crawls, f1, f2 = pages found by exactly one and two. The share found is S / N.
Interval   95 %, log-normal for the pages not found (Chao 1987): f0 = N - S; [S + f0 / c, S + f0 · c], c = exp(1.96 √log(1 + var N / f0²)).
But        crawls of one topic are not independent. What all of them pass over is counted by none, so N is too small; short crawls that began in
           different corners of the web have little in common, so N is too large. What no link leads to from any of the seeds is
           not counted. docs/clean-corpus.md has the error on recorded webs.
Reference  Chapman (1951); Chao, Biometrics 43 (1987); for repeated crawls of one configuration Paris, Paris & Baumann, arXiv 2603.15416 (2026), whose
           estimator is that of Lincoln–Petersen for two crawls of a web that does not change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

Z = 1.96  # 95 % of a normal distribution


@dataclass(frozen=True, slots=True)
class ShareFound:
    """The pages that several crawls have found, and an estimate of all that they could have found."""

    pages: tuple[int, ...]  # of each crawl
    found: int  # by any
    common: int  # by more than one
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
    times = Counter(url for crawl in crawls for url in set(crawl))
    how_often = Counter(times.values())
    sizes, found, common = tuple(len(set(crawl)) for crawl in crawls), len(times), len(times) - how_often[1]
    estimate, variance = _chapman(sizes, how_often) if len(crawls) == 2 else _chao(sizes, found, how_often)
    missing = max(0.0, estimate - found)
    low = high = float(found)
    if missing:
        spread = exp(Z * sqrt(log(1 + variance / missing**2)))
        low, high = found + missing / spread, found + missing * spread
    return ShareFound(sizes, found, common, found + missing, low, high)


def _chapman(sizes: Sequence[int], how_often: Counter[int]) -> tuple[float, float]:
    """Estimate of all pages, and its variance, for two crawls."""
    (one, other), both = sizes, how_often[2]
    estimate = (one + 1) * (other + 1) / (both + 1) - 1
    variance = (one + 1) * (other + 1) * (one - both) * (other - both) / ((both + 1) ** 2 * (both + 2))
    return estimate, variance


def _chao(sizes: Sequence[int], found: int, how_often: Counter[int]) -> tuple[float, float]:
    """Estimate of all pages, and its variance, for three crawls or more."""
    once, twice, factor = how_often[1], how_often[2], (len(sizes) - 1) / len(sizes)
    estimate = found + factor * once * (once - 1) / (2 * (twice + 1))
    # the delta method for the bias-corrected form (Chao & Chiu 2016, eq. 14)
    variance = factor * once * (once - 1) / (2 * (twice + 1))
    variance += factor**2 * once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
    variance += factor**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    return estimate, variance
