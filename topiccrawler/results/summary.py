"""Summarizes a job in figures: its harvest curve, its sites, the pages that were not kept and why, and the state of its queue.

`Summary` counts the visits of the crawl log, which has each URL that was fetched.

`queue_report` and `report_of` describe the queue of a job with a JOBDIR, which can be read while the crawl is running. It also has the
URLs that were refused unfetched, each reason by its own name, the next URLs, and why hosts wait. Without a queue, only the HTTP status
explains why a page was not kept.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isinf
from pathlib import Path
from typing import Any

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.explanation import heaviest_shares
from topiccrawler.crawling.harvest import RECENT_PAGES, HarvestCounter
from topiccrawler.crawling.job_files import NOTE, noted_waits, read_recipe
from topiccrawler.crawling.job_topic import topic_display_name
from topiccrawler.crawling.link_gate import REFUSED as BELOW_THRESHOLD
from topiccrawler.crawling.outages import CLOSED
from topiccrawler.crawling.page_stores import judged_again, logs_of, refused_in, stored_in, visits_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import CrawlerError, StateError
from topiccrawler.frontier.base import Row
from topiccrawler.frontier.stored_state import Outcome, Overview, is_made, outcomes, overview
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Link, Visit
from topiccrawler.store.refused import NOT_QUEUED, ONE_IN
from topiccrawler.strategies.base import Shares
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
    if is_made(folder / JOB_DATABASE):
        summary.by_queue = outcomes(folder / JOB_DATABASE, EXAMPLES)
    summary.refused = _refused(folder)
    return summary


def _refused(folder: Path) -> list[Outcome]:
    """The sample of the links that were not queued, as one outcome; empty without a sample."""
    urls = [link.url for link in refused_in(folder)]
    reason = f"{BELOW_THRESHOLD}, not queued; one URL in {ONE_IN} is noted"
    return [Outcome(NOT_QUEUED, reason, len(urls), tuple(urls[:EXAMPLES]))] if urls else []


def queue_report(folder: Path, top: int, now: float, *, all_hosts: bool = False) -> dict[str, Any]:
    """The state of a job's queue as JSON values, `top` entries a list. `now`: seconds since the epoch. `all_hosts`: list all hosts of the
    queue in `top_hosts`. StateError without a queue."""
    seen = overview(folder / JOB_DATABASE, top)
    return report_of(seen, read_recipe(folder), top, now, all_hosts=all_hosts)


def report_of(
    seen: Overview, recipe: Recipe | None, top: int, now: float, *, all_hosts: bool = False
) -> dict[str, Any]:
    """The report of a queue whose overview was already read, from a file or a database; other parameters as for `queue_report`."""
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
            {"host": host, **seen.hosts[host], **wait_of(waits.get(host), now)}
            for host in list(seen.hosts)[: None if all_hosts else top]
        ],
        "waiting_hosts": [{"host": host, **wait_of(wait, now)} for host, wait in list(waits.items())[:top]],
        "top": [
            {
                **link_as_json(row.link),
                "score": row.score,
                "shares": shares,
                **wait_of(waits.get(row.link.host), now),
            }
            for row, shares in zip(seen.top, _shares(seen.top, recipe), strict=True)
        ],
        "failures": dict(list(seen.failures.items())[:top]),
        "discards": dict(list(seen.discards.items())[:top]),
    }


def _shares(rows: Sequence[Row], recipe: Recipe | None) -> list[Shares]:
    """The parts of each row's score, the largest first; empty lists when the job has no recipe, or its topic or a model is missing."""
    if recipe is None or not rows:
        return [[] for _ in rows]
    try:
        parts = assemble(recipe)
        return [heaviest_shares(parts, row) for row in rows]
    except CrawlerError:
        return [[] for _ in rows]


def link_as_json(link: Link) -> dict[str, Any]:
    """The fields of a link in the lists of the queue report."""
    return {"url": link.url, "anchor": link.anchor, "source_url": link.source_url, "depth": link.depth}


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
