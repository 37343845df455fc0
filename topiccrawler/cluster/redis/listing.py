"""What the partitions of a crawl on a Redis Cluster hold, as one listing.

What a crawl in Redis holds, to be looked at: by a worker, and by commands that join nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from heapq import merge
from operator import attrgetter
from typing import Any
from zlib import crc32

from topiccrawler.cluster.redis.records import Argument, digest, entry_of, row_of
from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.rows import CODES, STATES
from topiccrawler.model import Link
from topiccrawler.urls.canonical import host_of

Ask = Callable[[str, Sequence[Argument]], Any]
PIECE = 512  # records read at a time


class RedisListing:
    """See frontier.base.Listing. `ask(name, arguments)` runs a script, after all changes made so far.

    `mine(number, host)`: the URL waits, as far as this worker knows, and is one that it scores anew; all workers together do so for all.
    """

    def __init__(self, ask: Ask, where: str, mine: Callable[[int, str], bool] | None = None) -> None:
        self._ask, self._where = ask, where
        self._mine = mine

    def row(self, url: str) -> Row | None:
        found = self._ask("row", [digest(url)])
        return row_of(found, self._where) if found else None

    def rows(self, state: State | None = None) -> Iterator[Row]:
        return (row for _, row in self._from(0, state))

    def queued(self, after: str = "") -> Iterator[Link]:
        return (row.link for row in self.queued_rows(after))

    def queued_rows(self, after: str = "") -> Iterator[Row]:
        """The records of the same."""
        entry = self._ask("look_up", ["", 0, 1, digest(after)])[0][0] if after else b""
        first = entry_of(entry)[1] + 1 if entry else 0
        for number, row in self._from(first, State.WAITING):
            if self._mine is None or self._mine(number, row.link.host):
                yield row

    def best(self, count: int) -> list[Row]:
        return [row_of(raw, self._where) for raw in self._ask("best", [count])] if count > 0 else []

    def counts(self) -> Mapping[State, int]:
        return counts_of(self._ask("counts", []))

    def waiting_by_host(self) -> Mapping[str, int]:
        return Counter(row.link.host for row in self.rows(State.WAITING))

    def waiting_in(self, hosts: Container[str]) -> int:
        return sum(row.link.host in hosts for row in self.rows(State.WAITING))

    def _from(self, first: int, state: State | None) -> Iterator[tuple[int, Row]]:
        wanted = None if state is None else CODES[state]
        place = str(first)
        while place:
            found, behind = self._ask("pieces", [place, PIECE])
            numbered = sorted(zip(map(int, found[::2]), found[1::2], strict=True))
            for number, raw in numbered:
                if wanted is None or raw[0] == wanted:
                    yield number, row_of(raw, self._where)
            place = behind.decode()


def counts_of(flat: Sequence[bytes]) -> dict[State, int]:
    """URLs by state, from a hash as a script gives it."""
    counts = dict.fromkeys(State, 0)
    for code, count in zip(flat[::2], flat[1::2], strict=True):
        counts[STATES[int(code)]] = int(count)
    return counts


def share_of(host: str, slot: int, live: int) -> bool:
    """Whether a host that nobody owns is one of this slot's, among so many workers."""
    return crc32(host.encode()) % max(1, live) == slot % max(1, live)


_added = attrgetter("added")


class PartitionedListing:
    """See frontier.base.Listing. `number(host)`: of the partition that has it."""

    def __init__(self, parts: Sequence[RedisListing], number: Callable[[str], int]) -> None:
        self._parts, self._number = list(parts), number

    def row(self, url: str) -> Row | None:
        return self._of(url).row(url)

    def rows(self, state: State | None = None) -> Iterator[Row]:
        return merge(*(part.rows(state) for part in self._parts), key=_added)

    def queued(self, after: str = "") -> Iterator[Link]:
        last = self.row(after) if after else None
        since = 0.0 if last is None else last.added
        found = (part.queued_rows(after if part is self._of(after) else "") for part in self._parts)
        return (row.link for row in merge(*found, key=_added) if row.added >= since)

    def best(self, count: int) -> list[Row]:
        found = [row for part in self._parts for row in part.best(count)]
        return sorted(found, key=lambda row: (-row.score, row.added))[: max(0, count)]

    def counts(self) -> Mapping[State, int]:
        found = [part.counts() for part in self._parts]
        return {state: sum(counts[state] for counts in found) for state in State}

    def waiting_by_host(self) -> Mapping[str, int]:
        return {host: count for part in self._parts for host, count in part.waiting_by_host().items()}

    def waiting_in(self, hosts: Container[str]) -> int:
        return sum(part.waiting_in(hosts) for part in self._parts)

    def _of(self, url: str) -> RedisListing:
        return self._parts[self._number(host_of(url))]
