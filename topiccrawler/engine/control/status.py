"""The state of a running crawl: in numbers; in words when no request goes out; in Prometheus' text form (version 0.0.4).

A stats key becomes a metric: `frontier/ended/completed` is topiccrawler_frontier_ended_total{of="completed"}. Scrapy's own keys are left
out.

The stats keys of stats_keys.toml: what a crawl writes besides Scrapy's own stats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import inf
from typing import Any, NamedTuple

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.engine.scheduler import FocusedScheduler
from topiccrawler.files import package_table

COUNT, GAUGE, AT_END = "count", "gauge", "at the end"


class StatsKey(NamedTuple):
    """`count`: only grows. `gauge`: set every ten seconds and at the end. `at the end`: set once, when the crawl closes."""

    kind: str
    meaning: str


SECTIONS: dict[str, dict[str, StatsKey]] = {
    title: {key: StatsKey(*entry) for key, entry in keys.items()}
    for title, keys in package_table("engine/stats_keys.toml").items()
}

STATS_KEYS: dict[str, StatsKey] = {key: entry for keys in SECTIONS.values() for key, entry in keys.items()}


RUNNING, PAUSED, CLOSING = "running", "paused", "closing"
_PLACES = 4


def status_of(
    crawl: Crawl, scheduler: FocusedScheduler | None, *, state: str, held: int, seconds: float
) -> dict[str, Any]:
    """JSON values. `held`: requests that a pause holds back. `seconds`: since this run began, without pauses. O(hosts)."""
    harvest, now = crawl.harvest, crawl.clock()
    waits: Counter[str] = Counter(reason for _, reason, _ in crawl.hosts.waiting(now))
    new = harvest.pages - harvest.begun_with
    estimate = crawl.estimator.estimate()
    return {
        "state": state,
        "topic": crawl.topic.name,
        "topic_name": crawl.topic.display_name,
        "strategy": crawl.parts.recipe.strategy,
        "pages": harvest.pages,
        "kept": harvest.kept,
        "relevant": harvest.relevant,
        "harvest_rate": round(harvest.harvest_rate, _PLACES),
        "recent_pages": harvest.recent_pages,
        "recent_harvest_rate": round(harvest.recent_harvest_rate, _PLACES),
        "pages_per_second": round(new / seconds, 2) if seconds > 0 else 0.0,
        "queued": crawl.frontier.look().waiting(),
        "in_flight": scheduler.under_way if scheduler is not None else 0,
        "held_back": held,
        "page_threshold": round(crawl.reader.page_threshold, _PLACES),
        "hosts": len(crawl.hosts),
        "hosts_waiting": dict(waits.most_common()),
        "relevant_waiting": None if estimate is None else round(estimate.relevant),
        "promise": None if estimate is None else round(estimate.promise, _PLACES),
        "limits": asdict(crawl.limits),
        "standing": _why_standing(crawl, scheduler, state, now),
    }


def _why_standing(crawl: Crawl, scheduler: FocusedScheduler | None, state: str, now: float) -> str:
    """Why no further request goes out now; empty when one may."""
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
    if not crawl.frontier.look().waiting():
        return "the queue is empty"
    due = crawl.hosts.next_ready(now)
    if due is None:
        waits = [until for _, _, until in crawl.hosts.waiting(now)]
        over = waits and all(until == inf for until in waits)
        return "budgets hold back all that waits" if over else "all hosts that have URLs are busy"
    return f"all hosts that have URLs wait, the first for {due - now:.1f} s more" if due > now else ""


_FAMILIES = tuple(key[:-1] for key in STATS_KEYS if key.endswith("…"))
# a key whose name another one's `…` stands for is in that metric
METRICS = {
    key: entry
    for key, entry in STATS_KEYS.items()
    if entry.kind != AT_END and (key.endswith("…") or not key.startswith(_FAMILIES))
}
_NOW = package_table("engine/status_metrics.toml")


def metrics_text(stats: Mapping[str, Any], status: Mapping[str, Any], families: Sequence[str] = ()) -> str:
    """Lines of text; `status`: the result of status_of. `families`: keys of gauges of another package's queue."""
    keys = dict.fromkeys(families, StatsKey(GAUGE, "figures of the shared queue")) | METRICS
    return "\n".join([*_of_status(status), *_of_stats(stats, keys), ""])


def _of_status(status: Mapping[str, Any]) -> Iterator[str]:
    for name, text in _NOW.items():
        yield from _head(f"topiccrawler_{name}", text, "gauge")
        yield f"topiccrawler_{name} {status[name]}"
    yield from _head("topiccrawler_paused", "1 while the crawl is paused", "gauge")
    yield f"topiccrawler_paused {int(status['state'] == PAUSED)}"


def _of_stats(stats: Mapping[str, Any], keys: Mapping[str, StatsKey]) -> Iterator[str]:
    for key, (kind, meaning) in keys.items():
        prefix, family, _ = key.partition("…")
        found = {
            name: value
            for name, value in stats.items()
            if name.startswith(prefix) and (family or name == key)
        }
        numbers = {name: value for name, value in found.items() if isinstance(value, int | float)}
        if not numbers:
            continue
        total = "_total" if kind == COUNT else ""
        metric = "topiccrawler_" + prefix.rstrip("/").replace("/", "_") + total
        yield from _head(metric, f"{key}: {meaning}", "counter" if total else "gauge")
        for name, value in sorted(numbers.items()):
            label = f'{{of="{_escaped(name.removeprefix(prefix))}"}}' if family else ""
            yield f"{metric}{label} {value}"


def _head(metric: str, text: str, kind: str) -> Iterator[str]:
    yield f"# HELP {metric} {text}"
    yield f"# TYPE {metric} {kind}"


def _escaped(label: str) -> str:
    return label.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
