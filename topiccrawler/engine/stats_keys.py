"""The stats keys of stats_keys.toml: what a crawl writes besides Scrapy's own stats."""

from __future__ import annotations

from typing import NamedTuple

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
