"""What became of a job, in figures: how the harvest grew, which sites gave what, what was not kept and why.

The crawl log has each URL that was fetched. A job with a JOBDIR has its queue too, which knows what was refused unfetched, and each reason by
its own name; without one the HTTP status must do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from topiccrawler.crawling.crawl_logs import logs_of, visits_of
from topiccrawler.crawling.gate import REFUSED as BELOW_THRESHOLD
from topiccrawler.crawling.job_files import FRONTIER, REFUSED
from topiccrawler.crawling.page_stores import stored_in
from topiccrawler.errors import StateError
from topiccrawler.frontier.overview import Outcome, outcomes
from topiccrawler.results.tally import EXAMPLES, Site, Tally
from topiccrawler.store.refused import NOT_QUEUED, ONE_IN, read_refused


@dataclass(slots=True)
class Summary:
    """Of one job."""

    fetched: int = 0  # pages that came, whatever they were about
    kept: int = 0
    failed: int = 0
    began: float = 0.0  # seconds since the epoch; 0 = nothing was fetched
    ended: float = 0.0
    curve: list[tuple[int, int]] = field(default_factory=list)  # pages fetched, of these kept
    sites: list[Site] = field(default_factory=list)  # those with most kept first
    outcomes: list[Outcome] = field(default_factory=list)
    has_queue: bool = False

    @property
    def harvest_rate(self) -> float:
        """Kept of fetched, 0..1."""
        return self.kept / self.fetched if self.fetched else 0.0


def summary_of(folder: Path) -> Summary:
    """Read a job's log, and its queue when it has one. StateError for files that cannot be read."""
    tally = Tally()
    if not logs_of(folder) and (stored := stored_in(folder)) is not None:
        remedy = "ask where its processes ran, with their TOPIC_DATA_DIR"
        raise StateError(f"job {stored[1]}", "has no crawl log on this machine", remedy)
    for visit in visits_of(folder):
        tally.add(visit)
    has_queue = (folder / FRONTIER).is_file()
    return Summary(
        fetched=tally.fetched,
        kept=tally.kept,
        failed=tally.failed,
        began=tally.began,
        ended=tally.ended,
        curve=tally.curve(),
        sites=tally.sites,
        outcomes=[
            *(outcomes(folder / FRONTIER, EXAMPLES) if has_queue else tally.outcomes),
            *_refused(folder),
        ],
        has_queue=has_queue,
    )


def _refused(folder: Path) -> list[Outcome]:
    """The sample of the links that were not queued."""
    urls = [link.url for link in read_refused(folder / REFUSED)]
    reason = f"{BELOW_THRESHOLD}, not queued; one URL in {ONE_IN} is noted"
    return [Outcome(NOT_QUEUED, reason, len(urls), tuple(urls[:EXAMPLES]))] if urls else []
