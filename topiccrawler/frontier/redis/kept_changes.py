"""The last changes that a server confirmed: when it was killed before it wrote them down, it gets them again."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence

from topiccrawler.frontier.redis.batch import Argument

KEPT_SECONDS = 10.0  # appendfsync everysec loses two at most


class KeptChanges:
    """In order, by the number of their batch."""

    def __init__(self) -> None:
        self._kept: deque[tuple[float, int, Sequence[Argument]]] = deque()

    def add(self, batch: int, arguments: Sequence[Argument]) -> None:
        """These were confirmed now; older ones are let go."""
        now = time.monotonic()
        self._kept.append((now, batch, arguments))
        while self._kept and self._kept[0][0] < now - KEPT_SECONDS:
            self._kept.popleft()

    def clear(self) -> None:
        """They are another worker's."""
        self._kept.clear()

    def oldest(self, otherwise: int) -> int:
        """The first batch that is kept."""
        return self._kept[0][1] if self._kept else otherwise

    def after(self, batch: int) -> Iterator[Sequence[Argument]]:
        """The changes of all later batches."""
        return (arguments for _, number, arguments in list(self._kept) if number > batch)
