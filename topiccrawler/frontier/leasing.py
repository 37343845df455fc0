"""The part common to all frontiers: leases and their ends, slots, new scores, and each host's waiting URLs, best first.

Each frontier stores the records of URLs in its own way. Here a URL is its number in order of arrival; equal scores are leased in that
order.

A heap's entry is one integer, score and number packed (`packed`): 56 bytes a URL, where a tuple of both takes 120.
A heap cannot move an entry, so a changed score is a further entry, and an entry counts only while its URL waits with that
score (lazy deletion). A heap that has doubled since the last cleaning is cleaned: O(1) a change.

Bounded memory: with `memory_urls`, the heaps share that many entries, and lower-ranked URLs
are stored as bare numbers (4 bytes), unsorted, with a bound on their ranks. When a heap's best entry ranks below that bound,
the best of them return, found in one pass over arrays (25 ms for a host with a million waiting URLs, once in 2 000 leases
of it). So the order is exact. A number may return while it is in the heap already: a second, harmless entry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import isfinite
from struct import Struct
from typing import Self

import numpy as np
from numpy.typing import NDArray

from topiccrawler.frontier.base import Accept, FrontierView, Leased, Notes, Postpone, Pushed, State
from topiccrawler.frontier.host_ranking import Key
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link, Score

ScoreOf = Callable[[int], float | None]
"""The score of the URL of that number while it waits; None when it does not wait."""
ScoresOf = Callable[[NDArray[np.uint32]], NDArray[np.float64]]
"""The same of many; -inf for those that do not wait."""

LEAST, MOST = 4, 2048  # entries of a host's heap when memory is bounded; more
REST_PER_ENTRY = 256  # for one of so many behind it
_SWEEP_AT = 64  # entries; smaller heaps are never swept
_MAGNITUDE = (1 << 63) - 1
_NUMBER_BITS = 32
_NUMBER = (1 << _NUMBER_BITS) - 1
_NOTHING = 1 << 96  # behind all others
_bytes, _integer = Struct("<d").pack, Struct("<q").unpack


def packed(score: float, number: int) -> int:
    """The pair (-score, number) as one integer of the same order. The bits of doubles (IEEE 754) are ordered by their
    magnitudes as integers are; score is finite, number has 32 bits."""
    bits: int = _integer(_bytes(-score))[0]
    return (bits if bits >= 0 else -(bits & _MAGNITUDE)) << _NUMBER_BITS | number


def packed_all(scores: NDArray[np.float64], numbers: NDArray[np.uint32]) -> list[int]:
    """The same of many."""
    bits = (-scores).view(np.int64)
    ranks = np.where(bits >= 0, bits, -(bits & _MAGNITUDE)).tolist()
    return [rank << _NUMBER_BITS | number for rank, number in zip(ranks, numbers.tolist(), strict=True)]


@dataclass(slots=True)
class _Queue:
    heap: list[int] = field(default_factory=list)  # packed
    rest: array[int] = field(default_factory=lambda: array("I"))  # numbers, some of them twice
    bound: int = _NOTHING  # packed; none of the rest ranks before it
    sweep_at: int = _SWEEP_AT
    sweep_rest_at: int = 2 * MOST


class Queues:
    """One queue of ranks a host; passes the best rank of each to `hosts`."""

    def __init__(self, hosts: Hosts, score_of: ScoreOf, scores_of: ScoresOf, memory_urls: int = 0) -> None:
        self._hosts = hosts
        self._score_of = score_of
        self._scores_of = scores_of
        self._memory_urls = memory_urls  # 0 = no bound
        self._queues: dict[str, _Queue] = {}
        self._share = 0  # entries that any heap may have
        self._in_turn: list[_Queue] = []  # all of them, if bounded
        self._turn = 0

    def put(self, host: str, score: float, number: int) -> None:
        """Queue a URL that waits with this score."""
        queue = self._queues.get(host)
        if queue is None:
            queue = self._new(host)
        key = packed(score, number)
        heap = queue.heap
        heappush(heap, key)
        if self._memory_urls and len(heap) > self._share:
            self._bound(queue)
        elif len(heap) > queue.sweep_at:
            self._sweep(queue)
        if heap[0] == key:
            if queue.rest:
                self.settle(host)
            else:
                self._hosts.want(host, (-score, number))

    def load(self, host: str, numbers: array[int], hosts: int) -> None:
        """Queue many waiting URLs of a host that has none yet; `hosts` share the memory."""
        if not numbers:
            return
        queue = self._new(host, hosts)
        queue.rest = numbers
        self._bring_back(queue, self._room(queue) if self._memory_urls else len(numbers))
        queue.sweep_at = max(_SWEEP_AT, 2 * len(queue.heap))
        self.settle(host)

    def best(self, now: float) -> tuple[str, int] | None:
        """Host and number of the best URL that may be fetched now. It stays queued until it no longer waits."""
        while (host := self._hosts.best(now)) is not None:
            if (best := self._first(self._queues[host].heap)) is not None:
                return host, best[1]
            self.settle(host)
        return None

    def settle(self, host: str) -> None:
        """Correct the host's best rank after a URL left or sank, and pass it on."""
        queue = self._queues.get(host)
        if queue is None:
            return
        heap = queue.heap
        while True:
            while (best := self._first(heap)) is None and heap:
                heappop(heap)
            if not queue.rest or (heap and heap[0] <= queue.bound):
                break
            self._bring_back(queue, self._room(queue) // 2)
        self._hosts.want(host, best)

    def _first(self, heap: list[int]) -> Key | None:
        """The rank of the heap's first entry; None when it no longer counts, or there is none."""
        if not heap:
            return None
        number = heap[0] & _NUMBER
        score = self._score_of(number)
        return (-score, number) if score is not None and packed(score, number) == heap[0] else None

    def _counts(self, entry: int) -> bool:
        score = self._score_of(number := entry & _NUMBER)
        return score is not None and packed(score, number) == entry

    def _new(self, host: str, hosts: int = 0) -> _Queue:
        queue = self._queues[host] = _Queue()
        if self._memory_urls:
            self._in_turn.append(queue)
            self._share = max(LEAST, min(MOST, self._memory_urls // (hosts or len(self._in_turn))))
            for _ in range(4):  # the others have less room now
                self._turn = (self._turn + 1) % len(self._in_turn)
                self._bound(self._in_turn[self._turn])
        return queue

    def _room(self, queue: _Queue) -> int:
        """Entries that a heap may have. A long rest is not looked through for a few."""
        return max(self._share, len(queue.rest) // REST_PER_ENTRY)

    def _sweep(self, queue: _Queue) -> None:
        """Drop the entries that no longer count."""
        heap = queue.heap
        heap[:] = sorted({entry for entry in heap if self._counts(entry)})  # a sorted list is a heap
        queue.sweep_at = max(_SWEEP_AT, 2 * len(heap))

    def _bound(self, queue: _Queue) -> None:
        """Keep the better half of the room when it is full."""
        if len(queue.heap) <= (room := self._room(queue)):
            return
        self._sweep(queue)
        behind = queue.heap[room // 2 :]
        if not behind:
            return
        del queue.heap[room // 2 :]
        queue.bound = min(queue.bound, behind[0])
        queue.rest.extend([entry & _NUMBER for entry in behind])
        if len(queue.rest) > queue.sweep_rest_at:
            self._bring_back(queue, 0)

    def _bring_back(self, queue: _Queue, most: int) -> None:
        """Move the best of the rest into the heap, and drop those that do not wait."""
        numbers = np.sort(np.frombuffer(queue.rest, dtype=np.uint32))  # sorted, their scores are found faster
        numbers = numbers[np.diff(numbers, prepend=numbers[:1] + 1) != 0]
        scores = self._scores_of(numbers)
        waits = scores > -np.inf
        numbers, scores = numbers[waits], scores[waits]
        comes = _best(scores, most)
        queue.heap.extend(packed_all(scores[comes], numbers[comes]))
        heapify(queue.heap)
        numbers, scores = numbers[~comes], scores[~comes]
        queue.rest = array("I", numbers.tobytes())
        queue.sweep_rest_at = max(2 * MOST, 2 * len(queue.rest))
        queue.bound = _NOTHING
        if numbers.size:
            first = int(scores.argmax())
            queue.bound = packed(float(scores[first]), int(numbers[first]))


def _best(scores: NDArray[np.float64], most: int) -> NDArray[np.bool_]:
    """Which are the `most` largest; of equal ones the first."""
    if not 0 < most < scores.size:
        return np.full(scores.size, most > 0)
    last = np.partition(scores, -most)[-most]
    comes: NDArray[np.bool_] = scores > last
    comes[np.flatnonzero(scores == last)[: most - np.count_nonzero(comes)]] = True
    return comes


def drawn(urls: int, waiting: int, count: int) -> NDArray[np.int64]:
    """Numbers of URLs, of which about `count` of the `waiting` ones are waiting; at most 16 times as many numbers."""
    if urls <= 4 * count:
        return np.arange(urls)
    size = min(16 * count, count * urls // max(1, waiting))
    return np.random.default_rng(urls).integers(urls, size=size)


class LeasingFrontier(ABC):
    """See frontier.base.Frontier for the contract."""

    notes: Notes
    _view: FrontierView

    def __init__(
        self,
        hosts: Hosts | None,
        lease_seconds: float,
        memory_urls: int = 0,
        acknowledgements_per_commit: int = 1,
    ) -> None:
        self.hosts = Hosts() if hosts is None else hosts
        self.lease_seconds = lease_seconds
        self.acknowledgements_per_commit = acknowledgements_per_commit
        self._acknowledged = 0  # since the last commit
        self._leases: dict[str, tuple[float, int]] = {}  # url -> deadline, number
        self._without_slot: set[str] = set()  # leases that hold no slot of their host
        self._queues = Queues(self.hosts, self._waiting_score, self._waiting_scores, memory_urls)

    @abstractmethod
    def _push(self, link: Link, score: Score, now: float, tunnel: int, again: bool) -> Pushed: ...

    @abstractmethod
    def _number(self, url: str) -> int | None: ...

    @abstractmethod
    def _host(self, number: int) -> str: ...

    @abstractmethod
    def _to_lease(self, number: int, deadline: float) -> Leased: ...

    @abstractmethod
    def _waiting_score(self, number: int) -> float | None:
        """None when it does not wait."""

    def _waiting_scores(self, numbers: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The same of many; -inf for those that do not wait."""
        scores = map(self._waiting_score, numbers.tolist())
        return np.array([-np.inf if score is None else score for score in scores], dtype=np.float64)

    @abstractmethod
    def _set_score(self, number: int, score: Score) -> None: ...

    @abstractmethod
    def _move(self, number: int, state: State, reason: str, now: float) -> None: ...

    @abstractmethod
    def commit(self) -> None: ...

    @abstractmethod
    def close(self, *, commit: bool = True) -> None: ...

    def push(
        self, rows: Iterable[tuple[Link, Score]], *, now: float, tunnel: int = 0, again: bool = False
    ) -> Mapping[Pushed, int]:
        did = dict.fromkeys(Pushed, 0)
        for link, score in rows:
            did[self._push(link, score, now, tunnel, again)] += 1
        return did

    def lease(
        self, now: float, accept: Accept | None = None, *, target: tuple[Link, Score] | None = None
    ) -> Leased | None:
        if target is not None:
            return self._lease_target(*target, now)
        while (found := self._queues.best(now)) is not None:
            host, number = found
            leased = self._to_lease(number, now + self.lease_seconds)
            refusal = None if accept is None else accept(leased)
            if refusal is Postpone.STOP:
                return None
            if refusal is Postpone.SKIP_HOST:
                continue
            if refusal is not None:
                self._move(number, State.DISCARDED, refusal, now)
            else:
                self._move(number, State.PROCESSING, "", now)
                self._leases[leased.link.url] = (leased.deadline, number)
                self.hosts.occupy(host, now)
            self._queues.settle(host)
            if refusal is None:
                return leased
        return None

    def _lease_target(self, link: Link, score: Score, now: float) -> Leased | None:
        if self._number(link.url) is None:
            self.push([(link, score)], now=now)
        number = self._number(link.url)
        if number is None or self._waiting_score(number) is None:
            return None
        self._move(number, State.PROCESSING, "", now)
        self._queues.settle(self._host(number))
        deadline = now + self.lease_seconds
        self._leases[link.url] = (deadline, number)
        self._without_slot.add(link.url)
        return Leased(link, score.value, score.carry, 0, score.shares, deadline)

    def end(self, url: str, state: State, reason: str, now: float) -> None:
        if state in {State.WAITING, State.PROCESSING}:
            raise ValueError(f"a lease cannot end as {state}")
        number = self._end_lease(url, now)
        if number is None:
            return
        self._move(number, state, reason, now)
        self._acknowledged += 1
        if self._acknowledged >= self.acknowledgements_per_commit:
            self.commit()

    def release(self, now: float, urls: Iterable[str] | None = None, *, slots_only: bool = False) -> int:
        named = urls if urls is not None else [url for url, (due, _) in self._leases.items() if due <= now]
        if slots_only:
            return sum([self._release_slot(url, now) for url in named])
        released = 0
        for url in named:
            number = self._end_lease(url, now)
            if number is None:
                continue
            self._move(number, State.WAITING, "", now)
            if (score := self._waiting_score(number)) is not None:
                self._queues.put(self._host(number), score, number)
                released += 1
        return released

    def rescore(self, scores: Iterable[Score]) -> int:
        changed = 0
        touched: dict[str, None] = {}
        for score in scores:
            check_score(score)
            number = self._number(score.url)
            before = None if number is None else self._waiting_score(number)
            if number is None or before is None:
                continue
            self._set_score(number, score)
            if before != score.value:
                changed += 1
                host = self._host(number)
                self._queues.put(host, float(score.value), number)
                touched[host] = None
        for host in touched:
            self._queues.settle(host)
        return changed

    def look(self) -> FrontierView:
        return self._view

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _release_slot(self, url: str, now: float) -> bool:
        if url not in self._leases or url in self._without_slot:
            return False
        self._without_slot.add(url)
        self.hosts.done(self._host(self._leases[url][1]), now)
        return True

    def _end_lease(self, url: str, now: float) -> int | None:
        _, number = self._leases.pop(url, (0.0, None))
        if url in self._without_slot:
            self._without_slot.remove(url)
        elif number is not None:
            self.hosts.done(self._host(number), now)
        return number


def check_score(score: Score) -> None:
    """A NaN would silently break the order of a heap."""
    if not isfinite(score.value) or not isfinite(score.carry):
        raise ValueError(f"the score of {score.url} is not finite: {score.value}, carry {score.carry}")
