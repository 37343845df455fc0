"""A frontier read from outside: as JSON lines and back, and the state of one on disk while a crawl may be writing to it.

The lines are there to inspect a frontier with other tools, to repair it, or to move a job. Each is checked before it is queued. An error names
the first wrong line; the lines before it are queued, and loading the corrected file again adds the others.

    {"frontier": 1}                                                       first line: the format's version
    {"note": NAME, "text": TEXT}                                          what strategy, budgets and harvest counter keep
    {"url": …, "host": …, "score": …, "state": …, "reason": …, …}         one URL, in order of arrival

The state is read without loading anything: SQL counts, and only the rows asked for are read, so millions of URLs take a second.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Frontier, Pushed, Row, State
from topiccrawler.frontier.rows import STATES, Rows, SqliteFaults, open_to_read
from topiccrawler.frontier.sqlite import SqliteNotes
from topiccrawler.frontier.url_index import digest
from topiccrawler.model import Link, Score
from topiccrawler.urls.canonical import MAX_LENGTH_CHARACTERS, host_of

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


@dataclass(slots=True)
class Overview:
    """Counts, and the rows that come next by score."""

    states: dict[str, int]
    hosts: dict[str, dict[str, int]]  # host -> state -> URLs; those with most waiting first
    failures: dict[str, int]  # reason -> URLs in state error
    discards: dict[str, int]  # reason -> URLs in state discarded
    top: list[Row]
    notes: Mapping[str, str] = field(default_factory=dict)


def overview(path: Path, top: int = 10) -> Overview:
    """Read it. StateError when there is no frontier or it cannot be read."""
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
    by_waiting = sorted(hosts, key=lambda host: (-hosts[host].get("waiting", 0), host))
    with reading(path) as rows:
        in_order, first = (
            {host: hosts[host] for host in by_waiting},
            [rows.read(number) for number in numbers],
        )
        return Overview(states, in_order, failures, discards, first, rows.notes())


@dataclass(frozen=True, slots=True)
class Outcome:
    """URLs that ended in one way."""

    state: str  # error | discarded
    reason: str
    count: int
    examples: tuple[str, ...]  # URLs


def outcomes(path: Path, examples: int) -> list[Outcome]:
    """What failed and what was discarded, by reason, the most frequent first. StateError as for `overview`."""
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
    """Such URLs in order of arrival, lazily; of a reason also those that say more of it, behind a colon or by a URL. StateError as for `overview`."""
    require(path)
    more, url = f"{reason}: ", f"{reason} http"
    with SqliteFaults(path), closing(open_to_read(path)) as database:
        found = database.execute(_ENDED, (STATES.index(state), reason, more, more, url, url, limit, skip))
        for row in found:
            yield Ended(*row)


@contextmanager
def reading(path: Path) -> Iterator[Rows]:
    """The rows of a frontier on disk, to be read only."""
    require(path)
    rows = Rows(path, read_only=True)
    try:
        deque(rows.load_raises(), maxlen=0)  # it remembers them
        yield rows
    finally:
        rows.close()


class QueueLookup:
    """Single URLs of a frontier on disk, beside a crawl that may be writing to it, and its notes. Nothing is loaded."""

    def __init__(self, path: Path) -> None:
        require(path)
        self._rows = Rows(path, read_only=True)
        self.notes = SqliteNotes(self._rows)
        self._found: dict[str, Row | None] = {}

    def look(self) -> Self:
        """As a frontier's view of itself."""
        return self

    def row(self, url: str) -> Row | None:
        """One URL's record."""
        if url not in self._found:
            number = self._rows.find(digest(url))
            self._found[url] = None if number is None else self._rows.read(number)
        return self._found[url]

    def queued(self, after: str = "") -> Iterator[Link]:
        """The waiting links behind the URL `after`, lazily."""
        last = self._rows.find(digest(after)) if after else None
        return (row.link for row in self._rows.listing(State.WAITING, -1 if last is None else last))

    def close(self) -> None:
        """Let go of the file."""
        self._rows.close()


def is_made(path: Path) -> bool:
    """There is a frontier. A crawl that is just beginning has an empty file until the tables are in it."""
    return path.is_file() and path.stat().st_size > 0


