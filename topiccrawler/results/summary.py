"""What became of a job, in figures: how the harvest grew, which sites gave what, what was not kept and why.

The crawl log has each URL that was fetched. A job with a JOBDIR has its queue too, which knows what was refused unfetched, and each reason by
its own name; without one the HTTP status must do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from topiccrawler.crawling.job_files import FRONTIER, VISITS
from topiccrawler.frontier.overview import Outcome, outcomes
from topiccrawler.model import Visit
from topiccrawler.store.visits import read_visits
from topiccrawler.urls.canonical import host_of

EXAMPLES = 3  # URLs shown of each reason
CURVE_POINTS = 400


@dataclass(slots=True)
class Site:
    """What one host gave."""

    host: str
    fetched: int = 0
    kept: int = 0
    failed: int = 0
    relevance: float = 0.0  # sum over the pages fetched

    @property
    def share(self) -> float:
        """Kept of fetched, 0..1."""
        return self.kept / self.fetched if self.fetched else 0.0

    @property
    def mean_relevance(self) -> float:
        """Of the pages fetched, 0..1."""
        return self.relevance / self.fetched if self.fetched else 0.0


@dataclass(slots=True)
class Summary:
    """Of one job."""

    fetched: int = 0  # pages that came, whatever they were about
    kept: int = 0
    failed: int = 0
    began: float = 0.0  # seconds since the epoch; 0 = nothing was fetched
    ended: float = 0.0
    curve: list[tuple[int, int]] = field(
        default_factory=list
    )  # pages fetched, of these kept; CURVE_POINTS at most
    sites: list[Site] = field(default_factory=list)  # those with most kept first
    outcomes: list[Outcome] = field(default_factory=list)
    has_queue: bool = False

    @property
    def harvest_rate(self) -> float:
        """Kept of fetched, 0..1."""
        return self.kept / self.fetched if self.fetched else 0.0


def summary_of(folder: Path) -> Summary:
    """Read a job's log, and its queue when it has one. StateError for files that cannot be read."""
    summary = Summary()
    sites: dict[str, Site] = {}
    kept_of_each = bytearray()
    others: dict[tuple[str, str], list[str]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    log = folder / VISITS
    for visit in read_visits(log) if log.is_file() else ():
        summary.began = summary.began or visit.time
        summary.ended = max(summary.ended, visit.time)
        host = host_of(visit.url)
        site = sites.setdefault(host, Site(host))
        if _is_page(visit):
            kept_of_each.append(visit.stored)
            site.fetched += 1
            site.kept += visit.stored
            site.relevance += visit.relevance
        else:
            site.failed += 1
        if not visit.stored:
            end = _end(visit)
            counts[end] += 1
            if counts[end] <= EXAMPLES:
                others.setdefault(end, []).append(visit.url)
    summary.fetched, summary.kept = len(kept_of_each), sum(kept_of_each)
    summary.failed = sum(site.failed for site in sites.values())
    summary.curve = _curve(kept_of_each)
    summary.sites = sorted(sites.values(), key=lambda site: (-site.kept, -site.fetched, site.host))
    summary.has_queue = (folder / FRONTIER).is_file()
    if summary.has_queue:
        summary.outcomes = outcomes(folder / FRONTIER, EXAMPLES)
    else:
        summary.outcomes = [Outcome(*end, count, tuple(others[end])) for end, count in counts.most_common()]
    return summary


def _is_page(visit: Visit) -> bool:
    return 200 <= visit.status < 300


def _end(visit: Visit) -> tuple[str, str]:
    if _is_page(visit):
        return "discarded", "off topic, a copy, or not read"
    return "error", f"http {visit.status}" if visit.status else "no answer, or refused before it was asked"


def _curve(kept_of_each: bytearray) -> list[tuple[int, int]]:
    points, kept = [(0, 0)], 0
    step = max(1, len(kept_of_each) // CURVE_POINTS)
    for fetched, is_kept in enumerate(kept_of_each, start=1):
        kept += is_kept
        if fetched % step == 0 or fetched == len(kept_of_each):
            points.append((fetched, kept))
    return points
