"""Summarizes a job in figures: its harvest curve, its sites, the pages that were not kept and why, and the state of its queue.

`Summary` counts the visits of the crawl log, which has each URL that was fetched.

`queue_report` describes the queue of a job, which may be running. It also has the URLs that were refused unfetched, each reason by its own
name, the next URLs, and why hosts wait. Where the queue is on a server or of another scheduler, only the HTTP status explains why a page was
not kept.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from math import inf, isinf
from pathlib import Path
from typing import Any

from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.explanation import heaviest_shares
from topiccrawler.crawling.harvest import RECENT_PAGES, HarvestCounter
from topiccrawler.crawling.job_files import NOTE, noted_waits, read_recipe
from topiccrawler.crawling.job_topic import topic_display_name
from topiccrawler.crawling.link_gate import REFUSED as BELOW_THRESHOLD
from topiccrawler.crawling.outages import CLOSED
from topiccrawler.crawling.page_stores import (
    database_of,
    judged_again,
    logs_of,
    open_queue,
    refused_in,
    stored_in,
    visits_of,
)
from topiccrawler.crawling.past_crawl import LONGEST_PATH
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.robots_notes import robots_of
from topiccrawler.errors import CrawlerError, StateError
from topiccrawler.frontier.base import Row
from topiccrawler.frontier.stored_queue import Outcome, QueueView, StoredQueue, is_made
from topiccrawler.job_database import JOB_DATABASE, MEMORY, JobDatabase
from topiccrawler.model import Visit
from topiccrawler.store.refused import NOT_QUEUED, ONE_IN
from topiccrawler.store.visits import VisitLog
from topiccrawler.urls.canonical import host_of

EXAMPLES = 3  # URLs listed for each reason
CURVE_POINTS = 400


@dataclass(slots=True)
class Site:
    """The results of one host."""

    host: str
    fetched: int = 0
    kept: int = 0
    failed: int = 0
    challenged: int = 0  # responses that were challenges, login walls or soft 404s, no pages
    relevance: float = 0.0  # sum over the pages fetched
    is_seed: bool = False  # a seed is on this host
    met_at: int = 0  # number of pages fetched before the first request to this host

    @property
    def share(self) -> float:
        """The share of the fetched pages that was kept, 0..1."""
        return self.kept / self.fetched if self.fetched else 0.0

    @property
    def mean_relevance(self) -> float:
        """The mean relevance of the fetched pages, 0..1."""
        return self.relevance / self.fetched if self.fetched else 0.0


@dataclass(slots=True)
class Summary:
    """The figures of one job so far."""

    began: float = 0.0  # seconds since the epoch; 0 = nothing was fetched
    ended: float = 0.0
    failed: int = 0
    by_host: dict[str, Site] = field(default_factory=dict)
    _kept_of_each: bytearray = field(default_factory=bytearray)
    _kept: int = 0
    _ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    _examples: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    by_queue: list[Outcome] | None = None  # why pages were not kept; None without a queue
    refused: list[Outcome] = field(default_factory=list)  # a sample of the links that were not queued
    # by URL, for pages that judging again has changed (crawling.judging): whether it is kept now, and its relevance
    judged: Mapping[str, tuple[bool, float]] = field(default_factory=dict)

    def add(self, visit: Visit) -> None:
        """Count one visit. A page that was judged again counts as it is judged now."""
        if visit.is_page and (judged := self.judged.get(visit.url)) is not None:
            visit = replace(visit, stored=judged[0], relevance=judged[1])
        self.began = self.began or visit.time
        self.ended = max(self.ended, visit.time)
        host = host_of(visit.url)
        site = self.by_host.get(host)
        if site is None:
            site = self.by_host[host] = Site(host, met_at=self.fetched)
        site.is_seed |= not visit.source_url
        if visit.is_page:
            self._kept_of_each.append(visit.stored)
            self._kept += visit.stored
            site.fetched += 1
            site.kept += visit.stored
            site.relevance += visit.relevance
        elif visit.challenge:
            site.challenged += 1
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
        """The number of pages that were fetched, on topic or not."""
        return len(self._kept_of_each)

    @property
    def kept(self) -> int:
        """The number of fetched pages that were kept."""
        return self._kept

    @property
    def harvest_rate(self) -> float:
        """The share of all fetched pages that was kept, 0..1."""
        return self.kept / self.fetched if self.fetched else 0.0

    @property
    def has_queue(self) -> bool:
        """Whether the job has a queue, which also has the URLs refused before they were fetched."""
        return self.by_queue is not None

    @property
    def recent(self) -> tuple[int, int]:
        """The number of the last RECENT_PAGES pages (fewer at the beginning), and how many of them were kept."""
        last = self._kept_of_each[-RECENT_PAGES:]
        return len(last), sum(last)

    @property
    def sites(self) -> list[Site]:
        """The hosts, those with the most kept pages first."""
        return sorted(self.by_host.values(), key=lambda site: (-site.kept, -site.fetched, site.host))

    @property
    def outcomes(self) -> list[Outcome]:
        """Why pages were not kept, the most frequent reason first; by HTTP status when there is no queue."""
        ends = self._ends.most_common()
        by_log = [Outcome(*end, count, tuple(self._examples.get(end, ()))) for end, count in ends]
        return [*(by_log if self.by_queue is None else self.by_queue), *self.refused]

    @property
    def curve(self) -> list[tuple[int, int]]:
        """The harvest curve as pairs of pages fetched and pages kept; about CURVE_POINTS pairs at most."""
        points, kept = [(0, 0)], 0
        step = max(1, self.fetched // CURVE_POINTS)
        for begin in range(0, self.fetched, step):
            piece = self._kept_of_each[begin : begin + step]
            kept += sum(piece)
            points.append((begin + len(piece), kept))
        return points


def end_of(visit: Visit) -> tuple[str, str]:
    """The state and the reason of a visit whose page was not kept, as far as the log has them."""
    if visit.challenge:
        return "discarded", visit.challenge
    if visit.is_page:
        return "discarded", "off topic, a copy, or not read"
    return "error", f"http {visit.status}" if visit.status else "no answer, or refused before it was asked"


def summary_of(folder: Path) -> Summary:
    """Read a job's crawl log, and its queue if it has one. StateError for files that cannot be read."""
    summary = Summary(judged=judged_again(folder))
    if not logs_of(folder) and (stored := stored_in(folder)) is not None:
        remedy = "ask where its processes ran, with their TOPIC_DATA_DIR"
        raise StateError(f"job {stored[1]}", "has no crawl log on this machine", remedy)
    for visit in visits_of(folder):
        summary.add(visit)
    summary.by_queue = outcomes_of(folder)
    summary.refused = _refused(folder)
    return summary