def require(path: Path) -> None:
    """StateError when there is none; reading makes no file."""
    if not is_made(path):
        remedy = "name the JOBDIR of a crawl that was run with -s JOBDIR=…"
        raise StateError(str(path), "there is no frontier", remedy)


def notes_as_json(notes: Mapping[str, str], name: str) -> dict[str, object]:
    """A note that is a JSON object; {} when it is missing or damaged."""
    try:
        kept = json.loads(notes.get(name, "{}"))
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}


VERSION = 1
_ROWS_PER_COMMIT = 10_000
_FINAL = {State.ERROR, State.DISCARDED, State.COMPLETED}
Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    frontier: Literal[1]


class _Note(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    note: str
    text: str


class _Line(BaseModel):
    """The fields of Link and Row."""

    model_config = ConfigDict(extra="forbid")
    url: str = Field(pattern="^https?://", max_length=MAX_LENGTH_CHARACTERS)
    host: str = Field(min_length=1)
    anchor: str = ""
    before: str = ""
    after: str = ""
    title: str = ""
    heading: str = ""
    region: str = ""
    path: str = ""
    kind: str = ""
    position: int = Field(default=0, ge=0, lt=2**31)
    depth: int = Field(default=0, ge=-1, lt=2**31)
    source_url: str = ""
    nofollow: bool = False
    score: Finite
    shares: str = Field(default="", pattern="^([0-9a-f]{2})*$")  # as hexadecimal digits
    carry: Finite = 0.0
    tunnel: int = Field(default=0, ge=0, lt=2**31)
    state: State = State.WAITING
    reason: str = ""
    added: Finite = 0.0
    changed: Finite = 0.0


def dump(notes: Mapping[str, str], rows: Iterable[Row]) -> Iterator[str]:
    """The lines, without their ends."""
    yield json.dumps({"frontier": VERSION})
    for name, text in notes.items():
        yield json.dumps({"note": name, "text": text}, ensure_ascii=False)
    for row in rows:
        yield json.dumps(_plain(row), ensure_ascii=False, allow_nan=False)


def load(lines: Iterable[str], frontier: Frontier, name: str) -> tuple[int, int]:
    """Queue what the lines say; URLs and notes the frontier has already stay as they are. What was under way waits.

    Returns how many URLs were added and how many were known. StateError names the first line that is wrong.
    """
    added = known = number = 0
    for number, line in enumerate(lines, start=1):
        entry = _read(line, number, name)
        if isinstance(entry, _Note):
            if frontier.notes.get(entry.note) is None:
                frontier.notes.put(entry.note, entry.text)
        elif isinstance(entry, _Line):
            if _queue(entry, frontier):
                added += 1
            else:
                known += 1
            if (added + known) % _ROWS_PER_COMMIT == 0:
                frontier.commit()
    if not number:
        raise _wrong(name, 1, "there is nothing")
    frontier.commit()
    return added, known


def _read(line: str, number: int, name: str) -> _Head | _Note | _Line:
    kind: type[_Head | _Note | _Line] = _Head
    if number > 1:
        kind = _Note if line.startswith('{"note"') else _Line
    try:
        entry = kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        raise _wrong(name, number, f"{where}: {first['msg']}") from None
    if isinstance(entry, _Line) and host_of(entry.url) != entry.host:
        raise _wrong(name, number, f"host: {entry.host!r} is not the host of {entry.url}")
    return entry


def _queue(entry: _Line, frontier: Frontier) -> bool:
    link = Link(*(getattr(entry, name) for name in Link._fields))
    score = Score(entry.url, entry.score, entry.carry, bytes.fromhex(entry.shares))
    if frontier.look().row(entry.url) is not None:
        return False
    pushed = frontier.push([(link, score)], now=entry.added, tunnel=entry.tunnel)
    if entry.state in _FINAL and frontier.lease(entry.added, target=(link, score)):
        frontier.end(entry.url, entry.state, entry.reason, entry.changed)
    return pushed[Pushed.NEW] == 1


def _plain(row: Row) -> dict[str, object]:
    others = {field.name: getattr(row, field.name) for field in fields(row) if field.name != "link"}
    return {**row.link._asdict(), **others, "shares": row.shares.hex()}


def _wrong(name: str, number: int, fault: str) -> StateError:
    return StateError(f"{name}, line {number}", fault, "give a file written by `scrapy frontier dump`")
