"""Measures the cost of a run: processor time, memory, and the time spent on refreshing the queue. These figures are not reproducible.

Peak memory is that of the process. On Linux it is reset before a run; elsewhere it includes all earlier runs.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from topiccrawler.model import Link, Score
from topiccrawler.strategies.base import Strategy

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_PEAK_MARK = "5"  # see proc(5): resets the peak to the present usage


@dataclass(slots=True)
class Cost:
    """The costs of one run, filled in while it is running."""

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory_mb: float = 0.0
    refreshes: int = 0
    refresh_seconds: float = 0.0
    longest_refresh_seconds: float = 0.0
    most_queued: int = 0


class Meter:
    """Measures a block of code: `with Meter() as meter: …` fills in `meter.cost`."""

    def __init__(self) -> None:
        self.cost = Cost()

    def __enter__(self) -> Self:
        with contextlib.suppress(OSError):
            _CLEAR.write_text(_PEAK_MARK)
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *failure: object) -> None:
        self.cost.cpu_seconds = time.process_time() - self._cpu
        self.cost.wall_seconds = time.perf_counter() - self._wall
        self.cost.peak_memory_mb = _peak_mb()

    def watch(self, strategy: Strategy) -> None:
        """Measure the time of the strategy's refreshes from now on, including refreshes that run in slices."""
        refresh = strategy.refresh

        def watched(queued: Iterable[Link]) -> Iterator[Score]:
            began = time.perf_counter()
            scores = iter(refresh(queued))
            spent = time.perf_counter() - began
            self.cost.refreshes += 1
            try:
                while True:
                    began = time.perf_counter()
                    score = next(scores, None)
                    spent += time.perf_counter() - began
                    if score is None:
                        return
                    yield score
            finally:
                self.cost.refresh_seconds += spent
                self.cost.longest_refresh_seconds = max(self.cost.longest_refresh_seconds, spent)

        strategy.__dict__["refresh"] = watched  # on this object only


def memory_mb(process: int | str) -> float:
    """The resident memory of a process in MB; 0 when it cannot be read."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
    return 0.0


def _peak_mb() -> float:
    with contextlib.suppress(OSError, ValueError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 / (1024 if sys.platform == "darwin" else 1)
