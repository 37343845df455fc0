"""The formats in which a job's pages can be taken away; each has the same fields of a page in the same order.

JSONL: one page a line, as a feed (-o FILE.jsonl) has them, for programs.

CSV for a spreadsheet: opens in Excel with Chinese whole, and no cell is a formula.
Excel takes a file without a byte order mark for the system's own charset. Spreadsheets evaluate a cell of text that begins with = + - @ (or with
these in full width, where the system's language has them), a tab or a line end; such a text gets an apostrophe before it.
Control characters, which would steer a terminal that shows the file, are left out.

Parquet: for pandas, DuckDB, Spark. Needs pyarrow (`pip install pyarrow`).

WARC: the texts of the pages as `conversion` records, for archives' tools. What was fetched itself is written by WARC_OUT.

Markdown: the main text with its structure (results.markdown), for people and language models; pages that keep none have their plain text.

JSONL, CSV and Markdown are compressed where the file's name ends with .gz or .zst.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, Protocol

from topiccrawler.errors import ArgumentError
from topiccrawler.items import PageFields
from topiccrawler.pages.formats.registry import HTML as HTML_FORMAT
from topiccrawler.store.html import KeptHtml, zstd_file
from topiccrawler.store.pages import PageRecord
from topiccrawler.text.characters import decode


@contextmanager
def compressed(raw: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    """What writes to an open file compressed by .gz or .zst; the file itself for another suffix."""
    packed: Any = None
    if suffix == ".gz":
        packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0)
    elif suffix == ".zst":
        packed = zstd_file(raw)
    yield packed or raw
    if packed is not None:
        packed.close()


NAMES = (*(field.name for field in fields(PageFields)), "content_hash", "media")


def plain(record: PageRecord) -> dict[str, Any]:
    """The fields of the page; `media` is a list."""
    found = asdict(record)
    found["media"] = json.loads(record.media or "[]")
    return {name: found[name] for name in NAMES}


def _cells(record: PageRecord) -> dict[str, Any]:
    """The same with `media` as JSON; empty for none."""
    return plain(record) | {"media": record.media if record.media != "[]" else ""}


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
    return write_table(map(_cells, records), out, NAMES)


def write_table(rows: Iterable[Mapping[str, object]], out: BinaryIO, names: Sequence[str] = ()) -> int:
    """Write row by row, under a line of names: by default those of the first row."""
    text = io.TextIOWrapper(out, encoding="utf-8-sig", errors="replace", newline="", write_through=True)
    table, count = csv.writer(text), 0
    if names:
        table.writerow(names)
    for count, row in enumerate(rows, start=1):
        if count == 1 and not names:
            table.writerow(row)
        table.writerow(map(inert, row.values()))
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
        while rows := [_cells(record) for record in islice(records, ROWS)]:
            for row in rows:
                row["fetched"] = int(row["fetched"] * 1000)
            file.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def write_warc(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Two records a page: its text, and as `metadata` all else that is known of it, in JSON."""
    from fastwarc.warc import WarcRecordType

    from topiccrawler.replay.warc_writing import iso, new_record, put

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


class MarkdownTexts:
    """The main texts of a job's pages as Markdown. `links`: with the targets of their links."""

    def __init__(self, html: KeptHtml, *, links: bool = False) -> None:
        from topiccrawler.results.markdown import markdown_of

        self._html, self._convert = html, partial(markdown_of, links=links)
        self.plain = 0  # pages without structure
        self.elsewhere = 0  # those of them whose HTML is in none of the files

    def __call__(self, record: PageRecord) -> str:
        """Of one page."""
        body = self._html.get(record.url) if record.text else None
        html = "" if body is None else decode(body, record.encoding)[0]
        text, has_structure = self._convert(record.text, html, record.url)
        lacks = bool(record.text) and record.format == HTML_FORMAT and not has_structure
        self.plain += lacks
        self.elsewhere += lacks and body is None
        return text


def write_markdown(records: Iterator[PageRecord], out: BinaryIO, texts: Callable[[PageRecord], str]) -> int:
    """Write page by page: what is known of it between lines of ---, then its text."""
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007
        known = {
            "title": record.title,
            "url": record.url,
            "date": record.day,
            "language": record.language,
            "score": round(record.relevance, 4),
        }
        head = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in known.items())
        out.write(f"---\n{head}\n---\n\n{_STEERS.sub('', texts(record))}\n\n".encode("utf-8", "replace"))
    return count


WRITERS: dict[str, Export] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
    "warc": write_warc,
}
