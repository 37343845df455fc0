"""The formats in which a job's pages can be taken away; each has the same fields of a page in the same order.

JSONL: one page a line, as a feed (-o FILE.jsonl) has them, for programs.

CSV for a spreadsheet: opens in Excel with Chinese whole, and no cell is a formula.
Excel takes a file without a byte order mark for the system's own charset. Spreadsheets evaluate a cell of text that begins with = + - @ (or with
these in full width, where the system's language has them), a tab or a line end; such a text gets an apostrophe before it.
Control characters, which would steer a terminal that shows the file, are left out.

Parquet: for pandas, DuckDB, Spark. Needs pyarrow (`pip install pyarrow`).

WARC: the texts of the pages as `conversion` records, for archives' tools. What was fetched itself is written by WARC_OUT.

Markdown: the main text with its structure (results.markdown), for people and language models; pages that keep none have their plain text.

GraphML: results.link_graph. A corpus is a folder.

JSONL, CSV and Markdown are compressed where the file's name ends with .gz or .zst.

A job's pages as a corpus for training language models: a folder of compressed JSON lines, in shards, with a dataset card.

Each line has the fields of FIELDS, by the names that data tools read. A page without main text is left out, so copies that the crawl has found
are too; further near copies on request (`no_copies`), by the same fingerprints, the most relevant of them kept. The folder is
loaded as it is: `datasets.load_dataset("FOLDER")`, `pandas.read_json("FOLDER/pages-00000.jsonl.gz", lines=True)`.

The card says what was left out and why; the sites; and that the texts belong to their authors.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self

from topiccrawler.crawling.assemble import topic_display_name
from topiccrawler.crawling.job_files import HTML, read_recipe
from topiccrawler.crawling.page_stores import logs_of, stored_in
from topiccrawler.errors import ArgumentError, StateError, file_faults
from topiccrawler.files import package_table, whole_file
from topiccrawler.items import PageFields
from topiccrawler.pages.formats.registry import HTML as HTML_FORMAT
from topiccrawler.pages.site_repeats import fingerprint
from topiccrawler.results.job_pages import JobPages
from topiccrawler.results.templating import as_text
from topiccrawler.store.duplicates import DuplicateIndex
from topiccrawler.store.html import KeptHtml, zstd_file
from topiccrawler.store.pages import ALL, PageRecord, Selection
from topiccrawler.text.characters import decode
from topiccrawler.urls.canonical import host_of

FIELDS = package_table("results/corpus_fields.toml")
SHARD_BYTES = 500_000_000
COMPRESSIONS = ("gz", "zst", "none")
MOST_SITES = 100  # listed in the card
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_SIZE = re.compile(r"(\d{1,12})\s*([KMG]?B?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How a corpus is written. ArgumentError for a compression that is none."""

    shard_bytes: int = SHARD_BYTES  # of a shard before it is compressed
    compress: str = "gz"
    no_copies: bool = False

    def __post_init__(self) -> None:
        if self.compress not in COMPRESSIONS:
            remedy = f"use one of {', '.join(COMPRESSIONS)}"
            raise ArgumentError(f"--compress {self.compress}", "is not known", remedy)


WHOLE = Shape()


@dataclass(slots=True)
class Counts:
    """What became of the pages selected."""

    written: int = 0
    characters: int = 0
    without_text: int = 0
    copies: int = 0
    shards: list[str] = field(default_factory=list)
    languages: Counter[str] = field(default_factory=Counter)
    sites: Counter[str] = field(default_factory=Counter)
    days: list[str] = field(default_factory=list)  # first and last

    def add(self, row: dict[str, Any]) -> None:
        """Count a page written."""
        self.written += 1
        self.characters += len(row["text"])
        self.languages[row["language"]] += 1
        self.sites[host_of(row["url"])] += 1
        if day := row["date"]:
            self.days = [min([day, *self.days]), max([day, *self.days])]


def size_of(given: str) -> int:
    """Bytes of a size like 500MB or 1GB. ArgumentError for what is none."""
    found = _SIZE.fullmatch(given.strip())
    unit = found[2].upper().removesuffix("B") if found else ""
    size = int(found[1]) * _UNITS[f"{unit}B"] if found else 0
    if size < 1:
        raise ArgumentError(f"--shard-size {given}", "is no size", "write it as 500MB or 1GB")
    return size


