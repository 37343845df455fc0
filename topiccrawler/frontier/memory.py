"""Keeps the frontier in memory: a record for every URL in order of arrival. Nothing is written to disk or outlives the process.

It serves comparisons, tests and crawls without a JOBDIR. It is the simplest form of the contract; frontier.sqlite behaves the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from heapq import nlargest
from itertools import islice

from topiccrawler.frontier.base import LEASE_SECONDS, FrontierView, Leased, Notes, Pushed, Row, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.leasing import LeasingFrontier, check_score, drawn
from topiccrawler.frontier.url_index import anchor_bit
from topiccrawler.model import Link, Score


@dataclass(slots=True)
class Entry:
    """The record of one URL; only this module changes it."""

    number: int  # in order of arrival
    link: Link
    seen_anchors: int
    score: float = 0.0
    shares: bytes = b""
    carry: float = 0.0
    tunnel: int = 0
    state: State = State.WAITING
    reason: str = ""
    added: float = 0.0
    changed: float = 0.0
    tries: int = 0


_ROW = [field.name for field in fields(Row)]


def row_of(entry: Entry) -> Row:
    """The public record of a URL."""
    return Row(*(getattr(entry, name) for name in _ROW))


class MemoryView(FrontierView):
    """The view of a frontier in memory: see frontier.base.FrontierView. It shares the frontier's records."""

    def __init__(self, entries: list[Entry], by_url: dict[str, Entry], counts: dict[State, int]) -> None:
        self._entries, self._by_url, self._counts = entries, by_url, counts

    def row(self, url: str) -> Row | None:
        entry = self._by_url.get(url)
        return None if entry is None else row_of(entry)

    def rows(self, state: State | None = None) -> Iterator[Row]:
        return (row_of(entry) for entry in self._entries if state is None or entry.state is state)

    def queued(self, after: str = "") -> Iterator[Link]:
        last = self._by_url.get(after)
        later = islice(self._entries, 0 if last is None else last.number + 1, None)
        return (entry.link for entry in later if entry.state is State.WAITING)

    def best(self, count: int) -> list[Row]:
        waiting = (entry for entry in self._entries if entry.state is State.WAITING)
        return [row_of(entry) for entry in nlargest(count, waiting, key=lambda entry: entry.score)]

    def counts(self) -> Mapping[State, int]:
        return dict(self._counts)

    def waiting_by_host(self) -> Mapping[str, int]:
        return Counter(entry.link.host for entry in self._entries if entry.state is State.WAITING)

    def waiting_in(self, hosts: Container[str]) -> int:
        return sum(entry.state is State.WAITING and entry.link.host in hosts for entry in self._entries)

    def waiting(self) -> int:
        return self._counts[State.WAITING]

    def sample(self, count: int) -> Sequence[float]:
        numbers = drawn(len(self._entries), self.waiting(), count).tolist()
        entries = (self._entries[number] for number in numbers)
        return [entry.score for entry in entries if entry.state is State.WAITING]

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


class MemoryNotes:
    """Notes in memory: see frontier.base.Notes."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def put(self, name: str, text: str) -> None:
        self._texts[name] = text

    def get(self, name: str) -> str | None:
        return self._texts.get(name)

    def all(self, prefix: str = "") -> Mapping[str, str]:
        return {name: text for name, text in self._texts.items() if name.startswith(prefix)}


class MemoryFrontier(LeasingFrontier):
    """A frontier in memory: see frontier.base.Frontier for the contract."""

    def __init__(self, hosts: Hosts | None = None, *, lease_seconds: float = LEASE_SECONDS) -> None:
        super().__init__(hosts, lease_seconds)
        self._entries: list[Entry] = []
        self._by_url: dict[str, Entry] = {}
        self._counts = dict.fromkeys(State, 0)
        self._view: FrontierView = MemoryView(self._entries, self._by_url, self._counts)
        self.notes: Notes = MemoryNotes()

    def _push(self, link: Link, score: Score, now: float, tunnel: int, again: bool) -> Pushed:
        check_score(score)
        entry = self._by_url.get(link.url)
        if entry is None:
            outcome = Pushed.NEW
            number, bit = len(self._entries), anchor_bit(link.anchor)
            entry = self._by_url[link.url] = Entry(number, link, bit, added=now, changed=now)
            self._entries.append(entry)
            self._counts[State.WAITING] += 1
        elif entry.state is State.WAITING:
            if score.value <= entry.score:
                return Pushed.KEPT
            outcome = Pushed.RAISED
        elif again and entry.state is not State.PROCESSING:
            outcome = Pushed.NEW
            self._move(entry.number, State.WAITING, "", now)
            self._begin_tries(entry.number)
        else:
            return Pushed.KNOWN
        entry.link, entry.score, entry.shares = link, float(score.value), score.shares
        entry.carry, entry.tunnel = float(score.carry), tunnel
        if entry.number not in self._aside:
            self._queues.put(link.host, entry.score, entry.number)
        return outcome

    def commit(self) -> None:
        """Do nothing: the memory of a process is not durable."""

    def close(self, *, commit: bool = True) -> None:
        """Do nothing: there is no file to close."""

    def _number(self, url: str) -> int | None:
        entry = self._by_url.get(url)
        return None if entry is None else entry.number

    def _host(self, number: int) -> str:
        return self._entries[number].link.host

    def _to_lease(self, number: int, deadline: float) -> Leased:
        entry = self._entries[number]
        return Leased(entry.link, entry.score, entry.carry, entry.tunnel, entry.shares, deadline, entry.tries)

    def _waiting_score(self, number: int) -> float | None:
        entry = self._entries[number]
        return entry.score if entry.state is State.WAITING else None

    def _set_score(self, number: int, score: Score) -> None:
        entry = self._entries[number]
        entry.score, entry.carry, entry.shares = float(score.value), float(score.carry), score.shares

    def _set_tries(self, number: int, tries: int) -> None:
        self._entries[number].tries = tries

    def _move(self, number: int, state: State, reason: str, now: float) -> None:
        entry = self._entries[number]
        self._counts[entry.state] -= 1
        self._counts[state] += 1
        entry.state, entry.reason, entry.changed = state, reason, now
