"""Computes the values of a job's four panels: whether it finds relevant pages, where, what comes next and why, and what is wrong.

All of it is read from the job's files, whether the crawl runs or has ended. Only what the process alone knows, as its rate and what it
stands still for, comes from its status, which is polled each second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from topiccrawler.crawling.job_topic import topic_display_name
from topiccrawler.crawling.link_gate import REFUSED as BELOW_THRESHOLD
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.dashboard.jobs import TOP, WAIT_SECONDS, Job, breadth_first, rate_at
from topiccrawler.frontier.base import State
from topiccrawler.pages.kinds import KINDS
from topiccrawler.results.summary import Site
from topiccrawler.store.refused import NOT_QUEUED
from topiccrawler.topics.catalogue import by_name

PANELS = ("find", "where", "next", "wrong")
SHOWN_SITES, SHOWN_NEXT, SHOWN_OUTCOMES, ALL_SITES = 15, 12, 14, 1000
NEW, KEPT, FETCHED, SHARE, FAILED, WAITING = "new", "kept", "fetched", "share", "failed", "waiting"
ORDERS = (KEPT, FETCHED, SHARE, NEW, WAITING, FAILED)  # sort orders of the list of sites
_COPY = "copy of"
Status = Mapping[str, Any]


def prepare(job: Job) -> None:
    """Start all slow reads at once, without waiting for them."""
    job.queue(0)
    job.outcomes(0)


def find(job: Job, status: Status, data: Path, wait: float = WAIT_SECONDS) -> dict[str, Any]:
    """The panel "is it finding": the figures of the crawl; None = unknown."""
    tally, answers, is_read = job.log.tally, "pages" in status, job.share >= 1
    recent, recent_kept = tally.recent if is_read else (0, 0)
    pages, kept = (status["pages"], status["kept"]) if answers else _ended_with(job)
    seconds = tally.ended - tally.began
    queue = job.queue(wait) or {}
    known = {**queue, **status}
    kinds = known.get("kinds")
    curve = _breadth_first(job, data)
    waiting, promise = job.promised(status)
    return {
        "state": status["state"],
        "is_read": is_read,
        "pages": pages,
        "kept": kept,
        **{f"{kind}s": None if kinds is None else kinds.get(kind, 0) for kind in KINDS},
        "relevant": known.get("relevant"),
        "failed": tally.failed if is_read else None,
        "rate": kept / pages if pages and kept is not None else None,
        "recent_pages": recent,
        "recent_rate": recent_kept / recent if recent else None,
        "speed": status["pages_per_second"]
        if answers
        else tally.fetched / seconds
        if is_read and seconds > 0
        else None,
        "has_queue": answers or job.has_queue,
        "queued": status.get("queued", queue.get("states", {}).get("waiting")),
        "relevant_waiting": waiting,
        "promise": promise,
        "gate": job.gate(status),
        "in_flight": status.get("in_flight"),
        "held_back": status.get("held_back"),
        "hosts": status.get("hosts", len(tally.by_host) if is_read else None),
        "limits": status.get("limits", {"pages": None, "targets": None}),
        "standing": status.get("standing", ""),
        "began": tally.began,
        "ended": tally.ended,
        "breadth_first": None if pages is None else rate_at(curve, pages),
    }


def _ended_with(job: Job) -> tuple[int | None, int | None]:
    """The pages fetched and kept by a job that has ended; None while its log is read."""
    if job.share >= 1:
        return job.log.tally.fetched, job.log.tally.kept
    run = job.last_run
    return (None, None) if run is None else (run.pages, run.kept)


def topic_name(recipe: Recipe | None) -> str:
    """The display name of a job's topic; empty if it is unknown."""
    return "" if recipe is None else topic_display_name(recipe)


def _topic_id(recipe: Recipe | None) -> str:
    """The topic's name in the results of comparisons: that of the catalogue, or of the user's own file."""
    if recipe is None:
        return ""
    known = by_name().get(recipe.topic.strip().lower())
    return known.name if known is not None else str((recipe.topic_fields or {}).get("name") or recipe.topic)


