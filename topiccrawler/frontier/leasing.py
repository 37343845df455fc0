"""Implements what all frontiers have in common: leases, slots, changes of scores, and a priority queue of waiting URLs for each host.

`LeasingFrontier` is the base class. Each frontier stores the records of URLs in its own way; here a URL is known by its number in order
of arrival. Equal scores are leased in that order.

`Queues` has a heap for each host. An entry is one integer that packs score and number (`packed`): 56 bytes a URL, where a tuple of both
needs 120. A heap cannot move an entry, so a changed score adds an entry, and an entry counts only while its URL waits with that score
(lazy deletion). A heap that has doubled since the last cleaning is cleaned: O(1) a change.

Bounded memory: with `memory_urls`, the heaps share that many entries, and lower-ranked URLs are stored as bare numbers (4 bytes),
unsorted, with a bound on their ranks. When the best entry of a heap ranks below that bound, the best of these URLs return to the heap.
One pass over arrays finds them (25 ms for a host with a million waiting URLs, once in 2 000 leases from it). So the order is exact.
A number may return while it is in the heap already: a second, harmless entry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Container, Iterable, Mapping
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
"""The score of the URL with this number while it waits; None when it does not wait."""
ScoresOf = Callable[[NDArray[np.uint32]], NDArray[np.float64]]
"""The scores of many URLs by number; -inf for those that do not wait."""

LEAST, MOST = 4, 2048  # entries of a host's heap when memory is bounded; a long rest allows more:
REST_PER_ENTRY = 256  # one entry for this many URLs in the rest
_SWEEP_AT = 64  # entries; smaller heaps are never swept
_MAGNITUDE = (1 << 63) - 1
_NUMBER_BITS = 32
_NUMBER = (1 << _NUMBER_BITS) - 1
_NOTHING = 1 << 96  # ranks behind all entries
_bytes, _integer = Struct("<d").pack, Struct("<q").unpack


def packed(score: float, number: int) -> int:
    """Pack the pair (-score, number) into one integer of the same order. Doubles (IEEE 754) of one sign are ordered as the integers
    that have their bits. The score must be finite; the number has 32 bits."""
    bits: int = _integer(_bytes(-score))[0]
    return (bits if bits >= 0 else -(bits & _MAGNITUDE)) << _NUMBER_BITS | number


def packed_all(scores: NDArray[np.float64], numbers: NDArray[np.uint32]) -> list[int]:
    """Pack many pairs at once, as `packed` does."""
    bits = (-scores).view(np.int64)
    ranks = np.where(bits >= 0, bits, -(bits & _MAGNITUDE)).tolist()
    return [rank << _NUMBER_BITS | number for rank, number in zip(ranks, numbers.tolist(), strict=True)]


@dataclass(slots=True)
class _Queue:
    heap: list[int] = field(default_factory=list)  # packed entries
    rest: array[int] = field(default_factory=lambda: array("I"))  # lower-ranked numbers, some of them twice
    bound: int = _NOTHING  # packed; no URL of the rest ranks before it
    sweep_at: int = _SWEEP_AT
    sweep_rest_at: int = 2 * MOST


class Queues:
    """A priority queue of waiting URLs for each host; passes the best rank of each host to `hosts`."""

    def __init__(
        self,
        hosts: Hosts,
        score_of: ScoreOf,
        scores_of: ScoresOf,
        memory_urls: int = 0,
        aside: Container[int] = frozenset(),
    ) -> None:
        self._hosts = hosts
        self._aside = aside  # numbers of waiting URLs that do not count
        self._score_of = score_of
        self._scores_of = scores_of
        self._memory_urls = memory_urls  # 0 = no bound
        self._queues: dict[str, _Queue] = {}
        self._share = 0  # entries that each heap may have
        self._bounded: list[_Queue] = []  # all queues, if memory is bounded
        self._cut_last = 0  # position in _bounded of the queue cut last

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
        """Queue the waiting URLs of a host that has no queue yet. `hosts`: how many hosts will share the memory."""
        if not numbers:
            return
        queue = self._new(host, hosts)
        queue.rest = numbers
        self._bring_back(queue, self._room(queue) if self._memory_urls else len(numbers))
        queue.sweep_at = max(_SWEEP_AT, 2 * len(queue.heap))
        self.settle(host)

    def best(self, now: float) -> tuple[str, int] | None:
        """Host and number of the best URL that may be fetched now, or None. It stays queued until it no longer waits."""
        while (host := self._hosts.best(now)) is not None:
            if (best := self._first(self._queues[host].heap)) is not None:
                return host, best[1]
            self.settle(host)
        return None

    def settle(self, host: str) -> None:
        """Correct the host's best rank after a URL left the queue or its score sank, and pass the rank to `hosts`."""
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
        """The rank of the heap's first entry; None when the entry no longer counts, or the heap is empty."""
        if not heap:
            return None
        number = heap[0] & _NUMBER
        score = None if number in self._aside else self._score_of(number)
        return (-score, number) if score is not None and packed(score, number) == heap[0] else None

    def _counts(self, entry: int) -> bool:
        score = self._score_of(number := entry & _NUMBER)
        return score is not None and number not in self._aside and packed(score, number) == entry

    def _new(self, host: str, hosts: int = 0) -> _Queue:
        queue = self._queues[host] = _Queue()
        if self._memory_urls:
            self._bounded.append(queue)
            self._share = max(LEAST, min(MOST, self._memory_urls // (hosts or len(self._bounded))))
            for _ in range(4):  # the share of each has shrunk: cut some of the others
                self._cut_last = (self._cut_last + 1) % len(self._bounded)
                self._bound(self._bounded[self._cut_last])
        return queue

    def _room(self, queue: _Queue) -> int:
        """The number of entries that a heap may have; more with a long rest, so that one search of it brings many URLs."""
        return max(self._share, len(queue.rest) // REST_PER_ENTRY)

    def _sweep(self, queue: _Queue) -> None:
        """Drop the entries that no longer count."""
        heap = queue.heap
        heap[:] = sorted({entry for entry in heap if self._counts(entry)})  # a sorted list is a heap
        queue.sweep_at = max(_SWEEP_AT, 2 * len(heap))

    def _bound(self, queue: _Queue) -> None:
        """When the heap is fuller than its room, keep the entries of half the room and move the others to the rest."""
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
        """Move the `most` best URLs of the rest into the heap, and drop those that do not wait."""
        numbers = np.sort(np.frombuffer(queue.rest, dtype=np.uint32))  # the scores are then read faster
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
    """A mask of the `most` largest scores; among equal ones the first."""
    if not 0 < most < scores.size:
        return np.full(scores.size, most > 0)
    last = np.partition(scores, -most)[-most]
    comes: NDArray[np.bool_] = scores > last
    comes[np.flatnonzero(scores == last)[: most - np.count_nonzero(comes)]] = True
    return comes


def drawn(urls: int, waiting: int, count: int) -> NDArray[np.int64]:
    """Numbers of URLs drawn at random, of which about `count` belong to waiting URLs; at most 16 * `count`. All if `urls` is small."""
    if urls <= 4 * count:
        return np.arange(urls)
    size = min(16 * count, count * urls // max(1, waiting))
    return np.random.default_rng(urls).integers(urls, size=size)


class LeasingFrontier(ABC):
    """The base class of the frontiers. See frontier.base.Frontier for the contract."""

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
        self._aside: set[int] = set()  # numbers of waiting URLs that are not leased before `recall`
        self._tries: dict[int, int] = {}  # number -> failed tries; most URLs have none
        self._queues = Queues(self.hosts, self._waiting_score, self._queued_scores, memory_urls, self._aside)

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
        """The score of a URL that waits; None when it does not wait."""

    def _waiting_scores(self, numbers: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The scores of many URLs; -inf for those that do not wait."""
        scores = map(self._waiting_score, numbers.tolist())
        return np.array([-np.inf if score is None else score for score in scores], dtype=np.float64)

    def _queued_scores(self, numbers: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The same, and -inf for those that are set aside."""
        scores = self._waiting_scores(numbers)
        if self._aside:
            scores[np.isin(numbers, np.fromiter(self._aside, dtype=np.uint32))] = -np.inf
        return scores

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
        self._aside.discard(number)
        self._queues.settle(self._host(number))
        deadline = now + self.lease_seconds
        self._leases[link.url] = (deadline, number)
        self._without_slot.add(link.url)
        return Leased(link, score.value, score.carry, 0, score.shares, deadline, self._tries_of(number))

    def end(self, url: str, state: State, reason: str, now: float, *, unused: bool = False) -> None:
        if state in {State.WAITING, State.PROCESSING}:
            raise ValueError(f"a lease cannot end as {state}")
        number = self._end_lease(url, now, unused=unused)
        if number is None:
            return
        self._move(number, state, reason, now)
        self._acknowledged += 1
        if self._acknowledged >= self.acknowledgements_per_commit:
            self.commit()

    def release(
        self, now: float, urls: Iterable[str] | None = None, *, slots_only: bool = False, reason: str = ""
    ) -> int:
        named = urls if urls is not None else [url for url, (due, _) in self._leases.items() if due <= now]
        if slots_only:
            return sum([self._release_slot(url, now) for url in named])
        released = 0
        for url in named:
            number = self._end_lease(url, now)
            if number is None:
                continue
            self._move(number, State.WAITING, reason, now)
            if (score := self._waiting_score(number)) is None:
                continue
            released += 1
            if reason:
                self._aside.add(number)
                self._queues.settle(self._host(number))
            else:
                self._queues.put(self._host(number), score, number)
        return released

    def recall(self, urls: Iterable[str]) -> None:
        if not self._aside:
            return
        for number in map(self._number, urls):
            if number is not None and number in self._aside:
                self._aside.remove(number)
                if (score := self._waiting_score(number)) is not None:
                    self._queues.put(self._host(number), score, number)

    def count_try(self, url: str) -> int:
        number = self._number(url)
        if number is None or (url not in self._leases and self._waiting_score(number) is None):
            return 0
        tries = self._tries[number] = self._tries.get(number, 0) + 1
        self._set_tries(number, tries)
        return tries

    def _begin_tries(self, number: int) -> None:
        """Forget the failed tries of a URL that waits once more."""
        if self._tries.pop(number, 0):
            self._set_tries(number, 0)

    def _tries_of(self, number: int) -> int:
        return self._tries.get(number, 0)

    @abstractmethod
    def _set_tries(self, number: int, tries: int) -> None: ...

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
                if number not in self._aside:
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

    def _end_lease(self, url: str, now: float, *, unused: bool = False) -> int | None:
        _, number = self._leases.pop(url, (0.0, None))
        if url in self._without_slot:
            self._without_slot.remove(url)
        elif number is not None:
            (self.hosts.release if unused else self.hosts.done)(self._host(number), now)
        return number


def check_score(score: Score) -> None:
    """ValueError for a score that is not finite: a NaN would silently break the order of a heap."""
    if not isfinite(score.value) or not isfinite(score.carry):
        raise ValueError(f"the score of {score.url} is not finite: {score.value}, carry {score.carry}")
