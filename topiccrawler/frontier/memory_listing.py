"""What the frontier in memory holds, to be looked at: a record for every URL, in order of arrival, and named texts."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import islice

from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.seen_anchors import anchor_bit
from topiccrawler.model import Link


class Entry:
    """One URL; frontier.memory writes it."""

    __slots__ = (
        "added",
        "carry",
        "changed",
        "link",
        "number",
        "reason",
        "score",
        "seen_anchors",
        "shares",
        "state",
        "tunnel",
    )

    def __init__(self, number: int, link: Link, now: float) -> None:
        self.number = number  # in order of arrival
        self.link = link
        self.seen_anchors = anchor_bit(link.anchor)
        self.score = self.carry = 0.0
        self.shares = b""
        self.tunnel = 0
        self.state = State.WAITING
        self.reason = ""
        self.added = self.changed = now


class MemoryListing:
    """See frontier.base.Listing. Reads what the frontier writes."""

    def __init__(self, entries: list[Entry], by_url: dict[str, Entry], counts: dict[State, int]) -> None:
        self._entries, self._by_url, self._counts = entries, by_url, counts

    def row(self, url: str) -> Row | None:
        entry = self._by_url.get(url)
        return None if entry is None else _row(entry)

    def rows(self, state: State | None = None) -> Iterator[Row]:
        return (_row(entry) for entry in self._entries if state is None or entry.state is state)

    def queued(self, after: str = "") -> Iterator[Link]:
        last = self._by_url.get(after)
        later = islice(self._entries, 0 if last is None else last.number + 1, None)
        return (entry.link for entry in later if entry.state is State.WAITING)

    def counts(self) -> Mapping[State, int]:
        return dict(self._counts)

    def waiting_in(self, hosts: Container[str]) -> int:
        return sum(entry.state is State.WAITING and entry.link.host in hosts for entry in self._entries)


def _row(entry: Entry) -> Row:
    return Row(
        entry.link,
        entry.score,
        entry.shares,
        entry.carry,
        entry.tunnel,
        entry.state,
        entry.reason,
        entry.added,
        entry.changed,
    )


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
