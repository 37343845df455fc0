"""Releases recorded responses one at a time, as on a network slower than the crawler.

A recording responds at once. Without pacing, sixteen responses would come in the same instant and be read in a row before the next page
is requested; a strategy that learns from each page would then crawl in another order. So a response waits until as many requests wait
as may be under way: then the page before it has been read and its successor requested. When there are fewer requests (seeds, the last
pages), a response is released once the crawl is idle.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

STILL_SECONDS = 0.05
LOOKS = 2  # polls that must find the crawl idle: after the first, the successor of a page may not be requested yet


class Pacer:
    """A queue of requests that wait for their recorded responses, first in first out."""

    def __init__(self, under_way: int) -> None:
        """`under_way`: how many requests the crawl has at once."""
        self._under_way = under_way
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def wait(self, still: Callable[[], bool]) -> None:
        """Wait until the response to this request may be released. `still()`: whether all released responses have been read."""
        released = asyncio.get_running_loop().create_future()
        self._waiting.append(released)
        if len(self._waiting) >= self._under_way:
            self._answer()
        self._look_later(still)
        await released

    def _answer(self) -> None:
        released = self._waiting.popleft()
        if not released.done():  # done: the request was cancelled
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
