"""Reads the state of a frontier on disk, while a crawl may be writing to it.

No frontier is loaded: SQL counts the URLs, and only the rows asked for are read, so millions of URLs take a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.rows import STATES, Rows, SqliteFaults, open_to_read
from topiccrawler.frontier.sqlite import SqliteNotes
from topiccrawler.frontier.url_index import digest
from topiccrawler.model import Link

_STATES = "SELECT state, count(*) FROM urls GROUP BY state"
_HOSTS = "SELECT name, state, count(*) FROM urls JOIN hosts ON hosts.id = host GROUP BY host, state"
_REASONS = "SELECT reason, count(*) FROM urls WHERE state = ? GROUP BY reason ORDER BY count(*) DESC, reason"
_EXAMPLES = "SELECT url FROM urls JOIN links USING (number) WHERE state = ? AND reason = ? LIMIT ?"
_ENDED = """SELECT links.url, anchor, coalesce(sources.url, ''), score, changed
    FROM urls JOIN links USING (number) LEFT JOIN sources ON sources.id = source
    WHERE state = ? AND (reason = ? OR substr(reason, 1, length(?)) = ? OR substr(reason, 1, length(?)) = ?) ORDER BY urls.number LIMIT ? OFFSET ?"""
_TOP = """SELECT urls.number FROM urls
    LEFT JOIN (SELECT number AS raised, score AS raised_score, max(id) FROM raises GROUP BY number) ON raised = number
    WHERE state = 0 ORDER BY coalesce(raised_score, score) DESC, number LIMIT ?"""

_NOTES = "SELECT name, text FROM notes WHERE instr(name, '/') = 0"  # the others are of single hosts, and many


@dataclass(slots=True)
class Overview:
    """The counts of a frontier, and the waiting rows with the best scores."""

    states: dict[str, int]
    hosts: dict[str, dict[str, int]]  # host -> state -> URLs; those with most waiting first
    failures: dict[str, int]  # reason -> URLs in state error
    discards: dict[str, int]  # reason -> URLs in state discarded
    top: list[Row]
    notes: Mapping[str, str] = field(default_factory=dict)  # those of the whole crawl


def overview(path: Path, top: int = 10) -> Overview:
    """Read the counts and the `top` best rows of a frontier. StateError when there is none or it cannot be read."""
    require(path)
    with SqliteFaults(path), closing(open_to_read(path)) as database:
        states = dict.fromkeys((state.value for state in STATES), 0)
        for code, count in database.execute(_STATES):
            states[STATES[code].value] = count
        hosts: dict[str, dict[str, int]] = {}
        for name, code, count in database.execute(_HOSTS):
            hosts.setdefault(name, {})[STATES[code].value] = count
        failures = dict(database.execute(_REASONS, (STATES.index(State.ERROR),)).fetchall())
        discards = dict(database.execute(_REASONS, (STATES.index(State.DISCARDED),)).fetchall())
        numbers = [number for (number,) in database.execute(_TOP, (top,))]
        notes = dict(database.execute(_NOTES).fetchall())
    by_waiting = sorted(hosts, key=lambda host: (-hosts[host].get("waiting", 0), host))
    with reading(path) as rows:
        in_order, first = (
            {host: hosts[host] for host in by_waiting},
            [rows.read(number) for number in numbers],
        )
        return Overview(states, in_order, failures, discards, first, notes)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The URLs that failed, or were discarded, for one reason."""

    state: str  # error | discarded
    reason: str
    count: int
    examples: tuple[str, ...]  # URLs


def outcomes(path: Path, examples: int) -> list[Outcome]:
    """The failed and the discarded URLs by reason, the most frequent first, each with some examples. StateError as for `overview`."""
    require(path)
    found = []
    with SqliteFaults(path), closing(open_to_read(path)) as database:
        for state in (State.ERROR, State.DISCARDED):
            code = STATES.index(state)
            for reason, count in database.execute(_REASONS, (code,)).fetchall():
                urls = database.execute(_EXAMPLES, (code, reason, examples))
                found.append(Outcome(state.value, reason, count, tuple(url for (url,) in urls)))
    return found


@dataclass(frozen=True, slots=True)
class Ended:
    """One URL that failed or was discarded."""

    url: str
    anchor: str
    source_url: str
    score: float
    changed: float  # seconds since the epoch


def ended(path: Path, state: State, reason: str, limit: int = -1, skip: int = 0) -> Iterator[Ended]:
    """Yield the URLs that ended in this state for this reason, in order of arrival. A reason that continues with a colon or a URL
    matches too. `limit`: -1 = all. StateError as for `overview`.
    """
    require(path)
    more, url = f"{reason}: ", f"{reason} http"
    with SqliteFaults(path), closing(open_to_read(path)) as database:
        found = database.execute(_ENDED, (STATES.index(state), reason, more, more, url, url, limit, skip))
        for row in found:
            yield Ended(*row)


@contextmanager
def reading(path: Path) -> Iterator[Rows]:
    """Open the rows of a frontier on disk for reading."""
    require(path)
    rows = Rows(path, read_only=True)
    try:
        deque(rows.load_raises(), maxlen=0)  # Rows remembers the raises it has read
        yield rows
    finally:
        rows.close()


class QueueLookup:
    """Reads single URLs and the notes of a frontier on disk, beside a crawl that may be writing to it. Nothing is loaded."""

    def __init__(self, path: Path) -> None:
        require(path)
        self._rows = Rows(path, read_only=True)
        self.notes = SqliteNotes(self._rows)
        self._found: dict[str, Row | None] = {}

    def look(self) -> Self:
        """The object itself, which has the part of a FrontierView that its callers need."""
        return self

    def row(self, url: str) -> Row | None:
        """The record of a URL, or None if it is unknown; read once and remembered."""
        if url not in self._found:
            number = self._rows.find(digest(url))
            self._found[url] = None if number is None else self._rows.read(number)
        return self._found[url]

    def queued(self, after: str = "") -> Iterator[Link]:
        """Yield the waiting links in order of arrival; only those after the URL `after`, if that is known."""
        deque(self._rows.load_raises(), maxlen=0)  # a raised URL has the link text of its best score
        last = self._rows.find(digest(after)) if after else None
        return (row.link for row in self._rows.listing(State.WAITING, -1 if last is None else last))

    def close(self) -> None:
        """Close the file."""
        self._rows.close()


def is_made(path: Path) -> bool:
    """True when there is a frontier. The file of a crawl that is just beginning is empty until its tables are committed."""
    return path.is_file() and path.stat().st_size > 0


def require(path: Path) -> None:
    """StateError when there is no frontier, so that reading never creates a file."""
    if not is_made(path):
        remedy = "name the JOBDIR of a crawl that was run with -s JOBDIR=…"
        raise StateError(str(path), "there is no frontier", remedy)
