"""Writes a frontier as JSON lines, and loads it from them.

The lines serve to inspect a frontier with other tools, to repair it, or to move a job. Each line is checked before it is queued. An error
names the first wrong line; the lines before it are queued, and loading the corrected file again adds the others.

    {"frontier": 1}                                                       first line: the version of the format
    {"note": NAME, "text": TEXT}                                          the state of strategy, budgets or harvest counter
    {"url": …, "host": …, "score": …, "state": …, "reason": …, …}         one URL, in order of arrival
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Frontier, Pushed, Row, State
from topiccrawler.model import Link, Score
from topiccrawler.urls.canonical import MAX_LENGTH_CHARACTERS, host_of


def notes_as_json(notes: Mapping[str, str], name: str) -> dict[str, object]:
    """Decode the note `name`, which is a JSON object; {} when it is missing or damaged."""
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
    """One URL: the fields of Link and Row."""

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
    tries: int = Field(default=0, ge=0, lt=2**8)


def dump(notes: Mapping[str, str], rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a frontier, without line ends. Half a surrogate pair becomes a question mark, as on disk."""
    yield json.dumps({"frontier": VERSION})
    for name, text in notes.items():
        yield _encodable(json.dumps({"note": name, "text": text}, ensure_ascii=False))
    for row in rows:
        yield _encodable(json.dumps(_plain(row), ensure_ascii=False, allow_nan=False))


def load(lines: Iterable[str], frontier: Frontier, name: str) -> tuple[int, int]:
    """Queue the URLs and notes of the lines; those that the frontier has already stay as they are. Leased URLs wait again.

    Returns how many URLs were added and how many were known. `name`: the file, for messages. StateError names the first wrong line.
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
    elif entry.changed != entry.added and frontier.lease(entry.added, target=(link, score)):
        frontier.release(entry.changed, [entry.url])
    for _ in range(entry.tries):
        frontier.count_try(entry.url)
    return pushed[Pushed.NEW] == 1


def _plain(row: Row) -> dict[str, object]:
    others = {field.name: getattr(row, field.name) for field in fields(row) if field.name != "link"}
    return {**row.link._asdict(), **others, "shares": row.shares.hex()}


def _encodable(line: str) -> str:
    return line.encode("utf-8", "replace").decode()


def _wrong(name: str, number: int, fault: str) -> StateError:
    return StateError(f"{name}, line {number}", fault, "give a file written by `scrapy frontier dump`")
