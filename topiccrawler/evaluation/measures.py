"""How good a crawl was: harvest rate, target recall and oracle ratio, from which of its pages were relevant.

    harvest_rate@N  = relevant among the first N fetched / N
    target_recall@N = relevant among the first N fetched / relevant pages that can be reached
    oracle_ratio@N  = sum over n = 1..N of relevant among the first n, divided by the same sum for the oracle
    pages_to_half   = pages fetched until half of the relevant pages that can be reached were among them
    off_topic_share = pages that are not relevant among all fetched / all fetched

A crawl whose queue runs empty keeps its count and is still divided by N; `pages` says how many it fetched.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Curve:
    """Relevant pages among the first 1, 2, … fetched."""

    counts: tuple[int, ...]

    @classmethod
    def of(cls, relevant: Iterable[bool]) -> Curve:
        """From one truth a fetched page, in order of fetching."""
        return cls(tuple(accumulate(map(int, relevant))))

    @property
    def pages(self) -> int:
        return len(self.counts)

    def found(self, pages: int) -> int:
        """Relevant pages among the first `pages`; a crawl that ended sooner keeps its count."""
        at = min(pages, len(self.counts))
        return self.counts[at - 1] if at > 0 else 0

    def area(self, pages: int) -> int:
        """Sum of found(n) over n = 1..pages."""
        missing = max(0, pages - len(self.counts))
        return sum(self.counts[:pages]) + missing * self.found(pages)


def harvest_rate(curve: Curve, pages: int) -> float:
    """0..1"""
    return curve.found(pages) / pages


def target_recall(curve: Curve, pages: int, reachable: int) -> float | None:
    """0..1; None when no relevant page can be reached."""
    return curve.found(pages) / reachable if reachable else None


def oracle_ratio(curve: Curve, oracle: Curve, pages: int) -> float | None:
    """0 = found nothing, 1 = as good as the oracle (a lucky crawl may pass it); None when the oracle finds nothing."""
    best = oracle.area(pages)
    return curve.area(pages) / best if best else None


def pages_to_half(curve: Curve, reachable: int) -> int | None:
    """None when the crawl ended before, or no relevant page can be reached."""
    half = (reachable + 1) // 2
    if not half or curve.found(curve.pages) < half:
        return None
    return bisect_left(curve.counts, half) + 1


def off_topic_share(curve: Curve) -> float | None:
    """0..1; None when nothing was fetched."""
    return 1.0 - curve.found(curve.pages) / curve.pages if curve.pages else None


def checkpoints(pages: int, step: int) -> list[int]:
    """Every `step` pages, and the end."""
    return [*range(step, pages, step), pages]
