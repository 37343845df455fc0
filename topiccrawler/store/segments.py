"""The segments of a log: a full one is compressed and another one begun, so the file that is written has a bound, and the lines behind it
at most some thirty bytes each.

`visits.jsonl` is the segment that is written. The full ones are `visits/00001.jsonl.zst`, `visits/00002.jsonl.zst` …, each one Zstandard frame
with a checksum; `zstd -dc visits/*.zst; cat visits.jsonl` prints the log. Rotation renames the full segment (`visits/00001.jsonl`), begins the
next, compresses the first and removes it. After a kill at any moment each line is in one segment that readers see, and `finish` does what was
left. Readers need no lock: a segment keeps its number, and each is read by its number.
Cost: 10 ms and 30 bytes a line for 7 MB of failed URLs (238 bytes a line), 9 ms to read them.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import BinaryIO

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd  # Scrapy brings it

from topiccrawler.errors import StateError
from topiccrawler.files import whole_file

BYTES = 32_000_000  # of a full segment, about: 100 000 URLs that failed, 50 000 pages
MOST_BYTES = 64_000_000  # that are unpacked; more is no segment of ours
_PACKED, _PLAIN = ".jsonl.zst", ".jsonl"
_FRAME: dict[int, int] = {
    zstd.CompressionParameter.compression_level: 1,
    zstd.CompressionParameter.checksum_flag: 1,
}


class Segments:
    """Of the log at `path`; the full ones are in a folder beside it that has its name without the suffix."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.with_suffix("")

    def count(self) -> int:
        """How many are full: the number of the last one. The one that is written has the next number."""
        try:
            names = [file.name.partition(".")[0] for file in self.folder.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return 0
        return max((int(name) for name in names if name.isascii() and name.isdecimal()), default=0)

    def open(self, number: int) -> tuple[BinaryIO, bool]:
        """The lines of a segment, numbered from 1, and whether it is full. One that somebody has moved away has none. StateError for a
        damaged one, FileNotFoundError when there is none to write."""
        while True:
            if number <= self.count():
                return self._full(number), True
            try:
                file: BinaryIO = self.path.open("rb")
            except FileNotFoundError:
                if number == 1 and not self.count():
                    raise
                file = io.BytesIO()  # between the two steps of a rotation
            if number > self.count():
                return file, False
            file.close()  # it was rotated meanwhile

    def rotate(self) -> None:
        """What is written now is full."""
        self.folder.mkdir(exist_ok=True)
        self.path.rename(self.folder / f"{self.count() + 1:05}{_PLAIN}")
        self.path.touch()
        self.finish()

    def finish(self) -> None:
        """Compress each full segment that is not yet; begin the next one where a killed process did not."""
        if self.count() and not self.path.exists():
            self.path.touch()
        for half in self.folder.glob(f".*{_PACKED}.*"):  # of a process that was killed
            half.unlink()
        for plain in sorted(self.folder.glob(f"*{_PLAIN}")):
            with whole_file(plain.with_suffix(_PACKED)) as out:
                out.write(zstd.compress(plain.read_bytes(), options=_FRAME))
                out.flush()
                os.fsync(out.fileno())
            plain.unlink()

    def _full(self, number: int) -> BinaryIO:
        packed, plain = (self.folder / f"{number:05}{suffix}" for suffix in (_PACKED, _PLAIN))
        for place in (packed, plain, packed):  # compressed while this looks
            try:
                body = place.read_bytes()
            except FileNotFoundError:
                continue
            return io.BytesIO(body if place is plain else _unpacked(body, place))
        return io.BytesIO()


def _unpacked(body: bytes, place: Path) -> bytes:
    whole = zstd.ZstdDecompressor()
    try:
        lines = whole.decompress(body, MOST_BYTES)
    except zstd.ZstdError:
        lines = b""
    if not whole.eof:
        raise StateError(str(place), "is damaged", "move it away: its part of the crawl log is lost")
    return lines
