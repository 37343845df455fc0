"""Reads how the latest run of a job has ended from its stats.json, without the crawl log, which takes long to read."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from topiccrawler.crawling.job_files import JOB, STATS

FAULT = "topic/fault"  # stats key


@dataclass(frozen=True, slots=True)
class LastRun:
    """A run that has ended. `pages` fetched and `kept`: of the whole job. `began`: seconds since the epoch. `fault`: the error that ended
    the run; empty = none."""

    pages: int
    kept: int
    began: float
    fault: str = ""


def last_run(folder: Path) -> LastRun | None:
    """The latest run of a job; None if it has not ended, was killed, or left no stats that can be read. A run writes the recipe of the job
    when it begins, and its stats when it ends."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        stats_file, recipe = folder / STATS, folder / JOB
        if stats_file.stat().st_mtime_ns < recipe.stat().st_mtime_ns:
            return None
        found = json.loads(stats_file.read_text(encoding="utf-8"))
        began = datetime.fromisoformat(found["start_time"]).timestamp()
        return LastRun(int(found["topic/pages"]), int(found["topic/kept"]), began, str(found.get(FAULT, "")))
    return None
