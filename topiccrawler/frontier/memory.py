"""The frontier in memory: nothing outlives the process, nothing touches a disk.

For comparisons, tests and crawls without a JOBDIR. It is the plain form of the contract; frontier.sqlite keeps to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

from topiccrawler.frontier.base import (
    LEASE_SECONDS,
    Accept,
    Leased,
    Listing,
    Notes,
    Postpone,
    Pushed,
    State,
    check_end,
    check_score,
)
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory_listing import Entry, MemoryListing, MemoryNotes
from topiccrawler.frontier.queues import Queues
from topiccrawler.frontier.seen_anchors import anchor_bit
from topiccrawler.model import Link, Score


class MemoryFrontier:
    """See frontier.base.Frontier for the contract."""

    def __init__(self, hosts: Hosts | None = None, *, lease_seconds: float = LEASE_SECONDS) -> None:
        self.hosts = Hosts() if hosts is None else hosts
        self.lease_seconds = lease_seconds
        self._entries: list[Entry] = []
        self._by_url: dict[str, Entry] = {}
        self._leases: dict[str, float] = {}  # url -> deadline
        self._without_slot: set[str] = set()  # leases that hold no slot of their host
        self._counts = dict.fromkeys(State, 0)
        self._queues = Queues(self.hosts, self._waiting_score)
        self.listing: Listing = MemoryListing(self._entries, self._by_url, self._counts)
        self.notes: Notes = MemoryNotes()

    def push(
        self, rows: Iterable[tuple[Link, Score]], *, now: float, tunnel: int = 0, again: bool = False
    ) -> Mapping[Pushed, int]:
        did = dict.fromkeys(Pushed, 0)
        for link, score in rows:
            did[self._push(link, score, now, tunnel, again)] += 1
        return did

    def _push(self, link: Link, score: Score, now: float, tunnel: int, again: bool) -> Pushed:
        check_score(score)
        entry = self._by_url.get(link.url)
        if entry is None:
            outcome = Pushed.NEW
            entry = self._by_url[link.url] = Entry(len(self._entries), link, now)
            self._entries.append(entry)
            self._counts[State.WAITING] += 1
        elif entry.state is State.WAITING:
            if score.value <= entry.score:
                return Pushed.KEPT
            outcome = Pushed.RAISED
        elif again and entry.state is not State.PROCESSING:
            outcome = Pushed.NEW
            self._move(entry, State.WAITING, "", now)
        else:
            return Pushed.KNOWN
        entry.link, entry.score, entry.shares = link, float(score.value), score.shares
        entry.carry, entry.tunnel = float(score.carry), tunnel
        self._queues.put(link.host, entry.score, entry.number)
        return outcome

    def lease(self, now: float, accept: Accept | None = None) -> Leased | None:
        while (found := self._queues.best(now)) is not None:
            host, number = found
            entry = self._entries[number]
            deadline = now + self.lease_seconds
            leased = Leased(entry.link, entry.score, entry.carry, entry.tunnel, entry.shares, deadline)
            refusal = None if accept is None else accept(leased)
            if refusal is Postpone.ALL:
                return None
            if refusal is Postpone.HOST:
                continue
            if refusal is not None:
                self._move(entry, State.DISCARDED, refusal, now)
            else:
                self._move(entry, State.PROCESSING, "", now)
                self._leases[entry.link.url] = deadline
                self.hosts.take(host, now)
            self._queues.settle(host)
            if refusal is None:
                return leased
        return None

    def lease_url(self, link: Link, score: float, now: float, shares: bytes = b"") -> bool:
        entry = self._by_url.get(link.url)
        if entry is None:
            self.push([(link, Score(link.url, score, shares=shares))], now=now)
            entry = self._by_url[link.url]
        elif entry.state is not State.WAITING:
            return False
        self._move(entry, State.PROCESSING, "", now)
        self._queues.settle(entry.link.host)
        self._leases[link.url] = now + self.lease_seconds
        self._without_slot.add(link.url)
        return True

    def release_slot(self, url: str, now: float) -> None:
        if url in self._leases and url not in self._without_slot:
            self._without_slot.add(url)
            self.hosts.done(self._by_url[url].link.host, now)

    def acknowledge(self, url: str, state: State, reason: str, now: float) -> None:
        check_end(state)
        entry = self._end_lease(url, now)
        if entry is not None:
            self._move(entry, state, reason, now)

    def release(self, now: float, urls: Iterable[str] | None = None) -> int:
        released = 0
        for url in self._overdue(now) if urls is None else urls:
            entry = self._end_lease(url, now)
            if entry is not None:
                self._move(entry, State.WAITING, "", now)
                self._queues.put(entry.link.host, entry.score, entry.number)
                released += 1
        return released

    def rescore(self, scores: Iterable[Score]) -> int:
        changed = 0
        touched: dict[str, None] = {}
        for score in scores:
            check_score(score)
            entry = self._by_url.get(score.url)
            if entry is None or entry.state is not State.WAITING:
                continue
            entry.carry, entry.shares = float(score.carry), score.shares
            if entry.score != score.value:
                changed += 1
                entry.score = float(score.value)
                self._queues.put(entry.link.host, entry.score, entry.number)
                touched[entry.link.host] = None
        for host in touched:
            self._queues.settle(host)
        return changed

    def __len__(self) -> int:
        return self._counts[State.WAITING]

    def is_open(self, url: str) -> bool:
        entry = self._by_url.get(url)
        return entry is None or entry.state is State.WAITING

    def is_new_anchor(self, url: str, text: str) -> bool:
        entry = self._by_url.get(url)
        if entry is None:
            return True
        bit = anchor_bit(text)
        if entry.state is not State.WAITING or entry.seen_anchors & bit:
            return False
        entry.seen_anchors |= bit
        return True

    def commit(self) -> None:
        """Nothing is durable here."""

    def close(self) -> None:
        """Nothing to let go."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _overdue(self, now: float) -> list[str]:
        return [url for url, deadline in self._leases.items() if deadline <= now]

    def _waiting_score(self, number: int) -> float | None:
        entry = self._entries[number]
        return entry.score if entry.state is State.WAITING else None

    def _end_lease(self, url: str, now: float) -> Entry | None:
        if self._leases.pop(url, None) is None:
            return None
        entry = self._by_url[url]
        if url in self._without_slot:
            self._without_slot.remove(url)
        else:
            self.hosts.done(entry.link.host, now)
        return entry

    def _move(self, entry: Entry, state: State, reason: str, now: float) -> None:
        self._counts[entry.state] -= 1
        self._counts[state] += 1
        entry.state, entry.reason, entry.changed = state, reason, now
