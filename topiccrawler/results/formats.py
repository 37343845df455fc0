"""Writes a job's pages in the export formats.

JSONL, CSV and Parquet have the same fields of a page; Markdown has the main ones. JSONL, CSV, Markdown and the link
graph (results.link_graph) are compressed when the file name ends with .gz or .zst.

`write_jsonl` writes one page a line, as a Scrapy feed (-o FILE.jsonl) does, for programs.

`write_csv` and `write_table` write CSV for spreadsheets: Excel shows Chinese text correctly, and no cell is a formula.
Excel reads a file without a byte order mark in the system's charset. Spreadsheets evaluate a text cell that begins with = + - @ (or with
their full-width forms, where the system's language has them), a tab or a line end; such a text gets an apostrophe before it.
Control characters are removed here as from every format.

`write_parquet` writes Parquet, for pandas, DuckDB and Spark. It needs pyarrow (`pip install pyarrow`).

`write_markdown` writes the main text with its structure (results.markdown), for people and language models; a page whose structure is
unknown has its plain text. `write_markdown_files` writes a file for each page: tools that read front matter expect one page a file.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields, replace
from datetime import date
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from topiccrawler.errors import ArgumentError
from topiccrawler.items import PageFields
from topiccrawler.pages.formats.registry import HTML as HTML_FORMAT
from topiccrawler.pages.personal_data import redacted
from topiccrawler.store.html import KeptHtml
from topiccrawler.store.pages import PageRecord
from topiccrawler.text.characters import decode
from topiccrawler.zstandard import zstd


@contextmanager
def compressed(raw: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    """A stream that compresses into the file `raw`, for the suffix .gz or .zst; for any other suffix `raw` itself."""
    packed: Any = None
    if suffix == ".gz":
        packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0)
    elif suffix == ".zst":
        packed = zstd.ZstdFile(raw, "wb")
    yield packed or raw
    if packed is not None:
        packed.close()


NAMES = (*(field.name for field in fields(PageFields)), "content_hash", "media", "judged")


_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


def without_controls(text: str) -> str:
    """The text without control characters: they could control a terminal that prints a file, and many readers refuse them."""
    return text if text.isprintable() else _CONTROLS.sub("", text)


def plain(record: PageRecord) -> dict[str, Any]:
    """The exported fields of a page, without control characters; `media` is a list."""
    found = asdict(record)
    found["media"] = json.loads(record.media or "[]")
    texts = {name: without_controls(value) for name, value in found.items() if isinstance(value, str)}
    return {name: texts.get(name, found[name]) for name in NAMES}


_TEXTS = ("title", "summary", "keywords", "description", "anchor", "author")


def redacted_record(record: PageRecord, *, text: bool = True) -> PageRecord:
    """The page with placeholders in place of personal data in all its texts. `text`: also in its main text."""
    names = (*_TEXTS, "text") if text else _TEXTS
    found: dict[str, Any] = {name: redacted(getattr(record, name)) for name in names}
    media = [
        {name: value if name == "url" else redacted(value) for name, value in one.items()}
        for one in json.loads(record.media or "[]")
    ]
    return replace(record, **found, media=json.dumps(media, ensure_ascii=False) if media else record.media)


def _cells(record: PageRecord) -> dict[str, Any]:
    """The exported fields of a page with `media` as JSON text, empty when there are none."""
    return plain(record) | {"media": record.media if record.media != "[]" else ""}


class Export(Protocol):
    """A function that writes pages to an open file and returns their number."""

    def __call__(self, records: Iterator[PageRecord], out: BinaryIO) -> int: ...


def write_jsonl(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Write one page a line; return the number of pages."""
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007
        out.write(json.dumps(plain(record), ensure_ascii=False).encode() + b"\n")
    return count


