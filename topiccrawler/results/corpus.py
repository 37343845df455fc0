"""Exports a job's pages as a corpus for training language models: a folder of compressed JSON lines, in shards, with a dataset card.

Each line has the fields of FIELDS, under the names that data tools read. Pages without main text are left out; so are the copies that the
crawl found, because they are stored without text, and pages whose text is an excerpt of others (results.excerpts). `no_copies` also leaves
out further near copies, by the same fingerprints; of each group the most relevant page is kept. The pages are read three times: to note
them, to compare them, and to write them. The folder can be loaded as it is: `datasets.load_dataset("FOLDER")`,
`pandas.read_json("FOLDER/pages-00000.jsonl.gz", lines=True)`.

The card states what was left out and why, counts what pages say about their use, their licences and personal data, lists the sites, and
notes that the texts belong to their authors.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Self

from topiccrawler.errors import ArgumentError, StateError, file_faults
from topiccrawler.pages.site_repeats import fingerprint
from topiccrawler.pages.usage import TRAIN_AI, UNSTATED, meets, stated_in
from topiccrawler.resources import package_table
from topiccrawler.results.excerpts import Excerpts
from topiccrawler.results.formats import compressed, without_controls
from topiccrawler.results.templating import as_text
from topiccrawler.store.duplicates import DuplicateIndex
from topiccrawler.store.pages import PageRecord
from topiccrawler.urls.canonical import host_of

FIELDS = package_table("results/corpus_fields.toml")
SHARD_BYTES = 500_000_000
COMPRESSIONS = ("gz", "zst", "none")
MOST_SITES = 100  # sites listed in the card
_COUNTED = re.compile(r"(\w+)=(\d+)")
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_SIZE = re.compile(r"(\d{1,12})\s*([KMG]?B?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The options for the files of a corpus. ArgumentError for an unknown compression."""

    shard_bytes: int = SHARD_BYTES  # largest size of a shard before compression
    compress: str = "gz"
    no_copies: bool = False

    def __post_init__(self) -> None:
        if self.compress not in COMPRESSIONS:
            remedy = f"use one of {', '.join(COMPRESSIONS)}"
            raise ArgumentError(f"--compress {self.compress}", "is not known", remedy)


WHOLE = Shape()


@dataclass(slots=True)
class Counts:
    """Counts of the selected pages: written, left out, and by language and site."""

    written: int = 0
    characters: int = 0
    without_text: int = 0
    copies: int = 0
    excerpts: int = 0
    refused: int = 0  # by what they say about their use
    shards: list[str] = field(default_factory=list)
    languages: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    sites: Counter[str] = field(default_factory=Counter)
    usage: Counter[str] = field(default_factory=Counter)  # preferences, as train-ai=n, and UNSTATED
    licences: Counter[str] = field(default_factory=Counter)
    personal_data: Counter[str] = field(default_factory=Counter)  # by kind
    opinions: Counter[str] = field(default_factory=Counter)  # of a language model: yes, or empty
    with_personal_data: int = 0  # pages
    days: list[str] = field(default_factory=list)  # the earliest and the latest date of a page

    def add(self, row: dict[str, Any]) -> None:
        """Count a page that was written."""
        self.written += 1
        self.characters += len(row["text"])
        self.languages[row["language"]] += 1
        self.kinds[row["kind"]] += 1
        self.sites[host_of(row["url"])] += 1
        self.usage.update(f"{label}={value}" for label, value in stated_in(row["usage"]).items())
        self.usage[UNSTATED] += not stated_in(row["usage"])
        self.licences[row["licence"].partition(";")[0] or UNSTATED] += 1
        self.opinions[row["opinion"]] += 1
        self.with_personal_data += bool(row["personal_data"])
        for kind, count in _COUNTED.findall(row["personal_data"]):
            self.personal_data[kind] += int(count)
        if day := row["date"]:
            self.days = [min([day, *self.days]), max([day, *self.days])]


def size_of(given: str) -> int:
    """The number of bytes in a size such as 500MB or 1GB. ArgumentError for anything else."""
    found = _SIZE.fullmatch(given.strip())
    unit = found[2].upper().removesuffix("B") if found else ""
    size = int(found[1]) * _UNITS[f"{unit}B"] if found else 0
    if size < 1:
        raise ArgumentError(f"--shard-size {given}", "is no size", "write it as 500MB or 1GB")
    return size


