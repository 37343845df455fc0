"""What the frontier on disk holds, to be looked at: rows are read from the file, what must be quick from the columns."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

import numpy as np

from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.columns import WAITING, Columns
from topiccrawler.frontier.rows import STATES, Rows
from topiccrawler.model import Link


class SqliteListing:
    """See frontier.base.Listing. Reads what the frontier writes; `counts`: URLs by number of state."""

    def __init__(self, rows: Rows, columns: Columns, counts: Sequence[int]) -> None:
        self._rows, self._columns, self._counts = rows, columns, counts

    def row(self, url: str) -> Row | None:
        number = self._columns.urls.find(url)
        return None if number is None else self._rows.read(number)

    def rows(self, state: State | None = None) -> Iterator[Row]:
        return self._rows.listing(state)

    def queued(self, after: str = "") -> Iterator[Link]:
        last = self._columns.urls.find(after)
        for row in self._rows.listing(State.WAITING, -1 if last is None else last):
            number = self._columns.urls.find(row.link.url)  # read a while ago: it may have been leased since
            if number is not None and self._columns.states[number] == WAITING:
                yield row.link

    def best(self, count: int) -> list[Row]:
        scores, states = self._columns.scores, np.frombuffer(bytes(self._columns.states), dtype=np.uint8)
        numbers = np.flatnonzero(states == WAITING)
        order = np.argsort(-np.array(scores)[numbers], kind="stable")[:count]
        return [self._rows.read(number) for number in numbers[order].tolist()]

    def counts(self) -> Mapping[State, int]:
        return dict(zip(STATES, self._counts, strict=True))

    def waiting_by_host(self) -> Mapping[str, int]:
        states = np.frombuffer(bytes(self._columns.states), dtype=np.uint8)
        counts = np.bincount(np.array(self._columns.hosts, dtype=np.int64)[states == WAITING]).tolist()
        return {self._rows.hosts[host]: count for host, count in enumerate(counts) if count}

    def waiting_in(self, hosts: Container[str]) -> int:
        pairs, names = zip(self._columns.hosts, self._columns.states, strict=True), self._rows.hosts
        return sum(names[host] in hosts for host, state in pairs if state == WAITING)


class SqliteNotes:
    """See frontier.base.Notes. Kept in the transactions of the rows."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def put(self, name: str, text: str) -> None:
        self._rows.put_note(name, text)

    def get(self, name: str) -> str | None:
        return self._rows.note(name)

    def all(self, prefix: str = "") -> Mapping[str, str]:
        return self._rows.notes(prefix)
