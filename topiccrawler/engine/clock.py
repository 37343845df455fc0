"""The time of day, by a clock that never goes back: it is read once, and a monotonic clock counts on from there."""

from __future__ import annotations

import time


class Clock:
    """Seconds since the epoch; calling it twice never gives a smaller number."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def __call__(self) -> float:
        return self._offset + time.monotonic()