def row_of(record: PageRecord, text: str) -> dict[str, Any]:
    """One line."""
    fetched = datetime.fromtimestamp(record.fetched, UTC).isoformat(timespec="seconds")
    return {
        "id": blake2b(record.url.encode("utf-8", "replace"), digest_size=8).hexdigest(),
        "url": record.url,
        "title": record.title,
        "text": text,
        "date": record.day,
        "language": record.language or "und",
        "score": round(record.relevance, 4),
        "fetched": fetched,
    }


def write_corpus(
    records: Iterable[PageRecord],
    place: Path,
    text_of: Callable[[PageRecord], str],
    shape: Shape = WHOLE,
    *,
    limit: int | None = None,
    about: Iterable[str] = (),
) -> Counts:
    """Write the folder; what became of the pages. `about`: lines for the card on job and filters. `limit`: pages written at most.
    ArgumentError for a folder that holds something; a failure leaves none."""
    counts = Counts()
    with _new_folder(place) as folder:
        with _Shards(folder, shape, counts.shards) as shards:
            for record in islice(_wanted(records, shape, counts), limit):
                row = row_of(record, text_of(record))
                shards.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
                counts.add(row)
        card = _card(place.name, counts, shape, list(about))
        (folder / "README.md").write_text(card, encoding="utf-8")
    return counts


def _wanted(records: Iterable[PageRecord], shape: Shape, counts: Counts) -> Iterator[PageRecord]:
    known = DuplicateIndex(":memory:")
    for record in records:
        if not record.text.strip():
            counts.without_text += 1
        elif shape.no_copies and (print_ := fingerprint(record.text)) and known.first_of(record.url, print_):
            counts.copies += 1
        else:
            yield record
    known.close()


@contextmanager
def _new_folder(place: Path) -> Iterator[Path]:
    """A folder that comes into its place once all is written."""
    if place.exists() and not (place.is_dir() and not any(place.iterdir())):
        raise ArgumentError(f"--out {place}", "is there already", "name a new folder")
    made = place.absolute().with_name(f".{place.name}.{os.getpid()}")
    with file_faults(StateError, f"folder {place}", "cannot be written", "make room or name another folder"):
        try:
            made.mkdir()
            yield made
            made.replace(place)
        finally:
            shutil.rmtree(made, ignore_errors=True)


class _Shards:
    """Lines over several files of about one size."""

    def __init__(self, folder: Path, shape: Shape, names: list[str]) -> None:
        self._folder, self._shape, self._names = folder, shape, names
        self._files = ExitStack()
        self._out: BinaryIO | None = None
        self._bytes = 0  # of the open one

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._files.close()

    def write(self, line: bytes) -> None:
        """A line, in the next file where this one is full."""
        if self._out is None or self._bytes + len(line) > self._shape.shard_bytes:
            self._files.close()
            suffix = "" if self._shape.compress == "none" else f".{self._shape.compress}"
            self._names.append(f"pages-{len(self._names):05}.jsonl{suffix}")
            raw = self._files.enter_context((self._folder / self._names[-1]).open("wb"))
            self._out, self._bytes = self._files.enter_context(compressed(raw, suffix)), 0
        self._bytes += len(line)
        self._out.write(line)


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


