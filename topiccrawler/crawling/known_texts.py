"""Finds pages whose text an earlier job or corpus has, so that they are not stored again (`-a known=`).

A source is the folder of a job, a file with texts (JSON lines, CSV or Parquet with a field `text`; .txt, which is one text), or a folder of
such files and jobs. JSON lines, CSV and .txt may be compressed (.gz, .zst). The fingerprints of a source are kept in a file beside it
(or in the job's own folder, where that cannot be written) and are made again when the source has changed.

Rule       a text is known if a text of the source has the same words in order, or, from LEAST_CHARACTERS on, a fingerprint that differs in at
           most MOST_DIFFERENT bits. Titles are not compared: the source may have none.
Parameters MOST_DIFFERENT 36 of 256: texts with 5 % of their words changed differ in 25 ± 5 bits, with 12 % in 50 ± 6 (pages.site_repeats).
Cost       a source is read at 2.4 ms a text of 5 500 characters, once; 42 bytes a text on disk and in memory. A kept page costs the same once
           more, because fingerprints of a source are not made with a topic's own words. Among a million texts: 3 s to start, 4 ms a page.
"""

from __future__ import annotations

import csv
import gzip
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from topiccrawler.crawling.page_stores import has_pages, open_pages, stored_in
from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.files import whole_file
from topiccrawler.pages.site_repeats import BITS, fingerprint
from topiccrawler.store.duplicates import NearIndex
from topiccrawler.zstandard import zstd

logger = logging.getLogger(__name__)

MOST_DIFFERENT = 36
LEAST_CHARACTERS = 500
ENDING = ".fingerprints"
TEXT = "text"  # the field that has the text
DEEPEST = 3  # folders within the source
_BYTES = BITS // 8
_REMEDY = "name a job's folder, a file (.jsonl, .csv, .parquet, .txt, also .gz or .zst), or a folder of such; export the pages of a job that is only on a server"


class KnownTexts:
    """The fingerprints of the texts of one source. `digests`: sorted; `bits`: of the texts long enough to have near copies."""

    def __init__(self, source: Path, digests: NDArray[np.int64], bits: NDArray[np.uint8]) -> None:
        self.source = source
        self._digests, self._near = digests, NearIndex()
        for row, one in enumerate(bits):
            self._near.put(row, one.tobytes())

    def __len__(self) -> int:
        return len(self._digests)

    def has(self, text: str) -> bool:
        """Whether a text is known; False for one without words."""
        print_ = fingerprint(text)
        if print_ is None:
            return False
        place = int(np.searchsorted(self._digests, print_.digest))
        if place < len(self._digests) and self._digests[place] == print_.digest:
            return True
        return len(text) >= LEAST_CHARACTERS and bool(self._near.near(print_.bits, most=MOST_DIFFERENT))

    @classmethod
    def of(cls, source: Path, job: Path) -> Self:
        """The texts of a source, read if they were not read before. `job`: the folder of the crawl, which is no part of the source.

        ArgumentError, which names the argument, if the source cannot be read or has no text.
        """
        what = f"argument -a known={source}"
        with file_faults(ArgumentError, what, "cannot be read", _REMEDY):
            parts = list(_parts(source.absolute(), job.absolute()))
            state = [[str(path), *_state(path)] for path in parts]
        places = [source.with_name(f"{source.absolute().name}{ENDING}"), job / f"known{ENDING}"]
        for place in places:
            kept = _read_kept(place, state)
            if kept is not None:
                return cls(source, *kept)
        logger.info("The texts of %s are read, so that none of them is stored again", source)
        digests, bits = [], bytearray()
        for path in parts:
            for text in _texts(path, what):
                if (print_ := fingerprint(text)) is not None:
                    digests.append(print_.digest)
                    bits += print_.bits
        if not digests:
            raise ArgumentError(what, "has no texts", _REMEDY)
        found = (
            np.array(sorted(set(digests)), dtype=np.int64),
            np.frombuffer(bits, dtype=np.uint8).reshape(-1, _BYTES),
        )
        _keep(places, state, *found)
        return cls(source, *found)