_EVALUATED = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def write_csv(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Write a header and one row a page; return the number of pages."""
    return write_table(map(_cells, records), out, NAMES)


def write_table(rows: Iterable[Mapping[str, object]], out: BinaryIO, names: Sequence[str] = ()) -> int:
    """Write a header and the rows; return their number. `names`: the columns, by default the keys of the first row."""
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
    """A cell value that no spreadsheet evaluates as a formula; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    text = without_controls(value)
    return f"'{text}" if text.startswith(_EVALUATED) else text


LONGEST_NAME = 60  # characters of a file's name
_NAMED = re.compile(r"\w+")
ROWS = 1_000  # per row group, which is held in memory
_NUMBERS = {"relevance": "float64", "score": "float64", "depth": "int32", "status": "int32"}
_TIMES = ("fetched", "judged")


def write_parquet(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Write the pages in batches; return their number. `fetched` and `judged` become timestamps, `media` stays JSON."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        remedy = "give the command: pip install pyarrow"
        raise ArgumentError("--format parquet", "needs pyarrow", remedy) from None
    kinds = {name: pa.type_for_alias(_NUMBERS.get(name, "string")) for name in NAMES}
    schema = pa.schema([*(kinds | dict.fromkeys(_TIMES, pa.timestamp("ms", tz="UTC"))).items()])
    count = 0
    with ParquetWriter(out, schema, compression="zstd") as file:
        while rows := [_cells(record) for record in islice(records, ROWS)]:
            for row in rows:
                row |= {name: int(row[name] * 1000) if row[name] else None for name in _TIMES}
            file.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


class MarkdownTexts:
    """Converts the main texts of a job's pages to Markdown. `links`: keep the targets of links."""

    def __init__(self, html: KeptHtml, *, links: bool = False) -> None:
        from topiccrawler.results.markdown import markdown_of

        self._html, self._convert = html, partial(markdown_of, links=links)
        self.plain = 0  # HTML pages that were converted without structure
        self.elsewhere = 0  # of those, pages whose HTML is in none of the files

    def __call__(self, record: PageRecord) -> str:
        """The Markdown of one page."""
        body = self._html.get(record.url) if record.text else None
        html = "" if body is None else decode(body, record.encoding)[0]
        text, has_structure = self._convert(record.text, html, record.url)
        lacks = bool(record.text) and record.format == HTML_FORMAT and not has_structure
        self.plain += lacks
        self.elsewhere += lacks and body is None
        return text


def write_markdown(records: Iterator[PageRecord], out: BinaryIO, texts: Callable[[PageRecord], str]) -> int:
    """Write each page as `markdown_page` does, one behind the other; return the number of pages."""
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007
        out.write(markdown_page(record, texts(record)))
    return count


def write_markdown_files(
    records: Iterator[PageRecord], folder: Path, texts: Callable[[PageRecord], str]
) -> int:
    """Write each page to a file of its own, named by its rank and title; return the number of pages."""
    count = 0
    for count, record in enumerate(records, start=1):
        name = "-".join([f"{count:05}", *_NAMED.findall(record.title)])[:LONGEST_NAME]
        (folder / f"{name}.md").write_bytes(markdown_page(record, texts(record)))
    return count


def markdown_page(record: PageRecord, text: str) -> bytes:
    """A page as Markdown: its head as YAML between lines of `---`, its title as heading, and its text, which is Markdown."""
    from topiccrawler.results.markdown import heading

    known = {
        "title": record.title,
        "url": record.url,
        "author": record.author,
        "language": record.language,
        "kind": record.kind,
        "description": record.description,
        "keywords": record.keywords,
    }
    # JSON strings are YAML, as long as they have no line ends that only YAML knows
    texts = {name: " ".join(without_controls(value).split()) for name, value in known.items()}
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in texts.items() if value]
    with suppress(ValueError):  # a spider of another project may have stored anything
        lines.append(f"date: {date.fromisoformat(record.day)}")
    lines.append(f"score: {round(record.relevance, 4)}")
    text, title = without_controls(text), heading(texts["title"])
    body = text if not title or text.partition("\n")[0] == title else f"{title}\n\n{text}"
    return "\n".join(["---", *lines, "---", "", body, "", ""]).encode("utf-8", "replace")


WRITERS: dict[str, Export] = {"jsonl": write_jsonl, "csv": write_csv, "parquet": write_parquet}
