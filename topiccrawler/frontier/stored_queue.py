"""Reads the queue of a job: in its database, while a crawl may be writing to it, or by the same interface on a server.

No frontier is loaded: SQL counts the URLs, and only the rows asked for are read, so millions of URLs take a second. What is read is as of
the last page that has ended.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Notes, Row, State
from topiccrawler.frontier.rows import CODES, STATES, Rows
from topiccrawler.frontier.sqlite import SqliteNotes
from topiccrawler.frontier.url_index import digest
from topiccrawler.job_database import JobDatabase, is_begun
from topiccrawler.model import Link

_STATES = "SELECT state, count(*) FROM urls GROUP BY state"
_HOSTS = "SELECT name, state, count(*) FROM urls JOIN hosts ON hosts.id = host GROUP BY host, state"
_REASONS = "SELECT reason, count(*) FROM urls WHERE state = ? GROUP BY reason ORDER BY count(*) DESC, reason"
_EXAMPLES = "SELECT url FROM urls JOIN links USING (number) WHERE state = ? AND reason = ? LIMIT ?"
_ENDED = """SELECT links.url, anchor, coalesce(sources.url, ''), score, changed
    FROM urls JOIN links USING (number) LEFT JOIN sources ON sources.id = source
    WHERE state = ? AND (reason = ? OR substr(reason, 1, length(?)) = ? OR substr(reason, 1, length(?)) = ?) ORDER BY urls.number LIMIT ? OFFSET ?"""
_TOP = """SELECT urls.number, coalesce(raised_by, 0) FROM urls
    LEFT JOIN (SELECT number AS raised, score AS raised_score, max(id) AS raised_by FROM raises GROUP BY number) ON raised = number
    WHERE state = 0 ORDER BY coalesce(raised_score, score) DESC, number LIMIT ?"""
_ANY = "SELECT 1 FROM urls LIMIT 1"
_NOTES = "SELECT name, text FROM notes WHERE instr(name, '/') = 0"  # the others are of single hosts, and many


@dataclass(slots=True)
class Overview:
    """The counts of a queue, and the waiting rows with the best scores."""

    states: dict[str, int]
    hosts: dict[str, dict[str, int]]  # host -> state -> URLs; those with most waiting first
    failures: dict[str, int]  # reason -> URLs in state error
    discards: dict[str, int]  # reason -> URLs in state discarded
    top: list[Row]
    notes: Mapping[str, str] = field(default_factory=dict)  # those of the whole crawl


@dataclass(frozen=True, slots=True)
class Outcome:
    """The URLs that failed, or were discarded, for one reason."""

    state: str  # error | discarded
    reason: str
    count: int
    examples: tuple[str, ...]  # URLs


@dataclass(frozen=True, slots=True)
class Ended:
    """One URL that failed or was discarded."""

    url: str
    anchor: str
    source_url: str
    score: float
    changed: float  # seconds since the epoch


class Lookup(Protocol):
    """The part of a frontier.base.Listing by which single URLs are explained."""

    def row(self, url: str) -> Row | None: ...

    def queued(self, after: str = "") -> Iterator[Link]: ...


class QueueView(Protocol):
    """The queue of a crawl, running or ended, opened for reading without taking part in the crawl."""

    @property
    def notes(self) -> Notes: ...

    def look(self) -> Lookup:
        """Look-ups of single URLs."""

    def overview(self, top: int = 10) -> Overview:
        """Counts of URLs, and the next `top` of them."""

    def close(self) -> None:
        """Close the file or the connection."""


class StoredQueue:
    """The queue in a job's database. `path`: the database. StateError when it has no queue; no file is created. All that one object reads is
    of one moment."""

    def __init__(self, path: Path) -> None:
        if not is_made(path):
            remedy = "name the folder of a job (its JOBDIR) whose crawl has begun"
            raise StateError(str(path), "there is no queue", remedy)
        self._database = JobDatabase(path, read_only=True)
        self._rows = Rows(self._database)
        self.notes: Notes = SqliteNotes(self._rows)
        self._found: dict[str, Row | None] = {}

    def look(self) -> Self:
        return self

    def row(self, url: str) -> Row | None:
        """The record of a URL, or None if it is unknown; read once and remembered."""
        if url not in self._found:
            number = self._rows.find(digest(url))
            self._found[url] = None if number is None else self._rows.read(number)
        return self._found[url]

    def rows(self, state: State | None = None) -> Iterator[Row]:
        """Yield the records in order of arrival; only those in `state`, if one is named."""
        deque(self._rows.load_raises(), maxlen=0)  # a raised URL has the link text of its best score
        return self._rows.listing(state)

    def queued(self, after: str = "") -> Iterator[Link]:
        """Yield the waiting links in order of arrival; only those after the URL `after`, if that is known."""
        deque(self._rows.load_raises(), maxlen=0)
        last = self._rows.find(digest(after)) if after else None
        return (row.link for row in self._rows.listing(State.WAITING, -1 if last is None else last))

    def overview(self, top: int = 10) -> Overview:
        read = self._database.read
        states = dict.fromkeys((state.value for state in STATES), 0)
        for code, count in read(_STATES):
            states[STATES[code].value] = count
        hosts: dict[str, dict[str, int]] = {}
        for name, code, count in read(_HOSTS):
            hosts.setdefault(name, {})[STATES[code].value] = count
        failures, discards = (
            dict(read(_REASONS, (CODES[state],))) for state in (State.ERROR, State.DISCARDED)
        )
        by_waiting = sorted(hosts, key=lambda host: (-hosts[host].get("waiting", 0), host))
        best = [self._rows.read(number, raised) for number, raised in read(_TOP, (top,))]
        of_hosts = {host: hosts[host] for host in by_waiting}
        return Overview(states, of_hosts, failures, discards, best, dict(read(_NOTES)))

    def outcomes(self, examples: int) -> list[Outcome]:
        """The failed and the discarded URLs by reason, the most frequent first, each with some examples."""
        read = self._database.read
        return [
            Outcome(
                state.value,
                reason,
                count,
                tuple(url for (url,) in read(_EXAMPLES, (CODES[state], reason, examples))),
            )
            for state in (State.ERROR, State.DISCARDED)
            for reason, count in read(_REASONS, (CODES[state],))
        ]

    def ended(self, state: State, reason: str, limit: int = -1, skip: int = 0) -> Iterator[Ended]:
        """Yield the URLs that ended in this state for this reason, in order of arrival. A reason that continues with a colon or a URL
        matches too. `limit`: -1 = all."""
        more, url = f"{reason}: ", f"{reason} http"
        found = (CODES[state], reason, more, more, url, url, limit, skip)
        return (Ended(*row) for row in self._database.read(_ENDED, found))

    def close(self) -> None:
        self._database.close()


def is_made(path: Path) -> bool:
    """Whether a database has a queue, or cannot be read."""
    if not is_begun(path):
        return False
    try:
        with closing(JobDatabase(path, read_only=True)) as database:
            return bool(database.read(_ANY))
    except StateError:
        return True  # what opens it next reports the fault
