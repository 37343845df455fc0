"""The crawl log: one JSON line for each URL that was fetched, in the order they ended.

Harvest curves, training and replay read it. A killed process may leave half a line at the end; readers pass it over.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from topiccrawler.errors import StateError, file_faults
from topiccrawler.model import Visit


class VisitLog:
    """Appends visits to a file, which is opened at the first one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: list[str] = []
        self._checked = False

    def append(self, visit: Visit) -> None:
        """Add a visit; `commit` writes it."""
        self._lines.append(_as_json(_fields(visit)) + "\n")

    def commit(self) -> None:
        """Write what was added since the last commit."""
        if not self._lines:
            return
        self.check()
        with self._faults():
            if not self.path.exists():
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8", errors="surrogatepass") as file:
                file.write("".join(self._lines))
        self._lines.clear()

    def check(self) -> None:
        """StateError when an earlier run's log cannot be added to; half a line at its end is ended."""
        if self._checked:
            return
        with self._faults():
            if self.path.exists():
                with self.path.open("rb+") as file:
                    if file.seek(0, os.SEEK_END):
                        file.seek(-1, os.SEEK_END)
                        if file.read() != b"\n":
                            file.write(b"\n")
        self._checked = True

    def _faults(self) -> AbstractContextManager[None]:
        return file_faults(
            StateError, self.path, "the crawl log cannot be written", "make room or move it away"
        )


def _fields(visit: Visit) -> dict[str, object]:
    """All of a page; of a URL that failed what says how it ended and how it was met. A web of dead links has ten times more of them than
    pages, and what their scores were made of is in the queue."""
    whole = {name: getattr(visit, name) for name in _DEFAULTS}
    if visit.stored or 200 <= visit.status < 300:
        return whole
    return {name: value for name, value in whole.items() if name != "shares" and value != _DEFAULTS.get(name)}


def read_visits(path: Path) -> Iterator[Visit]:
    """The visits in a log, first to last; what is no whole line is passed over."""
    with path.open("rb") as file:
        for line in file:
            if (visit := visit_of(line)) is not None:
                yield visit


def read_latest(path: Path, count: int) -> list[Visit]:
    """The last visits in a log, first to last: at most `count`, and fewer when their lines are longer than 1 kB."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _LINE_BYTES * count - 1))
        if file.tell():
            file.readline()
        found = [visit for line in file if (visit := visit_of(line)) is not None]
    return found[-count:]


def visit_of(line: bytes) -> Visit | None:
    """The visit of a line; None for what is none."""
    try:
        row = json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    if not isinstance(row, dict) or not row.keys() >= _NEEDED:
        return None
    if not all(isinstance(value, _KINDS.get(name, object)) for name, value in row.items()):
        return None
    return Visit(**(row if row.keys() <= _NAMES else {name: row[name] for name in _NAMES & row.keys()}))


class VisitTail:
    """Reads a log that grows: each call goes on where the one before ended."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read, self._file = 0, (0, 0)  # bytes; device and inode

    def unread(self) -> int:
        """Bytes behind what was read; begins anew when another file lies there, or a shorter one."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return 0
        if (found.st_dev, found.st_ino) != self._file or found.st_size < self._read:
            self._read, self._file = 0, (found.st_dev, found.st_ino)
        return found.st_size - self._read

    @property
    def share(self) -> float:
        """How much of the file is read, 0..1."""
        return self._read / max(self._read, self.path.stat().st_size, 1)

    @property
    def begun(self) -> bool:
        """Something was read of the file that lies there."""
        return self._read > 0

    def visits(self) -> Iterator[tuple[int, Visit]]:
        """What is new: the byte where each line begins, and its visit. A line without its end is left for the next call."""
        with self.path.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                place = self._read
                self._read += len(line)
                if (visit := visit_of(line)) is not None:
                    yield place, visit

    def at(self, place: int) -> Visit | None:
        """The visit whose line begins at this byte."""
        with self.path.open("rb") as file:
            file.seek(place)
            return visit_of(file.readline())


_LINE_BYTES = 1000
_as_json = json.JSONEncoder(ensure_ascii=False).encode
_DEFAULTS = {field.name: field.default for field in dataclasses.fields(Visit)}
_NAMES = {*_DEFAULTS}
_NEEDED = {field.name for field in dataclasses.fields(Visit) if field.default is dataclasses.MISSING}
_KINDS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("score", "relevance", "time"), (int, float)),
    **dict.fromkeys(("url", "source_url", "anchor", "gate", "etag", "modified"), str),
    "status": int,
    "stored": bool,
    "shares": list,
}
