"""What the frontier in memory holds, to be looked at: a record for every URL, in order of arrival, and named texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, fields
from heapq import nlargest
from itertools import islice

from topiccrawler.frontier.base import Row, State
from topiccrawler.model import Link


@dataclass(slots=True)
class Entry:
    """One URL; frontier.memory writes it."""

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


_ROW = [field.name for field in fields(Row)]


def row_of(entry: Entry) -> Row:
    """Its record."""
    return Row(*(getattr(entry, name) for name in _ROW))


class MemoryListing:
    """See frontier.base.Listing. Reads what the frontier writes."""

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


class MemoryNotes:
    """See frontier.base.Notes."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def put(self, name: str, text: str) -> None:
        self._texts[name] = text

    def get(self, name: str) -> str | None:
        return self._texts.get(name)

    def all(self, prefix: str = "") -> Mapping[str, str]:
        return {name: text for name, text in self._texts.items() if name.startswith(prefix)}
