"""Why hosts waited when the crawl last wrote it down: a note of the queue."""

from __future__ import annotations

import json
from math import inf

NOTE = "waits"


def noted_waits(text: str | None) -> list[tuple[str, str, float]]:
    """Host, reason, until when (inf = for good) of a note; nothing when it is damaged."""
    try:
        rows = json.loads(text or "[]")
        return [(str(host), str(why), inf if until is None else float(until)) for host, why, until in rows]
    except (ValueError, TypeError):
        return []
