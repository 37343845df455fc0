"""Decides which host is fetched from next, with a clock, a count of leases and a rank for every host.

The best URL goes first among the hosts that politeness allows. A host with waiting URLs is in exactly one of four sets:

    COOLING  its clock lies ahead        ordered by the time it is due
    SOON     due within the patience     ordered by time, and ranked by best score (only with patience_seconds > 0)
    READY    it may be fetched from      ranked by best score
    BUSY     as many leases as allowed   ranked by best score (only with patience_seconds > 0)

A host changes its set O(1) times a slot, at O(log hosts) each. Heaps delete lazily: an outdated entry is dropped when it reaches the top.
The caller passes `now` in seconds, from one clock of its choice.

`HostClock`: several sources set the clock of one host (the delay setting, robots.txt, AutoThrottle, Retry-After), so each value is
stored under its reason. The longest delay counts, a back-off is only lengthened, and the clock before the last slot is remembered.

`HostRecords`: when several processes share a crawl, what else is known of a host goes to its next owner.

Fair shares: a site over its share is skipped while a ready or busy host has a URL worth at least half as much. The hosts of a long list of
seeds are one site in this sense until they have given a page (frontier.host_ranking.SeedShare).

Patience: with `patience_seconds` > 0 a ready host waits while another has a URL that is *much better*, by `patience_margin`
of worth (Strategy.worth, 0..1), and is ready within that time: its delay (no back-off) ends by then, or its slot under way began
less than that ago. It waits only while at least 1 - `idle_share` of the `slots` are in use.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from math import inf
from typing import Protocol

from topiccrawler.frontier.host_ranking import SEEDS, FairShares, HostRanking, Key, Pace, Paces, SeedShare
from topiccrawler.urls.canonical import site_of

DELAY = "delay"
BUSY = "busy"


@dataclass(slots=True)
class HostClock:
    """The clock of one host; its pace is passed with each call."""

    name: str
    started: float = -inf  # when the last slot was occupied
    next: float = -inf  # when the delay after that slot has passed
    before: tuple[float, float] | None = None  # started and next before the last slot
    requests: int = 0
    leases: int = 0
    delays: dict[str, float] | None = None  # reason -> seconds; most hosts have none
    back_off_until: float = -inf
    back_off_reason: str = ""
    reopened: tuple[float, str] = (-inf, "")  # the back-off that counts once a closed host is reopened

    def time(self) -> float:
        """The earliest time of the next request; -inf = at once."""
        return max(self.next, self.back_off_until)

    def begin(self, now: float, delay: float) -> None:
        """Occupy a slot, and wait `delay` seconds before the next one."""
        self.before = (self.started, self.next)
        self.leases += 1
        self.requests += 1
        self.started, self.next = now, now + delay

    def release(self) -> None:
        """Release a slot that was not used. The clock is set back if that slot must have been the last one. While others are in use
        it is unknown which slot is released, and the clock stays: slower, never too fast.
        """
        if self.leases == 1 and self.before is not None:
            self.started, self.next = self.before
        self.end()

    def end(self) -> None:
        """Free a slot that was used."""
        self.leases = max(0, self.leases - 1)
        self.before = None

    def delay(self, default: float) -> tuple[float, str]:
        """The longest delay any reason asks for, and that reason."""
        if self.delays is not None:
            reason = max(self.delays, key=self.delays.__getitem__)
            if self.delays[reason] > default:
                return self.delays[reason], reason
        return default, DELAY

    def ask_delay(self, seconds: float, reason: str) -> None:
        """Replace the delay of this reason; 0, less or NaN removes it."""
        delays = self.delays or {}
        delays.pop(reason, None)
        if seconds > 0:
            delays[reason] = seconds
        self.delays = delays or None

    def measure(self, delay: float) -> None:
        """Measure this delay from the start of the latest slot, if there was one."""
        if self.started > -inf:
            self.next = self.started + delay

    def back_off(self, until: float, reason: str) -> None:
        """Allow no slot before `until`; an earlier back-off is never shortened. inf = until the host is reopened."""
        if until == inf > self.back_off_until:
            self.reopened = self.back_off_until, self.back_off_reason
        elif self.back_off_until == inf > until > self.reopened[0]:
            self.reopened = until, reason
        if until > self.back_off_until:
            self.back_off_until, self.back_off_reason = until, reason

    def reopen(self) -> None:
        """Cancel the back-off. Of a closed host, the one before it was closed or since then still counts."""
        self.back_off_until, self.back_off_reason = self.reopened
        self.reopened = -inf, ""

    def reason(self, now: float, pace: Pace) -> str | None:
        """Why the host is not ready now; None when it is ready."""
        if self.time() > now:
            is_delayed = self.back_off_until < self.next
            return self.delay(pace.delay_seconds)[1] if is_delayed else self.back_off_reason
        return BUSY if self.leases >= pace.concurrency else None


class HostRecords(Protocol):
    """The page counts of hosts (frontier.budgets), as texts that a host's next owner can read."""

    def dump_record(self, host: str) -> str:
        """The record of a host for its next owner; empty = nothing is known."""

    def merge_record(self, host: str, text: str) -> None:
        """Merge the record of a host's last owner; a damaged text is ignored."""


