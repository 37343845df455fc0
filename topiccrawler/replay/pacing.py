"""Releases recorded answers one at a time, as on a network slower than the reader.

A recording answers at once, so sixteen answers would come in the same instant, be read in a row, and only then would the next
page be asked for; a strategy that learns from each page then crawls otherwise. So an answer waits until as many requests wait
as may be under way: then the page before it has been read and its successor asked for. Where fewer are asked for (seeds, the
last pages), an answer comes once the crawl is idle.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

STILL_SECONDS = 0.05
LOOKS = 2  # at a crawl that stands still: a page may just have been read, and its successor not asked for yet


class Pacer:
    """First in, first out."""

    def __init__(self, under_way: int) -> None:
        """`under_way`: requests at once."""
        self._under_way = under_way
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def wait(self, still: Callable[[], bool]) -> None:
        """Wait until this request may be answered. `still`: whether all that was answered has been read."""
        released = asyncio.get_running_loop().create_future()
        self._waiting.append(released)
        if len(self._waiting) >= self._under_way:
            self._answer()
        self._look_later(still)
        await released

    def _answer(self) -> None:
        released = self._waiting.popleft()
        if not released.done():  # a request that was given up
            released.set_result(None)

    def _look_later(self, still: Callable[[], bool], looks: int = 0) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            self._timer = asyncio.get_running_loop().call_later(STILL_SECONDS, self._look, still, looks)

    def _look(self, still: Callable[[], bool], looks: int) -> None:
        self._timer = None
        looks = looks + 1 if still() else 0
        if looks == LOOKS:
            self._answer()
            looks = 0
        self._look_later(still, looks)
