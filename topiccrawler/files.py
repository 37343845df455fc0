"""Files that a user names: read bounded, looked at before use, replaced whole; each fault is one line.

The conflict: model files are passed around, merged and committed, so one that is truncated, huge, of another version,
made with another tokenizer, or full of NaN must be refused before it decides a crawl. JSON is parsed, never executed;
no more is read than is allowed, and every value is looked at before it is used.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, BinaryIO

from topiccrawler.errors import CrawlerError, file_faults, shortened

KEPT = 3  # former versions of a file


def user_path(text: str | os.PathLike[str]) -> Path:
    """A path as a person writes it: `~` is the home folder; of a user who is not known it stays."""
    return Path(os.path.expanduser(text))


def is_file(place: Path | Traversable) -> bool:
    """There is such a file; what is no path (a list of keywords, say) names none."""
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False


def read_bytes(
    place: Path | Traversable, most: int, error: type[CrawlerError], what: str, remedy: str
) -> bytes:
    """The whole file, if it has no more than `most` bytes."""
    try:
        with file_faults(error, what, "cannot be read", remedy), place.open("rb") as file:
            body = file.read(most + 1)
    except ValueError as failure:  # NUL in the name
        raise error(what, f"cannot be read: {failure}", remedy) from None
    if len(body) > most:
        raise error(what, f"is larger than {most} bytes", remedy)
    return body


def read_text(path: Path, most: int, error: type[CrawlerError], what: str, remedy: str) -> str:
    """The same as text, which must be UTF-8."""
    body = read_bytes(path, most, error, what, remedy)
    with file_faults(error, what, "cannot be read", remedy):
        return body.decode("utf-8-sig")


def replace_file(place: Path, text: str) -> None:
    """Write a file beside the old one and put it in its place: a reader never sees half a file."""
    new = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def whole_file(place: Path) -> Iterator[BinaryIO]:
    """A file to write to, that comes into its place only once all is written."""
    new = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        with new.open("wb") as out:
            yield out
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)


def keep_former(place: Path) -> Path | None:
    """Copy a file beside itself before it is replaced; the copy, or None when there is no file.

    NAME.old is the last one, NAME.old.2 and NAME.old.3 those before it; one with the same bytes is not kept twice.
    """
    if not place.is_file():
        return None
    kept = [place.with_name(f"{place.name}.old{end}") for end in ("", *(f".{n}" for n in range(2, KEPT + 1)))]
    if not (kept[0].is_file() and filecmp.cmp(place, kept[0], shallow=False)):
        for older, newer in zip(kept[:0:-1], kept[-2::-1], strict=True):
            if newer.is_file():
                newer.replace(older)
        shutil.copy2(place, kept[0])
    return kept[0]


def compact(value: object) -> str:
    """JSON without blanks; ValueError for a number that is none."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class JsonFile:
    """A JSON object in a file, for a reader that trusts none of its values."""

    def __init__(
        self, place: Path | Traversable, most: int, error: type[CrawlerError], what: str, remedy: str
    ) -> None:
        self._error, self._what, self._remedy = error, f"{what} {place}", remedy
        body = read_bytes(place, most, error, self._what, remedy)
        try:
            found = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError):
            raise self.refused("is damaged or no JSON") from None
        if not isinstance(found, dict):
            raise self.refused("is damaged: no JSON object")
        self.values: dict[str, Any] = found

    def refused(self, fault: str) -> CrawlerError:
        """The error that says so."""
        return self._error(self._what, fault, self._remedy)

    def expect(self, expected: Mapping[str, object]) -> None:
        """Refuse the file of another program, version, tokenizer …"""
        for name, value in expected.items():
            if self.values.get(name) != value:
                shown = shortened(self.values.get(name))
                raise self.refused(f"has {name} {shown}, this program needs {value!r}")

    def mapping(self, name: str, within: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The object of that name, of the whole file or of a part."""
        value = (self.values if within is None else within).get(name)
        if not isinstance(value, dict):
            raise self.refused(f"has no {name}")
        return value

    def rows(self, rows: list[Any], width: int, largest: float) -> list[list[float]]:
        """These rows, if each is a list of so many numbers of at most that size."""
        for row in rows:
            numbers: list[Any] = row if isinstance(row, list) and len(row) == width else [None]
            if not all(type(value) in {int, float} and -largest <= value <= largest for value in numbers):
                raise self.refused(f"holds a row that is not {width} finite numbers")
        return rows

    def number(self, name: str, least: float, most: float, within: Mapping[str, Any] | None = None) -> float:
        """The finite number of that name."""
        value: Any = (self.values if within is None else within).get(name)
        if type(value) not in {int, float} or not least <= value <= most:  # NaN fails both comparisons
            raise self.refused(f"{name} is {shortened(value)}, not a number from {least:g} to {most:g}")
        return float(value)
