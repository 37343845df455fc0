"""Exports the stats and the status of a running crawl in Prometheus' text format (version 0.0.4).

The documented stats keys are in stats_keys.toml. Each becomes a metric: `frontier/ended/completed` is
topiccrawler_frontier_ended_total{of="completed"}. Scrapy's own keys are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from topiccrawler.engine.control.status import PAUSED
from topiccrawler.resources import package_table

COUNT, GAUGE, AT_END = "count", "gauge", "at the end"


class StatsKey(NamedTuple):
    """The kind and the meaning of a stats key. Kinds: `count` only grows; `gauge` is set every ten seconds and at the end; `at the end` is
    set once, when the crawl closes."""

    kind: str
    meaning: str


SECTIONS: dict[str, dict[str, StatsKey]] = {
    title: {key: StatsKey(*entry) for key, entry in keys.items()}
    for title, keys in package_table("engine/stats_keys.toml").items()
}
STATS_KEYS: dict[str, StatsKey] = {key: entry for keys in SECTIONS.values() for key, entry in keys.items()}
METRICS = {key: entry for key, entry in STATS_KEYS.items() if entry.kind != AT_END}
_NOW = package_table("engine/status_metrics.toml")


def metrics_text(stats: Mapping[str, Any], status: Mapping[str, Any], families: Sequence[str] = ()) -> str:
    """The metrics as text. `stats`: Scrapy's stats. `status`: the result of status_of. `families`: further gauge keys, of a shared
    queue."""
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
            if name == key or (family and name.startswith(prefix) and name not in keys)
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
