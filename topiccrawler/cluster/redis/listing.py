"""Reads the rows of a crawl in Redis, for workers and for commands that do not join the crawl."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from heapq import merge
from operator import attrgetter
from typing import Any
from zlib import crc32

from topiccrawler.cluster.redis.records import Argument, digest, entry_of, partition_of, row_of
from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.rows import CODES, STATES
from topiccrawler.model import Link
from topiccrawler.urls.canonical import host_of

Ask = Callable[[str, Sequence[Argument]], Any]
PIECE = 512  # records read at a time


_added = attrgetter("added")


class RedisListing:
    """See frontier.base.Listing. `parts`: for each partition `ask(name, arguments)`, which runs a script after all changes made so far.

    `mine(number, host)`: whether the URL waits, as far as this worker knows, and this worker rescores it; each URL has such a worker.
    """

    def __init__(
        self, parts: Sequence[Ask], where: str, mine: Callable[[int, str], bool] | None = None
    ) -> None:
        self._parts, self._where = list(parts), where
        self._mine = mine

    def row(self, url: str) -> Row | None:
        found = self._part(url)("row", [digest(url)])
        return row_of(found, self._where) if found else None

    def rows(self, state: State | None = None) -> Iterator[Row]:
        found = ((row for _, row in self._from(ask, 0, state)) for ask in self._parts)
        return merge(*found, key=_added) if len(self._parts) > 1 else next(found)

    def queued(self, after: str = "") -> Iterator[Link]:
        if len(self._parts) == 1:
            return (row.link for row in self._waiting(self._parts[0], after))
        last, here = self.row(after) if after else None, self._part(after)
        since = 0.0 if last is None else last.added
        found = (self._waiting(ask, after if ask is here else "") for ask in self._parts)
        return (row.link for row in merge(*found, key=_added) if row.added >= since)

    def best(self, count: int) -> list[Row]:
        if count <= 0:
            return []
        found = [row_of(raw, self._where) for ask in self._parts for raw in ask("best", [count])]
        return sorted(found, key=lambda row: -row.score)[:count]

    def counts(self) -> Mapping[State, int]:
        found = [counts_of(ask("counts", [])) for ask in self._parts]
        return {state: sum(counts[state] for counts in found) for state in State}

    def waiting_by_host(self) -> Mapping[str, int]:
        return Counter(row.link.host for row in self.rows(State.WAITING))

    def waiting_in(self, hosts: Container[str]) -> int:
        return sum(row.link.host in hosts for row in self.rows(State.WAITING))

    def _part(self, url: str) -> Ask:
        return self._parts[partition_of(host_of(url), len(self._parts))]

    def _waiting(self, ask: Ask, after: str) -> Iterator[Row]:
        entry = ask("look_up", ["", 0, 1, digest(after)])[0][0] if after else b""
        first = entry_of(entry)[1] + 1 if entry else 0
        for number, row in self._from(ask, first, State.WAITING):
            if self._mine is None or self._mine(number, row.link.host):
                yield row

    def _from(self, ask: Ask, first: int, state: State | None) -> Iterator[tuple[int, Row]]:
        wanted = None if state is None else CODES[state]
        place = str(first)
        while place:
            found, behind = ask("pieces", [place, PIECE])
            numbered = sorted(zip(map(int, found[::2]), found[1::2], strict=True))
            for number, raw in numbered:
                if wanted is None or raw[0] == wanted:
                    yield number, row_of(raw, self._where)
            place = behind.decode()


def counts_of(flat: Sequence[bytes]) -> dict[State, int]:
    """The number of URLs in each state, from a hash in the reply of a script."""
    counts = dict.fromkeys(State, 0)
    for code, count in zip(flat[::2], flat[1::2], strict=True):
        counts[STATES[int(code)]] = int(count)
    return counts


def share_of(host: str, place: int, live: int) -> bool:
    """Whether the worker in this place, 0 .. `live` - 1, has a host that nobody owns in its share."""
    return crc32(host.encode()) % max(1, live) == place % max(1, live)
