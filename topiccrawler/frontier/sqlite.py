"""The frontier on disk: memory holds what decides, the file holds every row.

The conflict: a push must know a URL's state and score two hundred times a page, a lease must find the best of a
million, and a kill at any moment may cost no URL. So memory holds numbers alone (frontier.columns, and the
heaps of frontier.queues), never a text; the file holds every row (frontier.rows). Decisions read no disk; a lease
reads one row.

What is durable when: `acknowledge` ends a transaction (or every `acknowledgements_per_commit`-th does), so a page's
links, pushed before, are never on disk without its end, nor its end without its links. A lease is
written along with the next commit; if the process dies before, the URL still waits on disk and is fetched again. So
at most the open leases and the pages of the open transaction are fetched twice.

Opening an existing file puts leases back to waiting and builds the heaps from one read of the narrow table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
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
from topiccrawler.frontier.columns import PROCESSING, WAITING, Columns
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.queues import Queues
from topiccrawler.frontier.rows import CODES, STATES, Rows
from topiccrawler.frontier.seen_anchors import anchor_bit
from topiccrawler.frontier.sqlite_listing import SqliteListing, SqliteNotes
from topiccrawler.frontier.url_index import Digest, digest
from topiccrawler.model import Link, Score


class SqliteFrontier:
    """See frontier.base.Frontier for the contract."""

    def __init__(
        self,
        path: str | Path,
        hosts: Hosts | None = None,
        *,
        lease_seconds: float = LEASE_SECONDS,
        memory_urls: int = 0,
        acknowledgements_per_commit: int = 1,
        read_only: bool = False,
        digest: Callable[[str], Digest] = digest,
    ) -> None:
        self.hosts = Hosts() if hosts is None else hosts
        self.lease_seconds = lease_seconds
        self.acknowledgements_per_commit = acknowledgements_per_commit
        self._acknowledged = 0  # since the last commit
        self._columns = Columns(digest)
        self._leases: dict[str, tuple[float, int]] = {}  # url -> deadline, number
        self._without_slot: set[str] = set()  # leases that hold no slot of their host
        self._queues = Queues(self.hosts, self._waiting_score, memory_urls)
        self._rows = Rows(Path(path), read_only=read_only)
        try:
            self._load(read_only)
        except BaseException:
            self._rows.close()
            raise
        self.listing: Listing = SqliteListing(self._rows, self._columns, self._counts)
        self.notes: Notes = SqliteNotes(self._rows)

    def _load(self, read_only: bool) -> None:
        columns = self._columns
        columns.load(self._rows)
        if not read_only and PROCESSING in columns.states:
            self._rows.end_leases()
            columns.states = columns.states.replace(bytes([PROCESSING]), bytes([WAITING]))
        self._counts = [columns.states.count(code) for code in range(len(STATES))]
        waiting, scores = columns.waiting(len(self._rows.hosts)), columns.scores
        for name, numbers in zip(self._rows.hosts, waiting, strict=True):
            self._queues.load(name, [(-scores[number], number) for number in numbers], len(waiting))

    def push(
        self, rows: Iterable[tuple[Link, Score]], *, now: float, tunnel: int = 0, again: bool = False
    ) -> Mapping[Pushed, int]:
        did = dict.fromkeys(Pushed, 0)
        for link, score in rows:
            did[self._push(link, score, now, tunnel, again)] += 1
        return did

    def _push(self, link: Link, score: Score, now: float, tunnel: int, again: bool) -> Pushed:
        check_score(score)
        value = float(score.value)
        number, new = self._columns.known.find_or_add(link.url)
        if new is not None:
            outcome = Pushed.NEW
            host = self._rows.host_id(link.host)
            bit = anchor_bit(link.anchor)
            self._rows.add(number, new, host, bit, link, score, tunnel, now)
            self._columns.add(value, host, bit)
            self._counts[WAITING] += 1
        else:
            state = self._columns.states[number]
            if state == WAITING:
                if value <= self._columns.scores[number]:
                    return Pushed.KEPT
                outcome = Pushed.RAISED
            elif again and state != PROCESSING:
                outcome = Pushed.NEW
                self._move(number, WAITING, "", now)
            else:
                return Pushed.KNOWN
            self._columns.scores[number] = value
            self._rows.replace(number, link, score, tunnel)
        self._queues.put(self._rows.hosts[self._columns.hosts[number]], value, number)
        return outcome

    def lease(self, now: float, accept: Accept | None = None) -> Leased | None:
        while (found := self._queues.best(now)) is not None:
            host, number = found
            row = self._rows.read(number)
            deadline = now + self.lease_seconds
            leased = Leased(row.link, row.score, row.carry, row.tunnel, row.shares, deadline)
            refusal = None if accept is None else accept(leased)
            if refusal is Postpone.ALL:
                return None
            if refusal is Postpone.HOST:
                continue
            if refusal is not None:
                self._move(number, CODES[State.DISCARDED], refusal, now)
            else:
                self._move(number, PROCESSING, "", now)
                self._leases[row.link.url] = (deadline, number)
                self.hosts.take(host, now)
            self._queues.settle(host)
            if refusal is None:
                return leased
        return None

    def lease_url(self, link: Link, score: float, now: float, shares: bytes = b"") -> bool:
        if self._columns.known.find(link.url) is None:
            self.push([(link, Score(link.url, score, shares=shares))], now=now)
        number = self._columns.known.find(link.url)
        if number is None or self._columns.states[number] != WAITING:
            return False
        self._move(number, PROCESSING, "", now)
        self._queues.settle(self._rows.hosts[self._columns.hosts[number]])
        self._leases[link.url] = (now + self.lease_seconds, number)
        self._without_slot.add(link.url)
        return True

    def release_slot(self, url: str, now: float) -> None:
        if url in self._leases and url not in self._without_slot:
            self._without_slot.add(url)
            self.hosts.done(self._rows.hosts[self._columns.hosts[self._leases[url][1]]], now)

    def acknowledge(self, url: str, state: State, reason: str, now: float) -> None:
        check_end(state)
        number = self._end_lease(url, now)
        if number is None:
            return
        self._move(number, CODES[state], reason, now)
        self._acknowledged += 1
        if self._acknowledged >= self.acknowledgements_per_commit:
            self.commit()

    def release(self, now: float, urls: Iterable[str] | None = None) -> int:
        released = 0
        for url in urls if urls is not None else [u for u, (due, _) in self._leases.items() if due <= now]:
            number = self._end_lease(url, now)
            if number is not None:
                self._move(number, WAITING, "", now)
                self._queues.put(
                    self._rows.hosts[self._columns.hosts[number]], self._columns.scores[number], number
                )
                released += 1
        return released

    def rescore(self, scores: Iterable[Score]) -> int:
        changed = 0
        touched: dict[str, None] = {}
        for score in scores:
            check_score(score)
            value = float(score.value)
            number = self._columns.known.find(score.url)
            if number is None or self._columns.states[number] != WAITING:
                continue
            self._rows.rescore(number, score)
            if value != self._columns.scores[number]:
                changed += 1
                self._columns.scores[number] = value
                host = self._rows.hosts[self._columns.hosts[number]]
                self._queues.put(host, value, number)
                touched[host] = None
        for host in touched:
            self._queues.settle(host)
        return changed

    def __len__(self) -> int:
        return self._counts[WAITING]

    def is_open(self, url: str) -> bool:
        number = self._columns.known.find(url)
        return number is None or self._columns.states[number] == WAITING

    def is_new_anchor(self, url: str, text: str) -> bool:
        number = self._columns.known.find(url)
        if number is None:
            return True
        seen_anchors = self._columns.seen_anchors[number]
        more = seen_anchors | anchor_bit(text)
        if self._columns.states[number] != WAITING or more == seen_anchors:
            return False
        self._columns.seen_anchors[number] = more
        self._rows.set_seen_anchors(number, more)
        return True

    def commit(self) -> None:
        self._rows.commit()
        self._acknowledged = 0

    def close(self) -> None:
        self._rows.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _waiting_score(self, number: int) -> float | None:
        return self._columns.scores[number] if self._columns.states[number] == WAITING else None

    def _move(self, number: int, state: int, reason: str, now: float) -> None:
        self._counts[self._columns.states[number]] -= 1
        self._counts[state] += 1
        self._columns.states[number] = state
        self._rows.move(number, state, reason, now)

    def _end_lease(self, url: str, now: float) -> int | None:
        lease = self._leases.pop(url, None)
        if lease is None:
            return None
        number = lease[1]
        if url in self._without_slot:
            self._without_slot.remove(url)
        else:
            self.hosts.done(self._rows.hosts[self._columns.hosts[number]], now)
        return number
