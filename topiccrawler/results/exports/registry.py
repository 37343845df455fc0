"""The formats in which a job's pages can be taken away."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from topiccrawler.errors import ArgumentError
from topiccrawler.store.pages import PageRecord

FORMATS = {
    "jsonl": "lines",
    "csv": "table",
    "parquet": "parquet",
    "warc": "warc",
    "graphml": "graph",
}  # name -> module of this folder
STREAMS = frozenset({"jsonl", "csv"})  # may go to standard output


class Export(Protocol):
    """Writes pages to a file; how many."""

    def __call__(self, records: Iterator[PageRecord], out: BinaryIO) -> int: ...


def format_of(given: str | None, out: str | None) -> str:
    """What a user asked for, else what the file's name ends with. ArgumentError for what is no format."""
    name = given or next((known for known in FORMATS if _ends_with(out or "", known)), None)
    if name is None and out is not None:
        endings = ", ".join(f".{known}" for known in FORMATS)
        raise ArgumentError(
            f"--out {out}", "ends with no known format", f"end it with one of {endings}, or give --format"
        )
    if name is None:
        raise ArgumentError("--format", "is missing", f"give one of {', '.join(FORMATS)}")
    if name not in FORMATS:
        raise ArgumentError(f"--format {name}", "is not known", f"use one of {', '.join(FORMATS)}")
    if out is None and name not in STREAMS:
        raise ArgumentError(f"--format {name}", "is no text for standard output", "name a file: --out FILE")
    return name


def export_of(name: str, folder: Path, *, whole: bool = False) -> Export:
    """What writes a format; its library is loaded only now. `folder`: the job's. `whole`: no page was left out by a filter."""
    write = import_module(f"topiccrawler.results.exports.{FORMATS[name]}").write
    return cast("Export", partial(write, folder=folder, whole=whole) if name == "graphml" else write)


def _ends_with(name: str, ending: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(f".{ending}")
