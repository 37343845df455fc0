"""Wakes the engine when the next host may be asked.

An engine that got no request from the scheduler polls it again after a response, or every 5 s; a crawl of cooling hosts would be idle
most of the time (20 s where 1.2 s is possible). One timer for the earliest host is enough; it goes through `engine.crawl`, the only public
way to make the engine poll.
"""

from __future__ import annotations

from collections.abc import Iterable

from scrapy import Request
from scrapy.core.engine import ExecutionEngine
from scrapy.utils.asyncio import CallLaterResult, call_later

WAKE = Request("data:,wake", dont_filter=True)  # enqueueing it does nothing but wake the engine


class WakeTimer:
    """At most one timer, set to the earliest time asked for."""

    def __init__(self, engine: ExecutionEngine) -> None:
        self._engine = engine
        self._timer: CallLaterResult | None = None
        self._due = float("inf")

    def at(self, times: Iterable[float | None], now: float) -> None:
        """Wake at the earliest of the times (None = never), if that is earlier than what is set."""
        due = min((time for time in times if time is not None), default=float("inf"))
        if due >= self._due:
            return
        self.cancel()
        self._due = due
        self._timer = call_later(max(0.0, due - now), self._wake)

    def cancel(self) -> None:
        """Forget the timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due = None, float("inf")

    def _wake(self) -> None:
        self._timer, self._due = None, float("inf")
        if self._engine.spider is not None:
            self._engine.crawl(WAKE)
