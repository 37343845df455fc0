"""The formats in which a job's pages can be taken away; each has the same fields of a page in the same order.

JSONL: one page a line, as a feed (-o FILE.jsonl) has them, for programs.

CSV for a spreadsheet: opens in Excel with Chinese whole, and no cell is a formula.
Excel takes a file without a byte order mark for the system's own charset. Spreadsheets evaluate a cell of text that begins with = + - @ (or with
these in full width, where the system's language has them), a tab or a line end; such a text gets an apostrophe before it.
Control characters, which would steer a terminal that shows the file, are left out.

Parquet: for pandas, DuckDB, Spark. Needs pyarrow (`pip install pyarrow`).

WARC: the texts of the pages as `conversion` records, for archives' tools. What was fetched itself is written by WARC_OUT.

GraphML: results.link_graph.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, fields
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from topiccrawler.errors import ArgumentError
from topiccrawler.items import PageFields
from topiccrawler.store.pages import PageRecord

NAMES = (*(field.name for field in fields(PageFields)), "content_hash", "media")


def plain(record: PageRecord) -> dict[str, Any]:
    """The fields of the page; `media` is a list."""
    found = asdict(record)
    found["media"] = json.loads(record.media or "[]")
    return {name: found[name] for name in NAMES}


class Export(Protocol):
    """Writes pages to a file; how many."""

    def __call__(self, records: Iterator[PageRecord], out: BinaryIO) -> int: ...


def write_jsonl(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Write page by page."""
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007
        out.write(json.dumps(plain(record), ensure_ascii=False).encode() + b"\n")
    return count


_STEERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_EVALUATED = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def write_csv(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Write page by page, under a line of names."""
    text = io.TextIOWrapper(out, encoding="utf-8-sig", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow(NAMES)
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007
        found = plain(record)
        found["media"] = json.dumps(found["media"], ensure_ascii=False) if found["media"] else ""
        rows.writerow([inert(found[name]) for name in NAMES])
    text.detach()
    return count


def inert(value: object) -> object:
    """A cell that no spreadsheet evaluates; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    text = _STEERS.sub("", value)
    return f"'{text}" if text.startswith(_EVALUATED) else text


ROWS = 1_000  # of a row group: what is in memory at once
_NUMBERS = {"relevance": "float64", "score": "float64", "depth": "int32", "status": "int32"}


def write_parquet(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Write a batch of pages at a time; `fetched` becomes a time, `media` stays JSON."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        remedy = "give the command: pip install pyarrow"
        raise ArgumentError("--format parquet", "needs pyarrow", remedy) from None
    kinds = {name: pa.type_for_alias(_NUMBERS.get(name, "string")) for name in NAMES}
    schema = pa.schema([*(kinds | {"fetched": pa.timestamp("ms", tz="UTC")}).items()])
    count = 0
    with ParquetWriter(out, schema, compression="zstd") as file:
        while rows := [plain(record) for record in islice(records, ROWS)]:
            for row in rows:
                row["fetched"] = int(row["fetched"] * 1000)
                row["media"] = json.dumps(row["media"], ensure_ascii=False) if row["media"] else ""
            file.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def write_warc(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Two records a page: its text, and as `metadata` all else that is known of it, in JSON."""
    from fastwarc.warc import WarcRecordType

    from topiccrawler.replay.writing import iso, new_record, put

    info = b"software: topiccrawler\r\nformat: WARC File Format 1.1\r\ndescription: texts of the pages a crawl has kept\r\n"
    put(out, new_record(WarcRecordType.warcinfo, info, "application/warc-fields"))
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007
        date = iso(record.fetched)
        plain_text, text_kind = record.text.encode(), "text/plain; charset=utf-8"
        text = new_record(WarcRecordType.conversion, plain_text, text_kind, record.url, date)
        known = {name: value for name, value in plain(record).items() if name != "text"}
        facts = json.dumps(known, ensure_ascii=False).encode()
        about = new_record(WarcRecordType.metadata, facts, "application/json", record.url, date)
        about.headers["WARC-Refers-To"] = text.headers["WARC-Record-ID"]
        put(out, text)
        put(out, about)
    return count


WRITERS: dict[str, Export] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
    "warc": write_warc,
}
GRAPHML = "graphml"
FORMATS = (*WRITERS, GRAPHML)
STREAMS = frozenset({"jsonl", "csv"})  # may go to standard output


def format_of(given: str | None, out: str | None) -> str:
    """What a user asked for, else what the file's name ends with. ArgumentError for what is no format."""
    ending = (out or "").lower().removesuffix(".gz")
    name = given or next((known for known in FORMATS if ending.endswith(f".{known}")), None)
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
    if name != GRAPHML:
        return WRITERS[name]
    from topiccrawler.results.link_graph import write_graph

    return partial(write_graph, folder=folder, whole=whole)
