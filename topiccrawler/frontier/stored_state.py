"""Reads the queue in a job's database, while a crawl may be writing to it.

No frontier is loaded: SQL counts the URLs, and only the rows asked for are read, so millions of URLs take a second. A crawl without a
JOBDIR has its queue in memory, and its database has no URL.
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
_TOP = """SELECT urls.number FROM urls
    LEFT JOIN (SELECT number AS raised, score AS raised_score, max(id) FROM raises GROUP BY number) ON raised = number
    WHERE state = 0 ORDER BY coalesce(raised_score, score) DESC, number LIMIT ?"""

_ANY = "SELECT 1 FROM urls LIMIT 1"
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
    """Read the counts and the `top` best rows of a queue. StateError when there is none or it cannot be read. `path`: the database."""
    with reading(path) as rows:
        read = rows.database.read
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
        return Overview(
            states,
            {host: hosts[host] for host in by_waiting},
            failures,
            discards,
            [rows.read(number) for (number,) in read(_TOP, (top,))],
            dict(read(_NOTES)),
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The URLs that failed, or were discarded, for one reason."""

    state: str  # error | discarded
    reason: str
    count: int
    examples: tuple[str, ...]  # URLs


def outcomes(path: Path, examples: int) -> list[Outcome]:
    """The failed and the discarded URLs by reason, the most frequent first, each with some examples. StateError as for `overview`."""
    with reading(path) as rows:
        read = rows.database.read
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
    more, url = f"{reason}: ", f"{reason} http"
    with reading(path) as rows:
        found = (CODES[state], reason, more, more, url, url, limit, skip)
        yield from (Ended(*row) for row in rows.database.read(_ENDED, found))


@contextmanager
def reading(path: Path) -> Iterator[Rows]:
    """Open the rows of a queue on disk for reading. StateError when there is none."""
    with closing(_opened(path)) as database:
        rows = Rows(database)
        deque(rows.load_raises(), maxlen=0)  # Rows remembers the raises it has read
        yield rows


class QueueLookup:
    """Reads single URLs and the notes of a frontier on disk, beside a crawl that may be writing to it. Nothing is loaded."""

    def __init__(self, path: Path) -> None:
        self._rows = Rows(_opened(path))
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
        self._rows.database.close()


def is_made(path: Path) -> bool:
    """Whether a database has a queue, or cannot be read."""
    if not is_begun(path):
        return False
    try:
        with closing(JobDatabase(path, read_only=True)) as database:
            return bool(database.read(_ANY))
    except StateError:
        return True  # what opens it next reports the fault


def _opened(path: Path) -> JobDatabase:
    """The database, opened for reading. StateError when it has no queue, so that reading never creates a file."""
    if is_begun(path):
        database = JobDatabase(path, read_only=True)
        if database.read(_ANY):
            return database
        database.close()
    raise StateError(
        str(path), "there is no queue", "name the JOBDIR of a crawl that was run with -s JOBDIR=…"
    )
