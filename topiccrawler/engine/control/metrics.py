"""The crawl's figures in Prometheus' text form (version 0.0.4): its stats by their documented keys, and how it stands now.

A key becomes a name: `frontier/ended/completed` is topiccrawler_frontier_ended_total{of="completed"}. Keys of Scrapy's own are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from topiccrawler.engine.control.status import PAUSED

COUNTS = (
    "topic/gate/refused",
    "topic/gate/tunnels",
    "topic/links/not_recorded",
    "topic/private_addresses/refused",
    "topic/revisits/…",
    "topic/skipped/…",  # older and unreadable, too
    "topic/duplicates/…",
    "topic/rendered/pages",
    "topic/rendered/empty",
    "frontier/pushed/…",
    "frontier/leased",
    "frontier/ended/…",
    "frontier/failed/…",
    "frontier/redirects/known",
    "frontier/requests/enqueued",
    "frontier/requests/duplicate",
    "frontier/swept",
    "frontier/crawl_delay_hosts",
    "frontier/back_offs/retry_after",
    "frontier/back_offs/back_off",
)
GAUGES = (
    "topic/listings/sites",
    "topic/listings/read",
    "topic/store/…",  # wait_seconds, too
    "topic/warc/responses",
    "topic/warc/revisits",
    "frontier/waits/…",
    "frontier/traps/…",
    "frontier/redis/…",
    "frontier/learner",
    "strategy/learning_lag_pages",
    "strategy/learning_lag_seconds",
    "frontier/rescore/slices",
    "frontier/rescore/changed",
    "frontier/rescore/slowest_ms",
)
_NOW = {
    "pages": "pages fetched and read, over the whole job",
    "kept": "of these, pages kept",
    "harvest_rate": "kept / pages, 0..1",
    "recent_harvest_rate": "the same of the last 200 pages of this run",
    "pages_per_second": "of this run, without pauses",
    "queued": "URLs that wait",
    "in_flight": "URLs that are fetched, read or stored",
    "held_back": "requests that a pause holds back",
    "hosts": "hosts met",
}


def metrics_text(stats: Mapping[str, Any], status: Mapping[str, Any]) -> str:
    """Lines of text; `status`: as status_of gives it."""
    return "\n".join(
        [*_of_status(status), *_of_stats(stats, COUNTS, "counter"), *_of_stats(stats, GAUGES, "gauge"), ""]
    )


def _of_status(status: Mapping[str, Any]) -> Iterator[str]:
    for name, text in _NOW.items():
        yield from _head(f"topiccrawler_{name}", text, "gauge")
        yield f"topiccrawler_{name} {status[name]}"
    yield from _head("topiccrawler_paused", "1 while the crawl is paused", "gauge")
    yield f"topiccrawler_paused {int(status['state'] == PAUSED)}"


def _of_stats(stats: Mapping[str, Any], keys: tuple[str, ...], kind: str) -> Iterator[str]:
    for key in keys:
        prefix, family, _ = key.partition("…")
        found = {
            name: value
            for name, value in stats.items()
            if name.startswith(prefix) and (family or name == key)
        }
        numbers = {name: value for name, value in found.items() if isinstance(value, int | float)}
        if not numbers:
            continue
        metric = (
            "topiccrawler_" + prefix.rstrip("/").replace("/", "_") + ("_total" if kind == "counter" else "")
        )
        yield from _head(metric, f"stats key {key} (docs/stats.md)", kind)
        for name, value in sorted(numbers.items()):
            label = f'{{of="{_escaped(name.removeprefix(prefix))}"}}' if family else ""
            yield f"{metric}{label} {value}"


def _head(metric: str, text: str, kind: str) -> Iterator[str]:
    yield f"# HELP {metric} {text}"
    yield f"# TYPE {metric} {kind}"


def _escaped(label: str) -> str:
    return label.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
