"""Writes and reads the crawl log: one JSON line for each URL that was fetched, in the order in which the fetches ended.

`VisitLog` appends to the log; harvest curves, training and replay read it. A killed process may leave half a line at the end, which readers
skip. The log is divided into segments of 32 MB, but readers see one log.

`Segments` compresses a full segment and begins another one. So the size of the file that is written is bounded, and a line in a full
segment takes at most some thirty bytes. `visits.jsonl` is the segment that is written. The full ones are `visits/00001.jsonl.zst`,
`visits/00002.jsonl.zst` …, each one Zstandard frame with a checksum; `zstd -dc visits/*.zst; cat visits.jsonl` prints the log. Rotation
renames the full segment (`visits/00001.jsonl`), begins the next, compresses the first and removes it. After a kill at any moment each line
is in one segment that readers see, and `finish` completes the rotation. Readers need no lock, because a segment has a permanent number and
is read by it.
Cost: 10 ms and 30 bytes per line for 7 MB of failed URLs (238 bytes per line), 9 ms to read them.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

from topiccrawler.errors import StateError, file_faults
from topiccrawler.files import whole_file
from topiccrawler.model import Visit
from topiccrawler.zstandard import compress, decompress

BYTES = 32_000_000  # size of a full segment: about 100 000 failed URLs, or 50 000 pages
MOST_BYTES = 64_000_000  # most bytes to decompress
_PACKED, _PLAIN = ".jsonl.zst", ".jsonl"
LEVEL = 1


class Segments:
    """The segments of the log at `path`; the full ones are in a folder with the same name without the suffix."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.with_suffix("")

    def count(self) -> int:
        """The number of full segments, which is the number of the last one. The segment that is written has the next number."""
        try:
            names = [file.name.partition(".")[0] for file in self.folder.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return 0
        return max((int(name) for name in names if name.isascii() and name.isdecimal()), default=0)

    def open(self, number: int) -> tuple[BinaryIO, bool]:
        """Open a segment, numbered from 1; returns its lines and whether it is full. A segment that was removed is empty.

        Raises StateError if it is damaged, FileNotFoundError if there is no log.
        """
        while True:
            if number <= self.count():
                return self._full(number), True
            try:
                file: BinaryIO = self.path.open("rb")
            except FileNotFoundError:
                if number == 1 and not self.count():
                    raise
                file = io.BytesIO()  # a rotation is between its first two steps
            if number > self.count():
                return file, False
            file.close()  # the segment was rotated since the first test

    def rotate(self) -> None:
        """Make the segment that is written a full one, and begin the next."""
        self.folder.mkdir(exist_ok=True)
        self.path.rename(self.folder / f"{self.count() + 1:05}{_PLAIN}")
        self.path.touch()
        self.finish()

    def finish(self) -> None:
        """Compress each full segment that is not compressed yet; begin the next one if a killed process has not done so."""
        if self.count() and not self.path.exists():
            self.path.touch()
        for half in self.folder.glob(f".*{_PACKED}.*"):  # left by a process that was killed
            half.unlink()
        for plain in sorted(self.folder.glob(f"*{_PLAIN}")):
            with whole_file(plain.with_suffix(_PACKED)) as out:
                out.write(compress(plain.read_bytes(), LEVEL))
                out.flush()
                os.fsync(out.fileno())
            plain.unlink()

    def _full(self, number: int) -> BinaryIO:
        packed, plain = (self.folder / f"{number:05}{suffix}" for suffix in (_PACKED, _PLAIN))
        for place in (packed, plain, packed):  # again, because it may be compressed meanwhile
            with suppress(FileNotFoundError):
                return (
                    place.open("rb") if place is plain else io.BytesIO(_unpacked(place.read_bytes(), place))
                )
        return io.BytesIO()


def _unpacked(body: bytes, place: Path) -> bytes:
    try:
        return decompress(body, MOST_BYTES)
    except ValueError as fault:
        remedy = "move it away: its part of the crawl log is lost"
        raise StateError(str(place), str(fault), remedy) from None


Place = tuple[int, int]  # position of a line: number of its segment, and byte offset


class VisitLog:
    """Appends visits to a crawl log, whose file is made with the first visit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: list[str] = []
        self._checked = False

    def append(self, visit: Visit) -> None:
        """Add a visit to those that the next `commit` writes."""
        self._lines.append(_as_json(_fields(visit)) + "\n")

    def commit(self) -> None:
        """Write the visits that were added since the last commit."""
        if not self._lines:
            return
        self.check()
        with self._faults():
            if not self.path.exists():
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8", errors="surrogatepass") as file:
                file.write("".join(self._lines))
                is_full = file.tell() >= BYTES
            self._lines.clear()
            if is_full:
                Segments(self.path).rotate()

    def check(self) -> None:
        """Raise StateError if an earlier run's log cannot be appended to. An incomplete last line gets a line end."""
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
    """The fields of a visit to write: all for a page; for a failed URL neither defaults nor the shares of its score.

    There may be ten times more dead links than pages, and the shares are also in the queue.
    """
    whole = {name: getattr(visit, name) for name in _DEFAULTS}
    if visit.stored or visit.is_page:
        return whole
    return {name: value for name, value in whole.items() if name != "shares" and value != _DEFAULTS.get(name)}


def has_log(path: Path) -> bool:
    """Whether there is a crawl log at `path`, also if a process was killed while it rotated the log."""
    return path.is_file() or Segments(path).count() > 0


def read_visits(path: Path) -> Iterator[Visit]:
    """The visits in a log, first to last; damaged or incomplete lines are skipped."""
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
    """The last visits in a log, first to last: at most `most`, or fewer if their lines are longer than 1 kB on average."""
    log, found = Segments(path), list[Visit]()
    for number in range(log.count() + 1, 0, -1):
        with log.open(number)[0] as file:
            begin = max(0, file.seek(0, os.SEEK_END) - _LINE_BYTES * most - 1)
            file.seek(begin)
            if begin:
                file.readline()
            found = [visit for line in file if (visit := visit_of(line)) is not None] + found
        if begin or len(found) >= most:  # those of an earlier segment would not join these
            break
    return found[-most:]


def visit_of(line: bytes) -> Visit | None:
    """The visit in a line; None if the line has no valid visit."""
    try:
        row = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or not row.keys() >= _NEEDED:
        return None
    if not all(isinstance(value, _KINDS.get(name, object)) for name, value in row.items()):
        return None
    return Visit(**(row if row.keys() <= _NAMES else {name: row[name] for name in _NAMES & row.keys()}))


class VisitTail:
    """Reads a growing log: each call of `visits` continues where the previous one ended."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._segments = Segments(path)
        self._number, self._read = 1, 0  # the present segment, and the number of its bytes that were read
        self._file = (0, 0)  # device and inode of the segment that was being written

    def has_more(self) -> bool:
        """Whether there are bytes that were not read yet. Starts from the beginning if another log, or a shorter one, is in its place."""
        full = self._segments.count()
        try:
            found = self.path.stat()
        except FileNotFoundError:  # no log, or a rotation is between its first two steps
            return self._number <= full
        file = found.st_dev, found.st_ino
        is_begun = self._number == full + 1 and self._read
        is_other = is_begun and (file != self._file or found.st_size < self._read)
        if is_other or self._number > full + 1:
            self._number, self._read = 1, 0
        return self._number <= full or found.st_size > self._read

    @property
    def share(self) -> float:
        """The share of the log that was read, 0..1."""
        size = 0
        with suppress(FileNotFoundError):  # a rotation is between its first two steps
            size = self.path.stat().st_size
        current = self._read / max(self._read, size, 1)
        return (self._number - 1 + current) / max(self._number, self._segments.count() + 1)

    @property
    def begun(self) -> bool:
        """Whether anything was read of the present log."""
        return (self._number, self._read) > (1, 0)

    def visits(self) -> Iterator[tuple[Place, Visit]]:
        """The new visits, each with the position of its line. An incomplete last line is left for the next call."""
        while True:
            file, is_full = self._segments.open(self._number)
            with file:
                if not is_full and not isinstance(file, io.BytesIO):
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
        """The visit whose line begins at a position; None if there is none."""
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
    **dict.fromkeys(("url", "source_url", "anchor", "gate", "etag", "modified", "challenge"), str),
    "status": int,
    "stored": bool,
    "shares": list,
}
