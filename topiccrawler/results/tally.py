"""What the visits of a job add up to, counted one by one: the harvest, the sites, what was not kept and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from topiccrawler.crawling.harvest_counter import RECENT_PAGES
from topiccrawler.frontier.overview import Outcome
from topiccrawler.model import Visit
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
    is_seed: bool = False  # a seed lies there
    met_at: int = 0  # pages that had been fetched when it was asked first

    @property
    def share(self) -> float:
        """Kept of fetched, 0..1."""
        return self.kept / self.fetched if self.fetched else 0.0

    @property
    def mean_relevance(self) -> float:
        """Of the pages fetched, 0..1."""
        return self.relevance / self.fetched if self.fetched else 0.0


@dataclass(slots=True)
class Tally:
    """Of one job so far."""

    began: float = 0.0  # seconds since the epoch; 0 = nothing was fetched
    ended: float = 0.0
    failed: int = 0
    by_host: dict[str, Site] = field(default_factory=dict)
    _kept_of_each: bytearray = field(default_factory=bytearray)
    _kept: int = 0
    _ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    _examples: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, visit: Visit) -> None:
        """Count one more."""
        self.began = self.began or visit.time
        self.ended = max(self.ended, visit.time)
        host = host_of(visit.url)
        site = self.by_host.get(host)
        if site is None:
            site = self.by_host[host] = Site(host, met_at=self.fetched)
        site.is_seed |= not visit.source_url
        if is_page(visit):
            self._kept_of_each.append(visit.stored)
            self._kept += visit.stored
            site.fetched += 1
            site.kept += visit.stored
            site.relevance += visit.relevance
        else:
            self.failed += 1
            site.failed += 1
        if not visit.stored:
            end = end_of(visit)
            self._ends[end] += 1
            if self._ends[end] <= EXAMPLES:
                self._examples.setdefault(end, []).append(visit.url)

    @property
    def fetched(self) -> int:
        """Pages that came, whatever they were about."""
        return len(self._kept_of_each)

    @property
    def kept(self) -> int:
        """Of these."""
        return self._kept

    @property
    def recent(self) -> tuple[int, int]:
        """Of the last 200 pages: how many there are, how many were kept."""
        last = self._kept_of_each[-RECENT_PAGES:]
        return len(last), sum(last)

    @property
    def sites(self) -> list[Site]:
        """Those with most kept first."""
        return sorted(self.by_host.values(), key=lambda site: (-site.kept, -site.fetched, site.host))

    @property
    def outcomes(self) -> list[Outcome]:
        """What was not kept, by HTTP status, the most frequent first."""
        return [
            Outcome(*end, count, tuple(self._examples.get(end, ())))
            for end, count in self._ends.most_common()
        ]

    def curve(self) -> list[tuple[int, int]]:
        """Pages fetched, of these kept; CURVE_POINTS or a few more."""
        points, kept = [(0, 0)], 0
        step = max(1, self.fetched // CURVE_POINTS)
        for begin in range(0, self.fetched, step):
            piece = self._kept_of_each[begin : begin + step]
            kept += sum(piece)
            points.append((begin + len(piece), kept))
        return points


def is_page(visit: Visit) -> bool:
    """A page came."""
    return 200 <= visit.status < 300


def end_of(visit: Visit) -> tuple[str, str]:
    """State and reason of a visit that was not kept, as far as the log says."""
    if is_page(visit):
        return "discarded", "off topic, a copy, or not read"
    return "error", f"http {visit.status}" if visit.status else "no answer, or refused before it was asked"
