"""What breadth-first gave on the same topic, when a `scrapy compare` has left its result.json in the data folder."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

STRATEGY = "breadth_first"
_PLACES = ("*/result.json", "*/*/result.json")
_MOST_BYTES = 5_000_000


def breadth_first(data: Path, topic: str) -> list[tuple[int, float]]:
    """Pages fetched and harvest rate, 0..1, of the newest comparison; empty where there is none."""
    found: list[tuple[float, list[tuple[int, float]]]] = []
    for path in chain.from_iterable(data.glob(place) for place in _PLACES):
        try:
            about = path.stat()
            if about.st_size > _MOST_BYTES:
                continue
            result = json.loads(path.read_text(encoding="utf-8"))
            if result["topic"] != topic:
                continue
            rates = result["strategies"][STRATEGY]["harvest_rate"]
            found.append((about.st_mtime, sorted((int(pages), float(rate)) for pages, rate in rates.items())))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue  # of another program
    return max(found, default=(0.0, []))[1]


def rate_at(curve: list[tuple[int, float]], pages: int) -> tuple[int, float] | None:
    """The count nearest to `pages` and its harvest rate; None for no curve."""
    return min(curve, key=lambda one: abs(one[0] - pages), default=None)
