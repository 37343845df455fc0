"""The stats keys of stats_keys.toml: what a crawl writes besides Scrapy's own stats."""

from __future__ import annotations

import tomllib
from typing import NamedTuple

from topiccrawler.files import folder

COUNT, GAUGE, AT_END = "count", "gauge", "at the end"


class StatsKey(NamedTuple):
    """`count`: only grows. `gauge`: set every ten seconds and at the end. `at the end`: set once, when the crawl closes."""

    kind: str
    meaning: str


_TEXT = folder("engine").joinpath("stats_keys.toml").read_text(encoding="utf-8")
SECTIONS: dict[str, dict[str, StatsKey]] = {
    title: {key: StatsKey(*entry) for key, entry in keys.items()}
    for title, keys in tomllib.loads(_TEXT).items()
}

STATS_KEYS: dict[str, StatsKey] = {key: entry for keys in SECTIONS.values() for key, entry in keys.items()}
