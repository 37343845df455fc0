"""The time of day, by a clock that never goes back.

The conflict: rows on disk want the time of day, host clocks must not stand still when the machine's clock is set
back. So the time of day is read once, and a monotonic clock counts on from there.
"""

from __future__ import annotations

import time


class Clock:
    """Seconds since the epoch; calling it twice never gives a smaller number."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def __call__(self) -> float:
        return self._offset + time.monotonic()
