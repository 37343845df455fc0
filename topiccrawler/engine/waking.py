"""Wakes Scrapy's engine by a timer when the next host is ready for a request.

An engine that got no request from the scheduler polls it again after a response, or every 5 s. A crawl of cooling hosts would be idle most
of the time (20 s where 1.2 s is possible). One timer for the earliest host is enough. It calls `engine.crawl`, the only public way to make
the engine poll.
"""

from __future__ import annotations

from collections.abc import Iterable

from scrapy import Request
from scrapy.core.engine import ExecutionEngine
from scrapy.utils.asyncio import CallLaterResult, call_later

WAKE = Request("data:,wake", dont_filter=True)  # the scheduler drops it; to enqueue it only wakes the engine


class WakeTimer:
    """A timer that wakes the engine at the earliest of the requested times."""

    def __init__(self, engine: ExecutionEngine) -> None:
        self._engine = engine
        self._timer: CallLaterResult | None = None
        self._due = float("inf")

    def at(self, times: Iterable[float | None], now: float) -> None:
        """Set the timer to the earliest of the times (None = never), if that is earlier than the time it is set to. `now`: the current time
        on the same clock."""
        due = min((time for time in times if time is not None), default=float("inf"))
        if due >= self._due:
            return
        self.cancel()
        self._due = due
        self._timer = call_later(max(0.0, due - now), self._wake)

    def cancel(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due = None, float("inf")

    def _wake(self) -> None:
        self._timer, self._due = None, float("inf")
        if self._engine.spider is not None:
            self._engine.crawl(WAKE)
