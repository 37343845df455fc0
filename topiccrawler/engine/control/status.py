"""Computes the status of a running crawl: its numbers, and in words why no request is sent, if none is."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from math import inf
from typing import Any

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.engine.scheduler import FocusedScheduler

RUNNING, PAUSED, CLOSING = "running", "paused", "closing"
_PLACES = 4


def status_of(
    crawl: Crawl, scheduler: FocusedScheduler | None, *, state: str, held: int, seconds: float
) -> dict[str, Any]:
    """The status of a crawl as a JSON object. `held`: number of requests that a pause holds back. `seconds`: time since this run began,
    without pauses. O(hosts)."""
    harvest, now = crawl.harvest, crawl.clock()
    waits: Counter[str] = Counter(reason.partition(":")[0] for _, reason, _ in crawl.hosts.waiting(now))
    new = harvest.pages - harvest.begun_with
    estimate = crawl.estimator.estimate()
    return {
        "state": state,
        "topic": crawl.topic.name,
        "topic_name": crawl.topic.display_name,
        "strategy": crawl.parts.recipe.strategy,
        "pages": harvest.pages,
        "kept": harvest.kept,
        "articles": harvest.articles,
        "kinds": dict(harvest.kinds),
        "relevant": harvest.relevant,
        "harvest_rate": round(harvest.harvest_rate, _PLACES),
        "recent_pages": harvest.recent_pages,
        "recent_harvest_rate": round(harvest.recent_harvest_rate, _PLACES),
        "pages_per_second": round(new / seconds, 2) if seconds > 0 else 0.0,
        "queued": crawl.frontier.look().waiting(),
        "in_flight": scheduler.under_way if scheduler is not None else 0,
        "held_back": held,
        "page_threshold": round(crawl.filter.threshold, _PLACES),
        "hosts": len(crawl.hosts),
        "hosts_waiting": dict(waits.most_common()),
        "relevant_waiting": None if estimate is None else round(estimate.relevant),
        "promise": None if estimate is None else round(estimate.promise, _PLACES),
        "gate": {**asdict(crawl.gate_counts), "mean_probability": crawl.gate_counts.mean_probability},
        "limits": asdict(crawl.limits),
        "outage": crawl.outages.line(now),
        "standing": _why_standing(crawl, scheduler, state, now),
    }


def _why_standing(crawl: Crawl, scheduler: FocusedScheduler | None, state: str, now: float) -> str:
    """Why no further request is sent now, in words; empty when one may be sent."""
    if state != RUNNING:
        return {PAUSED: "the crawl is paused", CLOSING: "the crawl is closing"}[state]
    if scheduler is None:
        return ""
    if scheduler.limit_reached():
        if crawl.promises_little:
            return "the next pages promise too little (until)"
        return "enough pages are fetched, under way or kept (pages, targets)"
    if not scheduler.has_room():
        return "as many requests are under way as CONCURRENT_REQUESTS allows"
    return _why_queue_waits(crawl, now)


def _why_queue_waits(crawl: Crawl, now: float) -> str:
    if crawl.outages.stops:
        return (
            crawl.outages.line(now).partition(",")[0]
            or "a host that has answered before is asked whether the network is away"
        )
    if not crawl.frontier.look().waiting():
        return "the queue is empty"
    due = crawl.next_ready(now)
    if due is None:
        waits = [until for _, _, until in crawl.hosts.waiting(now)]
        over = waits and all(until == inf for until in waits)
        return "budgets hold back all that waits" if over else "all hosts that have URLs are busy"
    return f"all hosts that have URLs wait, the first for {due - now:.1f} s more" if due > now else ""