def _card(name: str, counts: Counts, shape: Shape, about: list[str]) -> str:
    """README.md of the folder, with the head that Hugging Face reads."""
    codes = sorted({tag.partition("-")[0] for tag in counts.languages} - {"und"})
    sites = sorted(counts.sites.items(), key=lambda pair: (-pair[1], pair[0]))
    known = {"name": name, "codes": json.dumps(codes), "counts": counts, "shape": shape, "about": about}
    known |= {"day": time.strftime("%Y-%m-%d"), "fields": FIELDS, "sites": sites, "most_sites": MOST_SITES}
    return as_text("results/templates/corpus.md", known) + "\n"


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
MARKDOWN, GRAPHML, CORPUS = "markdown", "graphml", "corpus"
FORMATS = (*WRITERS, MARKDOWN, GRAPHML, CORPUS)
STREAMS = frozenset({"jsonl", "csv", MARKDOWN})  # may go to standard output
ENDINGS = {**{f".{name}": name for name in (*WRITERS, GRAPHML)}, ".md": MARKDOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which pages are exported, and how."""

    selection: Selection = ALL
    limit: int | None = None
    with_text: bool = False  # only pages that have main text
    markdown: bool = False  # of a corpus: its texts
    links: bool = False  # of Markdown: kept
    shape: Shape = WHOLE

    def filters(self) -> list[str]:
        """Those that leave pages out, for a person."""
        chosen = {name: value for name, value in asdict(self.selection).items() if value}
        return [f"{name.replace('_', ' ')}: {value}" for name, value in chosen.items()]


def export(pages: JobPages, form: str, out: Path | None, wanted: Wanted = Wanted()) -> list[str]:
    """Write the pages to a file, a folder (a corpus) or standard output; lines for a person. `form`: of FORMATS. A file or folder comes into
    its place once it is whole. ArgumentError for what cannot be meant, StateError for a damaged store."""
    pages.check_whole()
    folders: set[Path] = set()
    if form == MARKDOWN or wanted.markdown:
        folders = {pages.folder, *(log.parent for log in logs_of(pages.folder))}  # each process keeps its own
    with KeptHtml(folder / HTML for folder in sorted(folders)) as html:
        texts = MarkdownTexts(html, links=wanted.links)
        if form == CORPUS and out is not None:
            return [*_corpus(pages, out, wanted, texts), *_said(texts, pages.folder)]
        whole = wanted.selection == ALL and wanted.limit is None and not wanted.with_text
        write: Export = partial(write_markdown, texts=texts)
        if form != MARKDOWN:
            write = export_of(form, pages.folder, whole=whole)
        records = pages.best(wanted.selection, None if wanted.with_text else wanted.limit)
        if wanted.with_text:
            records = islice((record for record in records if record.text), wanted.limit)
        if out is None:
            write(records, sys.stdout.buffer)
            return _said(texts, pages.folder)
        suffix = out.suffix.lower() if form in STREAMS else ""
        with whole_file(out) as raw, compressed(raw, suffix) as file:
            count = write(records, file)
    return [f"{count} pages written to {out}", *_said(texts, pages.folder)]


def _corpus(pages: JobPages, out: Path, wanted: Wanted, texts: MarkdownTexts) -> list[str]:
    recipe = read_recipe(pages.folder)
    about = [*wanted.filters(), f"text: {'Markdown' if wanted.markdown else 'plain, one paragraph a line'}"]
    if recipe is not None:
        about = [f"topic: {topic_display_name(recipe)}", f"strategy: {recipe.strategy}", *about]
    text_of = texts if wanted.markdown else _text
    records = pages.best(wanted.selection)
    counts = write_corpus(records, out, text_of, wanted.shape, limit=wanted.limit, about=about)
    without = f"{counts.without_text} pages without main text and {counts.copies} near copies left out"
    return [f"{counts.written} pages written to {out} in {len(counts.shards)} files; {without}"]


def _text(record: PageRecord) -> str:
    return record.text


def _said(texts: MarkdownTexts, folder: Path) -> list[str]:
    """Why pages are plain text, and what helps."""
    elsewhere = texts.elsewhere if stored_in(folder) is not None else 0
    causes = {
        "no html.zst here has their HTML; a process on another machine keeps it in its folder of the job: copy that folder into"
        " TOPIC_DATA_DIR under a name of its own, and export again (TOPIC_KEEP_HTML=False keeps none)": elsewhere,
        "their HTML was not kept (a job of an earlier version, or TOPIC_KEEP_HTML=False) or does not have the text": texts.plain
        - elsewhere,
    }
    what = "pages are plain text, without structure"
    return [f"{count} {what}: {why}" for why, count in causes.items() if count]


def format_of(given: str | None, out: str | None) -> str:
    """What a user asked for, else what the file's name ends with. ArgumentError for what is no format."""
    ending = (out or "").lower().removesuffix(".gz").removesuffix(".zst")
    name = given or next((known for end, known in ENDINGS.items() if ending.endswith(end)), None)
    if name is None and out is not None:
        remedy = f"end it with one of {', '.join(ENDINGS)}, or give --format"
        raise ArgumentError(f"--out {out}", "ends with no known format", remedy)
    if name is None:
        raise ArgumentError("--format", "is missing", f"give one of {', '.join(FORMATS)}")
    if name not in FORMATS:
        raise ArgumentError(f"--format {name}", "is not known", f"use one of {', '.join(FORMATS)}")
    if out is None and name not in STREAMS:
        fault, what = "is no text for standard output", "FILE"
        if name == CORPUS:
            fault, what = "is a folder", "FOLDER"
        raise ArgumentError(f"--format {name}", fault, f"name it: --out {what}")
    return name


def export_of(name: str, folder: Path, *, whole: bool = False) -> Export:
    """What writes a format; its library is loaded only now. `folder`: the job's. `whole`: no page was left out by a filter."""
    if name != GRAPHML:
        return WRITERS[name]
    from topiccrawler.results.link_graph import write_graph

    return partial(write_graph, folder=folder, whole=whole)
