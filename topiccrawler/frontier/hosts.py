"""Which host may be asked now: a clock, a count of leases and a heap position for every host.

The best URL goes first among the hosts that politeness allows. A host with waiting URLs is in exactly one of four sets:

    COOLING  its clock lies ahead        heap by the time it is due
    SOON     due within the patience     heap by time, and by best score (only with patience_seconds > 0)
    READY    it may be asked             heap by best score
    BUSY     as many leases as allowed   heap by best score (only with patience_seconds > 0)

A host changes its set O(1) times a slot at O(log hosts) each; when every host cools, a request costs one look at the
top of a heap. Stale heap entries are dropped when they reach the top.

Nothing here reads a clock: `now` is passed in, in seconds, from one clock of the caller's choice.

Patience: with `patience_seconds` > 0 a ready host waits while another has a URL that is *much better* and can
be asked within that time: its clock comes due by then, or its slot under way began less than patience_seconds ago.
Much better means worth(its score) - worth(the ready score) >= `patience_margin`. `worth` is the strategy's: a rising
function to 0..1 (for log-odds the probability, since 20 promises no more than 10).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import dataclass
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from math import inf

from topiccrawler.frontier.host_clock import HostClock

Key = tuple[float, int]
"""Rank of a URL, smaller is sooner: (-score, number in order of arrival)."""

PATIENCE_MARGIN = 0.25  # chosen here: a quarter of a page more per page fetched is worth the wait

_IDLE, _COOLING, _SOON, _READY, _BUSY = range(5)


@dataclass(slots=True)
class _Host(HostClock):
    number: int = 0
    key: Key | None = None  # rank of its best waiting URL
    place: int = _IDLE
    due: float = -inf  # its time in the heap of its set


class Hosts:
    """Clocks, leases and ranks of all hosts. A host that is not known yet is ready."""

    def __init__(
        self,
        delay_seconds: float = 0.0,
        concurrency: int = 1,
        jitter: float = 0.0,
        seed: int = 0,
        patience_seconds: float = 0.0,
        patience_margin: float = PATIENCE_MARGIN,
        worth: Callable[[float], float] = float,
    ) -> None:
        self.delay_seconds = delay_seconds
        self.concurrency = concurrency
        self.jitter = jitter  # a delay is multiplied by a random factor of 1 .. 1 + jitter
        self.seed = seed
        self.patience_seconds = patience_seconds
        self.patience_margin = patience_margin
        self.worth = worth
        self._by_name: dict[str, _Host] = {}
        self._all: list[_Host] = []
        self._ranked: dict[int, list[tuple[Key, int]]] = {_SOON: [], _READY: [], _BUSY: []}  # by best score
        self._timed: dict[int, list[tuple[float, int]]] = {_COOLING: [], _SOON: []}  # by when they are due

    def __len__(self) -> int:
        """Known hosts."""
        return len(self._all)

    # -- slots ---------------------------------------------------------------------------------------------------

    def ready(self, host: str, now: float) -> bool:
        """Its clock has passed and it has a free slot."""
        known = self._by_name.get(host)
        return known is None or (known.leases < self.concurrency and known.time() <= now)

    def ready_at(self, host: str) -> float:
        """When its clock passes (-inf: at once), whether or not it is busy."""
        known = self._by_name.get(host)
        return -inf if known is None else known.time()

    def leases(self, host: str) -> int:
        """Slots taken."""
        known = self._by_name.get(host)
        return 0 if known is None else known.leases

    def take(self, host: str, now: float) -> None:
        """Take a slot: one lease more, and the host cools for its delay."""
        entry = self._host(host)
        entry.begin(now, self._drawn_delay(entry))
        self._settle(entry)

    def give_back(self, host: str, now: float) -> None:
        """The slot was not used: one lease less, and the clock as it was before, if no other slot is under way."""
        entry = self._host(host)
        entry.give_back()
        self._settle(entry)

    def done(self, host: str, now: float) -> None:
        """A lease ended."""
        entry = self._by_name.get(host)
        if entry is not None:
            entry.end()
            self._settle(entry)

    # -- the clock -----------------------------------------------------------------------------------------------

    def delay(self, host: str) -> float:
        """Seconds between two of its slots, before jitter: the longest delay any reason asks for."""
        entry = self._by_name.get(host)
        return self.delay_seconds if entry is None else entry.delay(self.delay_seconds)[0]

    def set_delay(self, host: str, seconds: float, reason: str) -> None:
        """Ask for a delay under a reason ("robots", "autothrottle"). It replaces what that reason asked before; 0 or
        less (or NaN) takes it back. The pause after the last slot is measured by the new delay too."""
        entry = self._host(host)
        entry.ask_delay(seconds, reason)
        entry.measure(self._drawn_delay(entry))
        self._settle(entry)

    def back_off(self, host: str, until: float, reason: str) -> None:
        """No slot before `until` ("retry-after", "back-off"). A back-off is only ever lengthened."""
        entry = self._host(host)
        entry.back_off(until, reason)
        self._settle(entry)

    def waiting_reason(self, host: str, now: float) -> str | None:
        """Why it may not be asked now: the reason of a back-off or delay, "busy", or None when it may."""
        entry = self._by_name.get(host)
        return None if entry is None else entry.reason(now, self.delay_seconds, self.concurrency)

    # -- hosts with waiting URLs ---------------------------------------------------------------------------------

    def want(self, host: str, key: Key | None) -> None:
        """Set the rank of the host's best waiting URL; None = it has none. Called by the frontier only."""
        entry = self._host(host)
        if key == entry.key:
            return
        entry.key = key
        if key is None:
            entry.place = _IDLE
        elif entry.place == _IDLE:
            self._settle(entry, arriving=True)
        elif entry.place in self._ranked:
            self._rank(entry)

    def best(self, now: float) -> str | None:
        """The ready host with the best URL; None when there is none, or when patience makes it wait."""
        self._advance(now)
        ready = self._ranked[_READY]
        while ready:
            key, number = ready[0]
            entry = self._all[number]
            if entry.place != _READY or entry.key != key:
                heappop(ready)
            elif entry.leases >= self.concurrency or entry.time() > now:  # the caller's clock went back
                heappop(ready)
                self._settle(entry)
                self._advance(now)
            else:
                return None if self._waits_until(key, now) is not None else entry.name
        return None

    def next_ready(self, now: float) -> float | None:
        """When to ask `best` again: now if it would answer, else the next time a host with waiting URLs comes due.
        Busy hosts are not counted, they wake on `done`; None = nothing will come by waiting."""
        if self.best(now) is not None:
            return now
        due = min(map(self._next_due, self._timed))
        ready = self._ranked[_READY]
        waits_until = self._waits_until(ready[0][0], now) if ready else None
        due = due if waits_until is None else min(due, waits_until)
        return None if due == inf else due

    def waiting(self, now: float) -> Iterator[tuple[str, str, float]]:
        """Hosts with waiting URLs that may not be asked now: name, reason, when the clock passes. O(hosts)."""
        for entry in self._all:
            if entry.key and (reason := entry.reason(now, self.delay_seconds, self.concurrency)):
                yield entry.name, reason, entry.time()

    def waits(self, now: float) -> Mapping[str, int]:
        """How many of them there are, by reason."""
        return Counter(reason for _, reason, _ in self.waiting(now))

    # -- inside --------------------------------------------------------------------------------------------------

    def _host(self, name: str) -> _Host:
        entry = self._by_name.get(name)
        if entry is None:
            entry = self._by_name[name] = _Host(name, number=len(self._all))
            self._all.append(entry)
        return entry

    def _drawn_delay(self, entry: _Host) -> float:
        seconds = entry.delay(self.delay_seconds)[0]
        if self.jitter <= 0:
            return seconds
        drawn = blake2b(f"{self.seed} {entry.name} {entry.requests}".encode(), digest_size=8).digest()
        return seconds * (1 + self.jitter * int.from_bytes(drawn, "big") / 2**64)

    def _settle(self, entry: _Host, *, arriving: bool = False) -> None:
        """Move a host with waiting URLs to the set that its leases and clock demand; `_advance` moves it on from COOLING."""
        if entry.place == _IDLE and not arriving:
            return
        if entry.leases >= self.concurrency:
            entry.place = _BUSY
            self._rank(entry)
            return
        due = entry.time()
        if entry.place == _COOLING and entry.due == due:
            return
        entry.place, entry.due = _COOLING, due
        self._time(entry)

    def _advance(self, now: float) -> None:
        """Move on the hosts whose time has come."""
        for place, horizon in ((_COOLING, now + self.patience_seconds), (_SOON, now)):
            heap = self._timed[place]
            while heap and heap[0][0] <= horizon:
                due, number = heappop(heap)
                entry = self._all[number]
                if entry.place != place or entry.due != due or entry.key is None:
                    continue
                entry.place = _READY if due <= now else _SOON
                if entry.place == _SOON:
                    self._time(entry)
                self._rank(entry)

    def _waits_until(self, ready: Key, now: float) -> float | None:
        """When a ready host is considered again, because a much better URL is worth the wait; None = it need not wait."""
        if self.patience_seconds <= 0:
            return None
        promised = self.worth(-ready[0]) + self.patience_margin
        soon, busy = self._ranked[_SOON], self._ranked[_BUSY]
        while soon:
            key, number = soon[0]
            entry = self._all[number]
            if entry.place == _SOON and entry.key == key:
                if self.worth(-key[0]) >= promised:
                    return entry.due
                break
            heappop(soon)
        while busy:
            key, number = busy[0]
            entry = self._all[number]
            free = entry.started + self.patience_seconds
            if entry.place == _BUSY and entry.key == key and now < free and entry.time() <= free:
                return free if self.worth(-key[0]) >= promised else None
            heappop(busy)
        return None

    def _next_due(self, place: int) -> float:
        heap = self._timed[place]
        while heap:
            due, number = heap[0]
            entry = self._all[number]
            if entry.place == place and entry.due == due:
                return due
            heappop(heap)
        return inf

    def _rank(self, entry: _Host) -> None:
        """Add it to its set's heap by best score; busy hosts are ranked only with patience."""
        if entry.key is None or (entry.place == _BUSY and self.patience_seconds <= 0):
            return
        heap = self._ranked[entry.place]
        heappush(heap, (entry.key, entry.number))
        if self._crowded(heap):
            heap[:] = [(one.key, one.number) for one in self._all if one.place == entry.place and one.key]
            heapify(heap)

    def _time(self, entry: _Host) -> None:
        """Add it to its set's heap by when it is due."""
        heap = self._timed[entry.place]
        heappush(heap, (entry.due, entry.number))
        if self._crowded(heap):
            heap[:] = [(host.due, host.number) for host in self._all if host.place == entry.place]
            heapify(heap)

    def _crowded(self, heap: Sized) -> bool:
        return len(heap) > 4 * len(self._all) + 64
