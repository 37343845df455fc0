"""Hosts by when they are due. An entry that no longer counts is dropped when it comes up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from math import inf

Counts = Callable[[float, int], bool]
"""Whether the host of that number is still in the set, due at that time."""

_CLEAN_AT = 64  # entries; a smaller heap is never cleaned


class HostTimetable:
    """One set of hosts. Each change costs O(log hosts) amortised."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._heap: list[tuple[float, int]] = []
        self._clean_at = _CLEAN_AT

    def __len__(self) -> int:
        """Entries, those that no longer count included."""
        return len(self._heap)

    def add(self, due: float, number: int) -> None:
        """Host `number` is in the set, due then (seconds)."""
        heappush(self._heap, (due, number))
        if len(self._heap) > self._clean_at:
            self._heap = [entry for entry in set(self._heap) if self._counts(*entry)]
            heapify(self._heap)
            self._clean_at = max(_CLEAN_AT, 2 * len(self._heap))

    def take_due(self, until: float) -> Iterator[int]:
        """Take out the hosts that are due by then, soonest first."""
        while self._heap and self._heap[0][0] <= until:
            due, number = heappop(self._heap)
            if self._counts(due, number):
                yield number

    def next_due(self) -> float:
        """When the next is due; inf = the set is empty."""
        while self._heap:
            if self._counts(*self._heap[0]):
                return self._heap[0][0]
            heappop(self._heap)
        return inf