def outcomes_of(folder: Path) -> list[Outcome] | None:
    """The failed and the discarded URLs in the queue in a job's folder, by reason; None if there is none."""
    if not is_made(folder / JOB_DATABASE):
        return None
    with closing(StoredQueue(folder / JOB_DATABASE)) as queue:
        return queue.outcomes(EXAMPLES)


def _refused(folder: Path) -> list[Outcome]:
    """The sample of the links that were not queued, as one outcome; empty without a sample."""
    urls = [link.url for link in refused_in(folder)]
    reason = f"{BELOW_THRESHOLD}, not queued; one URL in {ONE_IN} is noted"
    return [Outcome(NOT_QUEUED, reason, len(urls), tuple(urls[:EXAMPLES]))] if urls else []


def report_in(
    folder: Path, top: int, *, parts: Parts | None = None, all_hosts: bool = False
) -> dict[str, Any]:
    """The report of the queue of the job in a folder: see queue_report. `parts`: those of its crawl; None = they are made. StateError without
    a queue."""
    recipe = read_recipe(folder)
    with closing(open_queue(folder) or StoredQueue(folder / JOB_DATABASE)) as queue:
        parts = parts_by(recipe) if parts is None else parts
        return queue_report(queue, recipe, top, time.time(), parts, folder=folder, all_hosts=all_hosts)


