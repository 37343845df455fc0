"""Reads files that a user names with a size limit, validates JSON files, and replaces files atomically; each fault is one line.

The conflict: model files are passed around and committed. So a file that is truncated, huge, of another version, made with another
tokenizer, or full of NaN must be refused before it affects a crawl. JSON is parsed, never executed; no more bytes are read than allowed,
and each value is checked before use.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, BinaryIO

from topiccrawler.errors import CrawlerError, file_faults, shortened
from topiccrawler.zstandard import decompress

KEPT = 3  # former versions of a file that are kept


def user_path(text: str | os.PathLike[str]) -> Path:
    """A path as a person writes it: `~` and `~user` are expanded to the home folder; `~user` of an unknown user stays as it is."""
    return Path(os.path.expanduser(text))


def is_file(place: Path | Traversable) -> bool:
    """Whether the file exists; False, not an error, for a text that cannot be a path (a long list of keywords)."""
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False


def read_bytes(
    place: Path | Traversable, most: int, error: type[CrawlerError], what: str, remedy: str
) -> bytes:
    """The content of a file. Raise `error` when it cannot be read or has more than `most` bytes; `what` names the file in the message."""
    try:
        with file_faults(error, what, "cannot be read", remedy), place.open("rb") as file:
            body = file.read(most + 1)
    except ValueError as failure:  # NUL in the name
        raise error(what, f"cannot be read: {failure}", remedy) from None
    if len(body) > most:
        raise error(what, f"is larger than {most} bytes", remedy)
    return body


def read_text(path: Path, most: int, error: type[CrawlerError], what: str, remedy: str) -> str:
    """The content of a UTF-8 file as text, read as by `read_bytes`; a byte order mark is removed."""
    body = read_bytes(path, most, error, what, remedy)
    with file_faults(error, what, "cannot be read", remedy):
        return body.decode("utf-8-sig")


def replace_file(place: Path, text: str) -> None:
    """Replace a file atomically: write a new file beside it and rename that, so that a reader never sees half a file."""
    with whole_file(place) as out:
        out.write(text.encode())


@contextmanager
def whole_file(place: Path) -> Iterator[BinaryIO]:
    """A binary file to write to, which is renamed to `place` only when the block ends without an exception. An OSError names `place`. A pipe
    or a device is written to as it is."""
    if place.exists() and not (place.is_file() or place.is_dir()):
        with place.open("wb") as out:
            yield out
        return
    new = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        with new.open("wb") as out:
            yield out
        new.replace(place)
    except OSError as failure:
        if failure.filename in {None, str(new)}:  # a full disk, or no such folder
            failure.filename = str(place)
        raise
    finally:
        with suppress(OSError):  # no such folder, or a name that is too long
            new.unlink()


def keep_former(place: Path) -> Path | None:
    """Copy a file to NAME.old before it is replaced. Return the path of the copy, or None when there is no file.

    NAME.old is the latest former version, NAME.old.2 and NAME.old.3 the two before it. A file with the same bytes as NAME.old is not
    copied again.
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
    """The value as JSON without white space; ValueError for NaN and infinity."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def sha256_of(path: Path) -> str:
    """The SHA-256 digest of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class JsonFile:
    """A JSON object read from an untrusted file, with methods that validate its values. `values`: the object. `compressed`: the file is a
    Zstandard frame; `most` limits its content too."""

    def __init__(
        self,
        place: Path | Traversable,
        most: int,
        error: type[CrawlerError],
        what: str,
        remedy: str,
        *,
        compressed: bool = False,
    ) -> None:
        self._error, self._what, self._remedy = error, f"{what} {place}", remedy
        body = read_bytes(place, most, error, self._what, remedy)
        if compressed:
            try:
                body = decompress(body, most)
            except ValueError as fault:
                raise self.refused(str(fault)) from None
        try:
            found = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError):
            raise self.refused("is damaged or no JSON") from None
        if not isinstance(found, dict):
            raise self.refused("is damaged: no JSON object")
        self.values: dict[str, Any] = found

    def refused(self, fault: str) -> CrawlerError:
        """The error to raise for this file, with this fault in its message."""
        return self._error(self._what, fault, self._remedy)

    def expect(self, expected: Mapping[str, object]) -> None:
        """Raise the error of `refused` unless the object has these values: for a file's program, version, tokenizer …"""
        for name, value in expected.items():
            if self.values.get(name) != value:
                shown = shortened(self.values.get(name))
                raise self.refused(f"has {name} {shown}, this program needs {value!r}")

    def mapping(self, name: str, within: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The JSON object under that key, in the whole file or in the part `within`; an error when it is missing or no object."""
        value = (self.values if within is None else within).get(name)
        if not isinstance(value, dict):
            raise self.refused(f"has no {name}")
        return value

    def rows(self, rows: list[Any], width: int, largest: float) -> list[list[float]]:
        """Return the rows unchanged if each is a list of `width` finite numbers of absolute value at most `largest`; else raise."""
        for row in rows:
            numbers: list[Any] = row if isinstance(row, list) and len(row) == width else [None]
            if not all(type(value) in {int, float} and -largest <= value <= largest for value in numbers):
                raise self.refused(f"holds a row that is not {width} finite numbers")
        return rows

    def number(self, name: str, least: float, most: float, within: Mapping[str, Any] | None = None) -> float:
        """The number under that key, as a float; an error unless it is from `least` to `most`."""
        value: Any = (self.values if within is None else within).get(name)
        if type(value) not in {int, float} or not least <= value <= most:  # NaN fails both comparisons
            raise self.refused(f"{name} is {shortened(value)}, not a number from {least:g} to {most:g}")
        return float(value)
