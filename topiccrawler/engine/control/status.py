"""How a running crawl stands, in numbers and, when no request goes out, in words."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import Any

from topiccrawler.engine.runtime import Runtime
from topiccrawler.engine.scheduler import FocusedScheduler

RUNNING, PAUSED, CLOSING = "running", "paused", "closing"
_PLACES = 4


def status_of(
    runtime: Runtime, scheduler: FocusedScheduler | None, *, state: str, held: int, seconds: float
) -> dict[str, Any]:
    """JSON values. `held`: requests that a pause holds back. `seconds`: since this run began, without pauses. O(hosts)."""
    harvest, now = runtime.harvest, runtime.clock()
    waits: Counter[str] = Counter(reason for _, reason, _ in runtime.hosts.waiting(now))
    new = harvest.pages - harvest.begun_with
    return {
        "state": state,
        "topic": runtime.topic.name,
        "topic_name": runtime.topic.display_name,
        "strategy": runtime.params.strategy,
        "pages": harvest.pages,
        "kept": harvest.kept,
        "relevant": harvest.relevant,
        "harvest_rate": round(harvest.harvest_rate, _PLACES),
        "recent_pages": harvest.recent_pages,
        "recent_harvest_rate": round(harvest.recent_harvest_rate, _PLACES),
        "pages_per_second": round(new / seconds, 2) if seconds > 0 else 0.0,
        "queued": len(runtime.frontier),
        "in_flight": scheduler.under_way if scheduler is not None else 0,
        "held_back": held,
        "page_threshold": round(runtime.reader.page_threshold, _PLACES),
        "hosts": len(runtime.hosts),
        "hosts_waiting": dict(waits.most_common()),
        "limits": {"pages": runtime.params.pages, "targets": runtime.params.targets},
        "standing": _why_standing(runtime, scheduler, state, now),
    }


def _why_standing(runtime: Runtime, scheduler: FocusedScheduler | None, state: str, now: float) -> str:
    """Why no further request goes out now; empty when one may."""
    if state != RUNNING:
        return {PAUSED: "the crawl is paused", CLOSING: "the crawl is closing"}[state]
    if scheduler is None:
        return ""
    if scheduler.limit_reached():
        return "enough pages are fetched, under way or kept (pages, targets)"
    if not scheduler.has_room():
        return "as many requests are under way as CONCURRENT_REQUESTS allows"
    return _why_queue_waits(runtime, now)


def _why_queue_waits(runtime: Runtime, now: float) -> str:
    if not len(runtime.frontier):
        return "the queue is empty"
    due = runtime.hosts.next_ready(now)
    if due is None:
        waits = [until for _, _, until in runtime.hosts.waiting(now)]
        over = waits and all(until == inf for until in waits)
        return "budgets hold back all that waits" if over else "all hosts that have URLs are busy"
    return f"all hosts that have URLs wait, the first for {due - now:.1f} s more" if due > now else ""