def _parts(place: Path, job: Path, depth: int = 0) -> Iterator[Path]:
    """The folders of jobs and the files in a source, in order of their names."""
    if place == job or place.name.startswith("."):
        return
    if place.is_dir():
        if has_pages(place):
            yield place
        elif depth < DEEPEST:
            for inner in sorted(place.iterdir()):
                yield from _parts(inner, job, depth + 1)
    elif _reader(place) is not None or depth == 0:
        yield place


def _state(part: Path) -> tuple[int, int]:
    """What changes when a job or file changes: bytes and time of the last change; for pages on a server, how many are kept, and when
    they were last judged."""
    if stored_in(part) is not None:
        with closing(open_pages(part)) as pages:
            return len(pages.best()), int(pages.last_judged() * 1e9)
    files = (
        [file for file in part.glob("*.sqlite*") if not file.name.endswith("-shm")]
        if part.is_dir()
        else [part]
    )
    found = [file.stat() for file in files]
    return sum(one.st_size for one in found), max(
        (one.st_mtime_ns for one in found if one.st_size), default=0
    )


def _texts(part: Path, what: str) -> Iterator[str]:
    if part.is_dir():
        with closing(open_pages(part)) as pages:
            yield from (record.text for record in pages.records() if record.stored and record.text)
        return
    reader = _reader(part)
    if reader is None:
        raise ArgumentError(what, "ends with no known format", _REMEDY)
    try:
        with file_faults(ArgumentError, what, "cannot be read", _REMEDY), _uncompressed(part) as file:
            yield from (text for text in reader(file) if isinstance(text, str))
    except (ValueError, EOFError, csv.Error, zstd.ZstdError, ArithmeticError) as error:
        raise ArgumentError(what, f"cannot be read: {part.name}: {error}", _REMEDY) from None


def _uncompressed(path: Path) -> Any:
    if path.suffix.lower() == ".gz":
        return gzip.open(path)
    return zstd.ZstdFile(path) if path.suffix.lower() == ".zst" else path.open("rb")


def _json_lines(file: BinaryIO) -> Iterator[object]:
    for line in file:
        row = json.loads(line) if line.strip() else None
        yield row.get(TEXT) if isinstance(row, dict) else None


def _table(file: BinaryIO) -> Iterator[object]:
    csv.field_size_limit(sys.maxsize)
    with TextIOWrapper(file, encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines):
            yield row.get(TEXT)


def _parquet(file: BinaryIO) -> Iterator[object]:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ArgumentError(
            "-a known", "a Parquet file needs pyarrow", "give the command: pip install pyarrow"
        ) from None
    table = ParquetFile(file)
    if TEXT in table.schema_arrow.names:
        for batch in table.iter_batches(batch_size=1_000, columns=[TEXT]):
            yield from batch.column(0).to_pylist()


def _whole(file: BinaryIO) -> Iterator[object]:
    yield file.read().decode("utf-8-sig")


_READERS: dict[str, Callable[[BinaryIO], Iterator[object]]] = {
    ".jsonl": _json_lines, ".csv": _table, ".parquet": _parquet, ".txt": _whole,
}  # fmt: skip


def _reader(path: Path) -> Callable[[BinaryIO], Iterator[object]] | None:
    name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    return next((reader for ending, reader in _READERS.items() if name.endswith(ending)), None)


def _read_kept(place: Path, state: list[Any]) -> tuple[NDArray[np.int64], NDArray[np.uint8]] | None:
    """The fingerprints in a file; None if it is missing, damaged, or of another state of the source."""
    try:
        with place.open("rb") as file, np.load(file) as kept:
            digests, bits = kept["digests"], kept["bits"]
            is_whole = (digests.dtype, digests.ndim, bits.dtype) == (np.int64, 1, np.uint8)
            is_same = is_whole and bits.shape[1:] == (_BYTES,) and json.loads(str(kept["state"])) == state
            return (digests, bits) if is_same else None
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None


def _keep(places: list[Path], state: list[Any], digests: NDArray[np.int64], bits: NDArray[np.uint8]) -> None:
    for place in places:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(place) as out:
                np.savez(out, state=np.array(json.dumps(state)), digests=digests, bits=bits)
        except OSError as fault:
            logger.info("%s: %s; the fingerprints are not kept there", place, os.strerror(fault.errno or 0))
        else:
            return
