"""The frontier in memory: nothing outlives the process, nothing touches a disk.

For comparisons, tests and crawls without a JOBDIR. It is the plain form of the contract; frontier.sqlite keeps to it.
"""

from __future__ import annotations

from topiccrawler.frontier.base import LEASE_SECONDS, Listing, Notes, Pushed, Row, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.leasing import LeasingFrontier, check_score
from topiccrawler.frontier.memory_listing import Entry, MemoryListing, MemoryNotes, row_of
from topiccrawler.frontier.seen_anchors import anchor_bit
from topiccrawler.model import Link, Score


class MemoryFrontier(LeasingFrontier):
    """See frontier.base.Frontier for the contract."""

    def __init__(self, hosts: Hosts | None = None, *, lease_seconds: float = LEASE_SECONDS) -> None:
        super().__init__(hosts, lease_seconds)
        self._entries: list[Entry] = []
        self._by_url: dict[str, Entry] = {}
        self._counts = dict.fromkeys(State, 0)
        self.listing: Listing = MemoryListing(self._entries, self._by_url, self._counts)
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
        else:
            return Pushed.KNOWN
        entry.link, entry.score, entry.shares = link, float(score.value), score.shares
        entry.carry, entry.tunnel = float(score.carry), tunnel
        self._queues.put(link.host, entry.score, entry.number)
        return outcome

    def __len__(self) -> int:
        return self._counts[State.WAITING]

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

    def abandon(self) -> None:
        """Nothing to let go."""

    def close(self) -> None:
        """Nothing to let go."""

    def _number(self, url: str) -> int | None:
        entry = self._by_url.get(url)
        return None if entry is None else entry.number

    def _host(self, number: int) -> str:
        return self._entries[number].link.host

    def _read(self, number: int) -> Row:
        return row_of(self._entries[number])

    def _waiting_score(self, number: int) -> float | None:
        entry = self._entries[number]
        return entry.score if entry.state is State.WAITING else None

    def _set_score(self, number: int, score: Score) -> None:
        entry = self._entries[number]
        entry.score, entry.carry, entry.shares = float(score.value), float(score.carry), score.shares

    def _move(self, number: int, state: State, reason: str, now: float) -> None:
        entry = self._entries[number]
        self._counts[entry.state] -= 1
        self._counts[state] += 1
        entry.state, entry.reason, entry.changed = state, reason, now