def queue_report(
    queue: QueueView,
    recipe: Recipe | None,
    top: int,
    now: float,
    parts: Parts | None,
    *,
    folder: Path | None = None,
    all_hosts: bool = False,
) -> dict[str, Any]:
    """The state of a queue as JSON values, `top` entries a list. `recipe`: that of the crawl; `now`: seconds since the epoch; `parts`: explain
    the scores; `folder`: the job's, whose crawl log has the paths to the next URLs; `all_hosts`: list all hosts of the queue in `top_hosts`."""
    seen = queue.overview(top)
    noted = noted_waits(seen.notes.get(NOTE))
    waits = {host: (reason, until) for host, reason, until in noted if until > now}
    made_with: dict[str, Any] = {}
    if recipe is not None:
        made_with = {"topic": recipe.topic, "topic_name": topic_display_name(recipe)}
        made_with["strategy"] = recipe.strategy
    harvest = _note(seen.notes, HarvestCounter.NOTE)
    return {
        **made_with,
        "pages": harvest.get("pages", 0),
        "kept": harvest.get("kept", 0),
        "kinds": harvest.get("kinds", {}),
        "relevant": harvest.get("relevant", 0),
        "states": seen.states,
        "hosts": len(seen.hosts),
        "waits": dict(Counter(reason.partition(":")[0] for reason, _ in waits.values())),
        "over_budget": sum(
            seen.hosts.get(host, {}).get("waiting", 0)
            for host, (reason, until) in waits.items()
            if isinf(until) and not reason.startswith(CLOSED)
        ),
        "top_hosts": [
            {
                "host": host,
                **seen.hosts[host],
                **wait_of(waits.get(host), now),
                **robots_of(queue.notes, host, now),
            }
            for host in list(seen.hosts)[: None if all_hosts else top]
        ],
        "waiting_hosts": [{"host": host, **wait_of(wait, now)} for host, wait in list(waits.items())[:top]],
        "top": [
            {
                "url": row.link.url,
                "anchor": row.link.anchor,
                "source_url": row.link.source_url,
                "depth": row.link.depth,
                "score": row.score,
                "shares": [] if parts is None else heaviest_shares(parts, row),
                "path": [{"url": step.url, "anchor": step.anchor} for step in path],
                **wait_of(waits.get(row.link.host), now),
            }
            for row, path in zip(seen.top, _paths(seen.top, folder), strict=True)
        ],
        "failures": dict(list(seen.failures.items())[:top]),
        "discards": dict(list(seen.discards.items())[:top]),
    }


def parts_by(recipe: Recipe | None) -> Parts | None:
    """The parts of a crawl, without what its strategy has learned; None without a recipe, or when its topic or a model is missing."""
    try:
        return None if recipe is None else assemble(recipe)
    except CrawlerError:
        return None


@dataclass(frozen=True, slots=True)
class OnTheWay:
    """One page on the path from a seed to a URL."""

    url: str
    anchor: str  # of the link that led to it
    score: float | None = None  # of its link when it was fetched; None if the log does not have it


def path_to(
    log: VisitLog, url: str, source_url: str, anchor: str, score: float | None = None
) -> list[OnTheWay]:
    """The path from the seed to a URL whose link is on the page `source_url`, as far as the crawl log has it."""
    steps = {url: OnTheWay(url, anchor, score)}
    while source_url and source_url not in steps and len(steps) < LONGEST_PATH:
        found = log.last_of(source_url)
        if found is None:
            steps[source_url] = OnTheWay(source_url, "")
            break
        steps[source_url] = OnTheWay(source_url, found.anchor, found.score)
        source_url = found.source_url
    return list(reversed(steps.values()))


def _paths(rows: Sequence[Row], folder: Path | None) -> list[list[OnTheWay]]:
    """The paths to the URLs of some rows, by the crawl log in a folder; without one only the pages that link to them."""
    with closing(JobDatabase(MEMORY) if folder is None else database_of(folder)) as database:
        log = VisitLog(database)
        return [path_to(log, row.link.url, row.link.source_url, row.link.anchor) for row in rows]


def wait_of(wait: tuple[str, float] | None, now: float) -> dict[str, Any]:
    """Why a host waits and for how many seconds; None for a closed host. Empty for a host that does not wait."""
    if wait is None:
        return {}
    return {"wait": wait[0], "seconds": None if wait[1] == inf else round(max(0.0, wait[1] - now), 1)}


def _note(notes: Mapping[str, str], name: str) -> dict[str, Any]:
    """The JSON object in a note; {} when it is missing or damaged."""
    try:
        kept = json.loads(notes.get(name, "{}"))
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}