def row_of(record: PageRecord, text: str, hide: Callable[[str], str] = str) -> dict[str, Any]:
    """The fields of one page, which become one line of the corpus. `hide`: replaces personal data in a text."""
    fetched = datetime.fromtimestamp(record.fetched, UTC).isoformat(timespec="seconds")
    return {
        "id": blake2b(record.url.encode("utf-8", "replace"), digest_size=8).hexdigest(),
        "url": record.url,
        "title": without_controls(hide(record.title)),
        "text": without_controls(hide(text)),
        "date": record.day,
        "language": record.language or "und",
        "kind": record.kind,
        "score": round(record.relevance, 4),
        "opinion": record.opinion,
        "opinion_reason": without_controls(record.opinion_reason),
        "fetched": fetched,
        "usage": record.usage or UNSTATED,
        "licence": record.licence,
        "personal_data": record.personal_data,
    }


def write_corpus(
    records: Iterable[PageRecord],
    place: Path,
    text_of: Callable[[PageRecord], str],
    shape: Shape = WHOLE,
    *,
    limit: int | None = None,
    about: Iterable[str] = (),
    usage: str = TRAIN_AI,
    hide: Callable[[str], str] = str,
) -> Counts:
    """Write the corpus folder and return the counts of its pages. `records`: read three times, so no iterator. `about`: lines for the card
    on the job and its filters. `limit`: pages at most; excerpts of others among them are left out without a replacement. `usage`: the use that
    pages must not refuse (pages.usage.meets). `hide`: see `row_of`.

    ArgumentError for a folder that is not empty; after a failure no folder is left.
    """
    counts = Counts()
    with new_folder(place) as folder:
        excerpts, wanted = Excerpts(), set[str]()
        for record in islice(_wanted(records, shape, usage, counts), limit):
            wanted.add(record.url)
            excerpts.note(record)
        for record in records:
            if meets(record.usage, usage):
                excerpts.compare(record)
        left_out = excerpts.found()
        counts.excerpts = len(left_out)
        wanted -= left_out
        with _Shards(folder, shape, counts.shards) as shards:
            for record in (record for record in records if record.url in wanted):
                row = row_of(record, text_of(record), hide)
                shards.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
                counts.add(row)
        card = _card(place.name, counts, shape, list(about), hidden=hide is not str)
        (folder / "README.md").write_text(card, encoding="utf-8")
    return counts


def _wanted(records: Iterable[PageRecord], shape: Shape, usage: str, counts: Counts) -> Iterator[PageRecord]:
    with closing(DuplicateIndex(":memory:")) as known:  # the caller may want only the first pages
        for record in records:
            if not meets(record.usage, usage):
                counts.refused += 1
            elif not record.text.strip():
                counts.without_text += 1
            elif (
                shape.no_copies
                and (print_ := fingerprint(record.text))
                and known.first_of(record.url, print_)
            ):
                counts.copies += 1
            else:
                yield record


@contextmanager
def new_folder(place: Path) -> Iterator[Path]:
    """A temporary folder that is renamed to `place` once everything in it is written."""
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
    """Distributes lines over several files of about the same size."""

    def __init__(self, folder: Path, shape: Shape, names: list[str]) -> None:
        self._folder, self._shape, self._names = folder, shape, names
        self._files = ExitStack()
        self._out: BinaryIO | None = None
        self._bytes = 0  # uncompressed, written to the open shard

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._files.close()

    def write(self, line: bytes) -> None:
        """Write a line; begin the next file when the open one is full."""
        if self._out is None or self._bytes + len(line) > self._shape.shard_bytes:
            self._files.close()
            suffix = "" if self._shape.compress == "none" else f".{self._shape.compress}"
            self._names.append(f"pages-{len(self._names):05}.jsonl{suffix}")
            raw = self._files.enter_context((self._folder / self._names[-1]).open("wb"))
            self._out, self._bytes = self._files.enter_context(compressed(raw, suffix)), 0
        self._bytes += len(line)
        self._out.write(line)


def _card(name: str, counts: Counts, shape: Shape, about: list[str], *, hidden: bool) -> str:
    """The text of the folder's README.md, with the metadata header that Hugging Face reads."""
    codes = sorted({tag.partition("-")[0] for tag in counts.languages} - {"und"})
    sites = sorted(counts.sites.items(), key=lambda pair: (-pair[1], pair[0]))
    known = {"name": name, "codes": json.dumps(codes), "counts": counts, "shape": shape, "about": about}
    known["hidden"] = hidden
    known |= {"day": time.strftime("%Y-%m-%d"), "fields": FIELDS, "sites": sites, "most_sites": MOST_SITES}
    return as_text("results/templates/corpus.md", known) + "\n"
