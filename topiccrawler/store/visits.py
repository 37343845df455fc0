"""The crawl log: one JSON line for each URL that was fetched, in the order they ended.

Harvest curves, training and replay read it. A killed process may leave half a line at the end; readers pass it over. A log of more than
32 MB goes on in another file, and what was full is compressed (segments.py); readers see one log.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path

from topiccrawler.errors import StateError, file_faults
from topiccrawler.model import Visit
from topiccrawler.store import segments
from topiccrawler.store.segments import Segments

Place = tuple[int, int]  # of a line: the number of its segment, and the byte where it begins


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
                is_full = file.tell() >= segments.BYTES
            self._lines.clear()
            if is_full:
                Segments(self.path).rotate()

    def check(self) -> None:
        """StateError when an earlier run's log cannot be added to; half a line at its end is ended."""
        if self._checked:
            return
        with self._faults():
            Segments(self.path).finish()
            if self.path.exists():
                with self.path.open("rb+") as file:
                    if file.seek(0, os.SEEK_END):
                        file.seek(-1, os.SEEK_END)
                        if file.read() != b"\n":
                            file.write(b"\n")
        self._checked = True

    def _faults(self) -> AbstractContextManager[None]:
        fault, remedy = "the crawl log cannot be written", "make room or move it away"
        return file_faults(StateError, self.path, fault, remedy)


def _fields(visit: Visit) -> dict[str, object]:
    """All of a page; of a URL that failed what says how it ended and how it was met. A web of dead links has ten times more of them than
    pages, and what their scores were made of is in the queue."""
    whole = {name: getattr(visit, name) for name in _DEFAULTS}
    if visit.stored or 200 <= visit.status < 300:
        return whole
    return {name: value for name, value in whole.items() if name != "shares" and value != _DEFAULTS.get(name)}


def read_visits(path: Path) -> Iterator[Visit]:
    """The visits in a log, first to last; what is no whole line is passed over."""
    found = Segments(path)
    for number in count(1):
        file, is_full = found.open(number)
        with file:
            for line in file:
                if (visit := visit_of(line)) is not None:
                    yield visit
        if not is_full:
            return


def read_latest(path: Path, most: int) -> list[Visit]:
    """The last visits in a log, first to last: at most `most`, and fewer when their lines are longer than 1 kB."""
    log, found = Segments(path), list[Visit]()
    for number in range(log.count() + 1, 0, -1):
        with log.open(number)[0] as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LINE_BYTES * most - 1))
            if file.tell():
                file.readline()
            found = [visit for line in file if (visit := visit_of(line)) is not None] + found
        if len(found) >= most:
            break
    return found[-most:]


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
        self._segments = Segments(path)
        self._number, self._read = 1, 0  # the segment, and bytes of it
        self._file = (0, 0)  # device and inode of the file that was written to then

    def has_more(self) -> bool:
        """There are bytes behind what was read; begins anew when another log lies there, or a shorter one."""
        full = self._segments.count()
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return False
        file = found.st_dev, found.st_ino
        is_begun = self._number == full + 1 and self._read
        is_other = is_begun and (file != self._file or found.st_size < self._read)
        if is_other or self._number > full + 1:
            self._number, self._read = 1, 0
        return self._number <= full or found.st_size > self._read

    @property
    def share(self) -> float:
        """How much of the log is read, 0..1."""
        current = self._read / max(self._read, self.path.stat().st_size, 1)
        return (self._number - 1 + current) / max(self._number, self._segments.count() + 1)

    @property
    def begun(self) -> bool:
        """Something was read of the log that lies there."""
        return (self._number, self._read) > (1, 0)

    def visits(self) -> Iterator[tuple[Place, Visit]]:
        """What is new: where each line begins, and its visit. A line without its end is left for the next call."""
        while True:
            file, is_full = self._segments.open(self._number)
            with file:
                if not is_full:
                    found = os.fstat(file.fileno())
                    self._file = found.st_dev, found.st_ino
                file.seek(self._read)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    place = self._number, self._read
                    self._read += len(line)
                    if (visit := visit_of(line)) is not None:
                        yield place, visit
            if not is_full:
                return
            self._number, self._read = self._number + 1, 0

    def at(self, place: Place) -> Visit | None:
        """The visit whose line begins there."""
        number, begin = place
        with self._segments.open(number)[0] as file:
            file.seek(begin)
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
