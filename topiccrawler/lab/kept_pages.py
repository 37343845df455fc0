"""Measures how good the kept pages of a crawl are, over the content pages that it fetched.

    precision = on topic among the kept / kept
    recall    = on topic among the kept / on topic
    kept_precision@N = on topic among the kept of the first N fetched / kept of the first N fetched
    kept_recall@N    = on topic among the kept of the first N fetched / content pages on topic that can be reached
    p_at_25   = on topic among the 25 kept pages of highest relevance / min(25, on topic)
    calibration_error = sum over ten bins of relevance of pages in the bin / pages · |their mean relevance − their share on topic|

A page that could not be read is not kept, and is in no bin. Reference of the last: Naeini, Cooper & Hauskrecht (2015), Obtaining
Well Calibrated Probabilities Using Bayesian Binning (the expected calibration error with bins of equal width).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

BEST = 25
BINS = 10


class Assessed(NamedTuple):
    """A content page that was fetched, with its truth and the crawl's verdict."""

    is_relevant: bool
    relevance: float | None  # 0..1, by the crawl's page classifier; None: the page could not be read
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Bin:
    """The pages with a relevance of at least `start` and less than `end`; the last bin includes 1."""

    start: float
    end: float
    pages: int
    mean_relevance: float | None  # None: no page
    on_topic: float | None  # share of the pages


@dataclass(frozen=True, slots=True)
class Kept:
    """The figures of one crawl's kept pages. A figure is None when its denominator is 0."""

    pages: int  # number of kept pages
    precision: float | None
    recall: float | None
    p_at_25: float | None
    calibration_error: float | None


def measure(pages: Sequence[Assessed]) -> Kept:
    """Compute the figures of a crawl. `pages`: in order of fetching, which breaks ties of relevance."""
    kept = [page for page in pages if page.is_kept]
    hits = sum(page.is_relevant for page in kept)
    relevant = sum(page.is_relevant for page in pages)
    best = sorted(kept, key=lambda page: -(page.relevance or 0.0))[:BEST]
    return Kept(
        pages=len(kept),
        precision=hits / len(kept) if kept else None,
        recall=hits / relevant if relevant else None,
        p_at_25=sum(page.is_relevant for page in best) / min(BEST, relevant) if relevant else None,
        calibration_error=calibration_error(reliability(pages)),
    )


def reliability(pages: Sequence[Assessed]) -> list[Bin]:
    """The bins of a reliability diagram."""
    parts: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for page in pages:
        if page.relevance is not None:
            parts[min(BINS - 1, int(page.relevance * BINS))].append((page.relevance, page.is_relevant))
    return [
        Bin(
            start=number / BINS,
            end=(number + 1) / BINS,
            pages=len(part),
            mean_relevance=fmean(relevance for relevance, _ in part) if part else None,
            on_topic=fmean(is_relevant for _, is_relevant in part) if part else None,
        )
        for number, part in enumerate(parts)
    ]


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """The expected calibration error over the bins, 0..1; None without pages."""
    pages = sum(one.pages for one in bins)
    gaps = (
        one.pages * abs(one.mean_relevance - one.on_topic)
        for one in bins
        if one.mean_relevance is not None and one.on_topic is not None
    )
    return sum(gaps) / pages if pages else None
