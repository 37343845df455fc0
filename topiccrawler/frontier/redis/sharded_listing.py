"""What several Redis servers hold of one crawl, as one listing."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from heapq import merge
from operator import attrgetter

from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.redis.listing import RedisListing
from topiccrawler.model import Link
from topiccrawler.urls.canonical import host_of

_added = attrgetter("added")


class ShardedListing:
    """See frontier.base.Listing. `number(host)`: of the server that has it."""

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
