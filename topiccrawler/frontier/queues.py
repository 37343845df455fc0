"""The waiting URLs of every host, best first, each known by its number in order of arrival.

A heap cannot move an entry, so a changed score is a further entry, and an entry counts only while its URL waits with that
score (lazy deletion). A host's heap that has doubled since it was last cleaned is cleaned: O(1) a change.

Equal scores leave in order of arrival: a URL keeps the number of its first arrival.

Bounded memory: an entry takes about 140 bytes. With `memory_urls`, a host that grows while that many entries are in
memory keeps the better half of its heap. The other half is spilled as bare numbers (4 bytes), sorted and cut into
pieces of at most 256 (small ones are merged now and then), of which only the best rank is remembered. A piece comes
back when that rank beats the host's heap, so the order is exact, and one piece at a time is read again. A piece may
bring back numbers that were queued again since: they return with their present score, as a second, harmless entry.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from topiccrawler.frontier.host_ranking import Key
from topiccrawler.frontier.hosts import Hosts

ScoreOf = Callable[[int], float | None]
"""The score of the URL of that number while it waits; None when it does not wait."""

_SWEEP_AT = 64  # entries; smaller heaps are never swept
_SPILL_AT = 32  # entries; smaller heaps are never spilled: a piece must be worth its own 200 bytes
_PIECE = 256  # numbers
_MERGE_AT = 16  # pieces


@dataclass(slots=True)
class _Queue:
    heap: list[Key] = field(default_factory=list)
    spilled: list[tuple[Key, array[int]]] = field(default_factory=list)  # heap of pieces by their best rank
    sweep_at: int = _SWEEP_AT
    merge_at: int = _MERGE_AT


class Queues:
    """One queue of ranks a host; passes the best rank of each to `hosts`."""

    def __init__(self, hosts: Hosts, score_of: ScoreOf, memory_urls: int = 0) -> None:
        self._hosts = hosts
        self._score_of = score_of
        self._memory_urls = memory_urls  # 0 = no bound
        self._entries = 0  # entries in all heaps
        self._queues: dict[str, _Queue] = {}

    def put(self, host: str, score: float, number: int) -> None:
        """Queue a URL that waits with this score."""
        queue = self._queues.get(host)
        if queue is None:
            queue = self._queues[host] = _Queue()
        key = (-score, number)
        heap = queue.heap
        heappush(heap, key)
        self._entries += 1
        if len(heap) > queue.sweep_at:
            self._sweep(queue)
        if self._memory_urls and self._entries > self._memory_urls:
            self._spill(queue)
        if heap[0] == key:
            if queue.spilled:
                self.settle(host)
            else:
                self._hosts.want(host, key)

    def load(self, host: str, keys: list[Key], hosts: int) -> None:
        """Queue many URLs of a host that has none yet; `hosts` share the memory."""
        if not keys:
            return
        queue = self._queues[host] = _Queue()
        queue.heap = keys
        heapify(keys)
        self._entries += len(keys)
        queue.sweep_at = max(_SWEEP_AT, 2 * len(keys))
        if self._memory_urls:
            self._spill(queue, self._memory_urls // hosts)
        self._hosts.want(host, keys[0])

    def best(self, now: float) -> tuple[str, int] | None:
        """Host and number of the best URL that may be fetched now. It stays queued until it no longer waits."""
        while (host := self._hosts.best(now)) is not None:
            top = self._queues[host].heap[0]
            if self._score_of(top[1]) == -top[0]:
                return host, top[1]
            self.settle(host)
        return None

    def settle(self, host: str) -> None:
        """Correct the host's best rank after a URL left or sank, and pass it on."""
        queue = self._queues.get(host)
        if queue is None:
            return
        heap, spilled = queue.heap, queue.spilled
        while True:
            while heap and self._score_of(heap[0][1]) != -heap[0][0]:
                heappop(heap)
                self._entries -= 1
            if not spilled or (heap and heap[0] <= spilled[0][0]):
                break
            self._bring_back(queue)
        if self._memory_urls and self._entries > self._memory_urls:
            self._spill(queue)
        self._hosts.want(host, heap[0] if heap else None)

    def _sweep(self, queue: _Queue) -> None:
        heap = queue.heap
        before = len(heap)
        heap[:] = {key: None for key in heap if self._score_of(key[1]) == -key[0]}
        heapify(heap)
        self._entries -= before - len(heap)
        queue.sweep_at = max(_SWEEP_AT, 2 * len(heap))

    def _spill(self, queue: _Queue, keep: int | None = None) -> None:
        """Keep `keep` entries in memory, or the better half; spill the others."""
        heap = queue.heap
        if len(heap) <= _SPILL_AT:
            return
        self._sweep(queue)
        heap.sort()  # a sorted list is a heap
        kept = max(_SPILL_AT // 2, len(heap) // 2 if keep is None else keep)
        for piece in _pieces(heap[kept:]):
            heappush(queue.spilled, piece)
        self._entries -= max(0, len(heap) - kept)
        del heap[kept:]
        queue.sweep_at = max(_SWEEP_AT, 2 * len(heap))
        if len(queue.spilled) > queue.merge_at:
            self._merge(queue)

    def _merge(self, queue: _Queue) -> None:
        """Sort spilled numbers into whole pieces; each time twice as much, so O(log) times in all."""
        numbers = sorted({number for _, piece in queue.spilled for number in piece})
        scored = ((self._score_of(number), number) for number in numbers)
        queue.spilled = _pieces(sorted((-score, number) for score, number in scored if score is not None))
        queue.merge_at = _MERGE_AT + 2 * len(queue.spilled)

    def _bring_back(self, queue: _Queue) -> None:
        numbers = heappop(queue.spilled)[1]
        scored = [(self._score_of(number), number) for number in numbers]
        back = [(-score, number) for score, number in scored if score is not None]
        queue.heap.extend(back)
        heapify(queue.heap)
        self._entries += len(back)


def _pieces(keys: list[Key]) -> list[tuple[Key, array[int]]]:
    """Sorted keys as pieces; the list is a heap."""
    starts = range(0, len(keys), _PIECE)
    return [(keys[at], array("I", [number for _, number in keys[at : at + _PIECE]])) for at in starts]