Counts = Callable[[float, int], bool]
"""Whether the host of this number is still in the set, due at this time."""

_CLEAN_AT = 64  # entries; a smaller heap is never cleaned


class HostTimetable:
    """A set of hosts ordered by the time they are due. Each change costs O(log hosts) amortised."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._heap: list[tuple[float, int]] = []
        self._clean_at = _CLEAN_AT

    def __len__(self) -> int:
        """The number of entries, outdated ones included."""
        return len(self._heap)

    def add(self, due: float, number: int) -> None:
        """Add host `number`, due at the time `due` (seconds)."""
        heappush(self._heap, (due, number))
        if len(self._heap) > self._clean_at:
            self._heap = [entry for entry in set(self._heap) if self._counts(*entry)]
            heapify(self._heap)
            self._clean_at = max(_CLEAN_AT, 2 * len(self._heap))

    def pop_due(self, until: float) -> list[int]:
        """Remove and return the hosts that are due by `until`, soonest first."""
        heap, found = self._heap, []
        while heap and heap[0][0] <= until:
            due, number = heappop(heap)
            if self._counts(due, number):
                found.append(number)
        return found

    def next_due(self) -> float:
        """The time the next host is due; inf = the set is empty."""
        while self._heap:
            if self._counts(*self._heap[0]):
                return self._heap[0][0]
            heappop(self._heap)
        return inf


PATIENCE_MARGIN = 0.25  # a quarter of a page more per page fetched is worth the wait
LIKELY = 0.5  # worth from which a ready URL never waits: it is more likely on topic than not
PROMISING = 0.5  # share of the worth of a skipped URL that the URL in its place must have

_IDLE, _COOLING, _SOON, _READY, _BUSY = range(5)


@dataclass(slots=True)
class _Host(HostClock):
    number: int = 0
    site: str = ""
    key: Key | None = None  # rank of its best waiting URL
    place: int = _IDLE
    due: float = -inf  # the time of the entry that counts in its timetable


class Hosts:
    """Clocks, leases and ranks of all hosts. A host without a record is ready."""

    def __init__(
        self,
        delay_seconds: float = 0.0,
        concurrency: int = 1,
        jitter: float = 0.0,
        seed: int = 0,
        patience_seconds: float = 0.0,
        patience_margin: float = PATIENCE_MARGIN,
        worth: Callable[[float], float] = float,
        idle_share: float = 1.0,
        slots: int = 0,
        shares: FairShares | None = None,
    ) -> None:
        self.paces = Paces(Pace(delay_seconds, concurrency))
        self.jitter = jitter  # a delay is multiplied by a random factor of 1 .. 1 + jitter
        self.seed = seed
        self.patience_seconds, self.patience_margin = patience_seconds, patience_margin
        self.worth = worth
        self.idle_share = idle_share  # 0..1, share of the slots that patience may leave idle; 1 = any number
        self.slots = slots  # requests under way at once, to all hosts
        self.shares = shares  # None = no site is skipped
        self.seeds: SeedShare | None = None  # None = seeds are not bounded
        self.records: HostRecords | None = None
        self.hopeless: set[str] = set()  # hosts that a crawl with nothing else to do does not wait for
        self._under_way = 0
        self._by_name: dict[str, _Host] = {}
        self._all: list[_Host] = []
        self._ranked = {place: self._ranking(place) for place in (_SOON, _READY, _BUSY)}  # by best score
        self._timed = {place: self._timetable(place) for place in (_COOLING, _SOON)}

    def __len__(self) -> int:
        """The number of known hosts."""
        return len(self._all)

    def ready(self, host: str, now: float) -> bool:
        """True when the host's clock has passed and it has a free slot."""
        known = self._by_name.get(host)
        return known is None or (known.leases < self.paces.of(host).concurrency and known.time() <= now)

    def ready_at(self, host: str) -> float:
        """When the host's clock passes (-inf: at once), whether or not it is busy."""
        return -inf if (known := self._by_name.get(host)) is None else known.time()

    def back_off_until(self, host: str) -> float:
        """The end of the host's back-off, which may be past; -inf = it never had one."""
        return -inf if (known := self._by_name.get(host)) is None else known.back_off_until

    def leases(self, host: str) -> int:
        """The number of slots of the host in use."""
        return 0 if (known := self._by_name.get(host)) is None else known.leases

    def occupy(self, host: str, now: float) -> None:
        """Occupy a slot: one more lease, and the host's delay begins."""
        entry = self._host(host)
        entry.begin(now, self._drawn_delay(entry))
        self._under_way += 1
        if entry.site == SEEDS and self.seeds is not None:
            self.seeds.under_way += 1
        elif self.shares is not None:
            self.shares.begin(entry.site, self.slots)
        self._settle(entry)

    def release(self, host: str, now: float) -> None:
        """Release a slot that was not used; the clock is set back if no other slot of the host is in use."""
        entry = self._host(host)
        self._free_slot(entry)
        entry.release()
        self._settle(entry)

    def done(self, host: str, now: float) -> None:
        """End a lease and free its slot."""
        if (entry := self._by_name.get(host)) is not None:
            self._free_slot(entry)
            entry.end()
            self._settle(entry)

    def delay(self, host: str) -> float:
        """Seconds between two slots of the host, before jitter: the longest delay any reason asks for."""
        known, usual = self._by_name.get(host), self.paces.of(host).delay_seconds
        return usual if known is None else known.delay(usual)[0]

    def delays(self, host: str) -> dict[str, float]:
        """The delays of the host in seconds, by reason."""
        return {} if (known := self._by_name.get(host)) is None else dict(known.delays or {})

    def set_delay(self, host: str, seconds: float, reason: str) -> None:
        """Set the delay of a reason ("robots", "autothrottle"); 0, less or NaN removes it. The new delay also counts from the start of
        the last slot."""
        entry = self._host(host)
        entry.ask_delay(seconds, reason)
        entry.measure(self._drawn_delay(entry))
        self._settle(entry)

    def back_off(self, host: str, until: float, reason: str) -> None:
        """Allow no slot before `until`; reasons are "retry-after", "back-off" and
        "challenge". A back-off is only ever lengthened."""
        entry = self._host(host)
        entry.back_off(until, reason)
        self._settle(entry)

    def reopen(self, host: str) -> None:
        """Cancel the back-off of a host; of a closed host, what its server asked for still counts."""
        self._host(host).reopen()
        self._settle(self._host(host))

    def waiting_reason(self, host: str, now: float) -> str | None:
        """Why the host is not ready now: the reason of a back-off or delay, or "busy"; None when it is ready."""
        known = self._by_name.get(host)
        return known.reason(now, self.paces.of(host)) if known else None

    def bound_seeds(self, hosts: set[str]) -> None:
        """Bound the share of the slots that these hosts have together, each until it `gave_page`."""
        self.seeds = SeedShare(hosts)
        for entry in self._all:
            if entry.name in hosts:
                self._change_site(entry, SEEDS)

    def gave_page(self, host: str) -> None:
        """Note that a page of the host was read."""
        if self.seeds is not None and host in self.seeds.hosts:
            self.seeds.hosts.remove(host)
            if (entry := self._by_name.get(host)) is not None:
                self.seeds.under_way -= entry.leases
                self._change_site(entry, site_of(host))

    # -- hosts with waiting URLs ---------------------------------------------------------------------------------

    def want(self, host: str, key: Key | None) -> None:
        """Set the rank of the host's best waiting URL; None = no URL waits. Only the frontier calls it."""
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
        while (found := self._first_ready()) is not None:
            key, number = found
            entry = self._all[number]
            if not self._is_busy(entry) and entry.time() <= now:
                return None if self._waits_until(key, now) is not None else entry.name
            self._settle(entry)  # the caller's clock went back
            self._advance(now)
        return None

    def next_ready(self, now: float) -> float | None:
        """When to call `best` again: `now` if it would return a host, else the next time a host with waiting URLs comes due.
        Busy hosts do not count, since `done` is called for them. None = waiting alone makes no host ready."""
        if self.best(now) is not None:
            return now
        due = min(timetable.next_due() for timetable in self._timed.values())
        ready = self._first_ready()
        waits_until = self._waits_until(ready[0], now) if ready else None
        due = due if waits_until is None else min(due, waits_until)
        return None if due == inf else due

    def may_come(self, now: float) -> bool:
        """Whether a host with waiting URLs is ready, or will be, other than the hopeless ones. O(hosts) where there are hopeless ones."""
        due = self.next_ready(now)
        if due is None or due <= now or not self.hopeless:
            return due is not None
        return any(until < inf and host not in self.hopeless for host, _, until in self.waiting(now))

    def waiting(self, now: float) -> Iterator[tuple[str, str, float]]:
        """Yield the hosts with waiting URLs that are not ready now: name, reason, when the clock passes. O(hosts)."""
        for entry in self._all:
            if entry.key and (reason := entry.reason(now, self.paces.of(entry.name))):
                yield entry.name, reason, entry.time()

    # -- inside --------------------------------------------------------------------------------------------------

    def _host(self, name: str) -> _Host:
        entry = self._by_name.get(name)
        if entry is None:
            site = SEEDS if self.seeds is not None and name in self.seeds.hosts else site_of(name)
            entry = self._by_name[name] = _Host(name, number=len(self._all), site=site)
            self._all.append(entry)
        return entry

    def _change_site(self, entry: _Host, site: str) -> None:
        entry.site = site
        if entry.place in self._ranked:
            self._rank(entry)

    def _is_busy(self, entry: _Host) -> bool:
        return entry.leases >= self.paces.of(entry.name).concurrency

    def _drawn_delay(self, entry: _Host) -> float:
        seconds = entry.delay(self.paces.of(entry.name).delay_seconds)[0]
        if self.jitter <= 0:
            return seconds
        drawn = blake2b(f"{self.seed} {entry.name} {entry.requests}".encode(), digest_size=8).digest()
        return seconds * (1 + self.jitter * int.from_bytes(drawn, "big") / 2**64)

    def _settle(self, entry: _Host, *, arriving: bool = False) -> None:
        """Move a host with waiting URLs to BUSY or COOLING, by its leases and clock; `_advance` moves it on from COOLING."""
        if entry.place == _IDLE and not arriving:
            return
        if self._is_busy(entry):
            entry.place = _BUSY
            self._rank(entry)
            return
        due = entry.time()
        if entry.place == _COOLING and entry.due == due:
            return
        entry.place, entry.due = _COOLING, due
        self._timed[_COOLING].add(due, entry.number)

    def _advance(self, now: float) -> None:
        """Move the hosts that are due by now, or within the patience, to READY or SOON."""
        for place, horizon in ((_COOLING, now + self.patience_seconds), (_SOON, now)):
            for number in self._timed[place].pop_due(horizon):
                entry = self._all[number]
                entry.place = _READY if entry.due <= now else _SOON
                if entry.place == _SOON:
                    self._timed[_SOON].add(entry.due, number)
                self._rank(entry)

    def _free_slot(self, entry: _Host) -> None:
        if entry.leases > 0:
            self._under_way -= 1
            is_seed = entry.site == SEEDS
            if self.seeds is not None:
                self.seeds.end(seed=is_seed)
            if self.shares is not None and not is_seed:
                self.shares.end(entry.site)

    def _first_ready(self) -> tuple[Key, int] | None:
        """Rank and number of the ready host that goes first by score and fair shares."""
        ready = self._ranked[_READY]
        best = ready.top()
        if best is not None and self.seeds is not None and self._all[best[1]].site == SEEDS:
            best = self._seed_or_link(best)
            if best is not None and self._all[best[1]].site == SEEDS:
                return best
        if best is None or self.shares is None:
            return best
        passed_over = self.shares.over | self.shares.full
        if self._all[best[1]].site not in passed_over:
            return best
        other, busy = ready.top(passed_over), self._ranked[_BUSY].top(passed_over)
        promising = max((self.worth(-one[0][0]) for one in (other, busy) if one is not None), default=-1.0)
        return other if promising >= PROMISING * self.worth(-best[0][0]) else best

    def _seed_or_link(self, seed: tuple[Key, int]) -> tuple[Key, int] | None:
        """The best seed, or the best ready link in its place; None where the slot stays free for a link that is soon ready."""
        seeds = self.seeds
        if seeds is None or not seeds.is_over(self.slots):
            return seed
        least = PROMISING * min(self.worth(-seed[0][0]), seeds.rate)
        link = self._ranked[_READY].top({SEEDS})
        if link is not None and self.worth(-link[0][0]) > least:
            return link
        soon = (
            (self._ranked[place].top({SEEDS}) for place in (_SOON, _BUSY))
            if seeds.is_full(self.slots)
            else ()
        )
        return None if any(one is not None and self.worth(-one[0][0]) > least for one in soon) else seed

    def _waits_until(self, ready: Key, now: float) -> float | None:
        """When a ready host is considered again, because a much better URL is worth the wait; None = it need not wait."""
        if self.patience_seconds <= 0 or self._under_way < (1 - self.idle_share) * self.slots:
            return None
        if (worth := self.worth(-ready[0])) >= LIKELY:
            return None
        promised = worth + self.patience_margin
        over = self._over_share()
        if (soon := self._ranked[_SOON].top(over)) is not None and self.worth(-soon[0][0]) >= promised:
            entry = self._all[soon[1]]
            if entry.back_off_until <= now:  # a host that fails may fail again
                return entry.due
        while (busy := self._ranked[_BUSY].top(over)) is not None:
            entry = self._all[busy[1]]
            free = entry.started + self.patience_seconds
            if now < free and entry.time() <= free:
                return free if self.worth(-busy[0][0]) >= promised else None
            self._ranked[_BUSY].drop(entry.site)
        return None

    def _over_share(self) -> Container[str]:
        return () if self.shares is None else self.shares.over

    def _rank(self, entry: _Host) -> None:
        """Add a host to the ranking of its set; busy hosts are ranked only with patience."""
        if entry.key is not None and (entry.place != _BUSY or self.patience_seconds > 0):
            self._ranked[entry.place].add(entry.site, entry.key, entry.number)

    def _ranking(self, place: int) -> HostRanking:
        hosts = self._all

        def counts(site: str, key: Key, number: int) -> bool:
            entry = hosts[number]
            return entry.place == place and entry.key == key and entry.site == site

        return HostRanking(counts)

    def _timetable(self, place: int) -> HostTimetable:
        hosts = self._all

        def counts(due: float, number: int) -> bool:
            entry = hosts[number]
            return entry.place == place and entry.due == due and entry.key is not None

        return HostTimetable(counts)