def curves(job: Job, data: Path) -> dict[str, Any]:
    """The harvest curve of a job and, if known, that of breadth-first, at common numbers of pages fetched; None for unknown values."""
    points = job.log.tally.curve if job.share >= 1 else [(0, 0)]  # a part would look like the whole
    base = _breadth_first(job, data)
    most = points[-1][0]
    known = dict(points)
    places = sorted({*known, *(pages for pages, _ in base if pages < most)})
    at, kept = zip((0, 0.0), *((pages, pages * rate) for pages, rate in base), strict=True)
    return {
        "fetched": places,
        "kept": [known.get(place) for place in places],
        "breadth_first": _between(places, at, kept) if base else None,
    }


def _breadth_first(job: Job, data: Path) -> list[tuple[int, float]]:
    topic = _topic_id(job.recipe())
    return job.once("breadth_first", "", lambda: breadth_first(data, topic), None) or []


def _between(places: Sequence[int], at: Sequence[int], kept: Sequence[float]) -> list[float | None]:
    """A curve interpolated at `places` from its known points; None behind its end."""
    found = np.interp(places, at, kept).round(1).tolist()
    return [value if place <= at[-1] else None for place, value in zip(places, found, strict=True)]


def where(job: Job, order: str = KEPT, wait: float | None = WAIT_SECONDS) -> list[dict[str, Any]]:
    """The panel "where": one row a host, including hosts that only wait. `order`: one of ORDERS. `wait`: as in jobs.Job.once."""
    queue = {one["host"]: one for one in (job.queue(wait) or {}).get("top_hosts", [])}
    rows = [_site(site, queue.pop(site.host, {})) for site in job.log.tally.sites]
    rows += [_site(Site(host), wait) for host, wait in queue.items()]
    if order != KEPT:
        rows.sort(key=lambda row: -float(row["met_at"] if order == NEW else row[order] or 0))
        if order == NEW:
            rows = [row for row in rows if row["new"]]
    return rows


def _site(site: Site, wait: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "host": site.host,
        "fetched": site.fetched,
        "kept": site.kept,
        "share": site.share if site.fetched else None,
        "new": not site.is_seed and site.fetched + site.failed > 0,
        "met_at": site.met_at,
        "waiting": wait.get("waiting", 0),
        "wait": wait.get("wait"),
        "seconds": wait.get("seconds"),
        "robots": wait.get("robots"),
        "robots_seconds": wait.get("robots_seconds"),
        "failed": site.failed,
        "challenged": site.challenged,
    }


def following(job: Job, most: int = TOP, wait: float = WAIT_SECONDS) -> list[dict[str, Any]]:
    """The panel "what next and why": the best URLs in the queue, with score and its parts, path from the seed, and why their hosts wait."""
    top: list[dict[str, Any]] = (job.queue(wait) or {}).get("top", [])
    return top[:most]


def wrong(job: Job, wait: float = WAIT_SECONDS) -> list[dict[str, Any]]:
    """The panel "what is wrong": the numbers of URLs that failed, were refused or were discarded, by rule."""
    found = job.outcomes(wait)
    rules: dict[tuple[str, str], int] = {}
    for one in job.log.tally.outcomes if found is None else found:
        rule = one.state, _rule(one.reason)
        rules[rule] = rules.get(rule, 0) + one.count
    if refused := job.refused(wait):
        rules[NOT_QUEUED, BELOW_THRESHOLD] = refused
    rows = [{"state": state, "reason": reason, "count": count} for (state, reason), count in rules.items()]
    return sorted(rows, key=lambda row: (row["state"] != State.ERROR, -int(str(row["count"]))))


def _rule(reason: str) -> str:
    """The rule in a reason: for a trap its kind, for a copy without the original's URL. The full reasons would differ for each URL."""
    if reason.startswith("trap: "):
        return ": ".join(reason.split(": ")[:2])
    return _COPY if reason.startswith(f"{_COPY} http") else reason
