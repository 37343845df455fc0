"""Describes the stored pages of a job, one for each URL, and how they are asked for.

`Pages` is the interface of a store: store.page_store keeps pages in the job's database, cluster.postgresql on a server. A killed crawl
fetches its open pages again, so storing a page twice must be harmless: a row is an upsert by URL.

Text is plain TEXT, so that sqlite3, pandas and a full-text index can read it. With compressed text (zlib, level 1) the file had 56 % of
the size, and a page cost 0.17 ms more CPU to write and 0.07 ms more to read (600 pages of recorded blogs, 6.5 kB of text each).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from typing import Any, ClassVar, NamedTuple, Protocol

from topiccrawler.items import Medium, PageFields, PageItem
from topiccrawler.job_database import storable
from topiccrawler.pages.kinds import kind_of_text
from topiccrawler.pages.languages import UNKNOWN
from topiccrawler.pages.site_repeats import Fingerprint
from topiccrawler.pages.usage import ALLOWED, PURPOSES, REFUSED
from topiccrawler.text.segmenter import Segmenter


@dataclass(frozen=True, slots=True)
class Selection:
    """Conditions that select pages; a page must meet them all, and an empty one is ignored."""

    topic: str = ""
    site: str = ""  # a host, or a domain with its subdomains
    since: str = ""  # YYYY-MM-DD: the earliest day of the page, or else of its fetch
    min_relevance: float = 0.0  # 0..1
    format: str = ""  # html, pdf … (docs/formats.md)
    kinds: tuple[str, ...] = ()  # article, list, stub (pages.kinds); a page must be of one of them
    languages: tuple[str, ...] = ()  # tags (pages.languages.is_in); a page must be in one of them
    usage: str = ""  # one of pages.usage.PURPOSES that the page does not refuse; with `=y`, that it allows
    refused: bool = False  # only the pages that were kept and are not any more (crawling.judging)

    def condition(self, *, host: str, day: str, find: str = "instr") -> tuple[str, list[object]]:
        """The conditions in SQL, and their values. `host`, `day`: SQL expressions for these; `find`: SQL function for a text in a text."""
        tests: list[tuple[str, list[object]]] = [("refused" if self.refused else "NOT refused", [])]
        if self.topic:
            # a page may have several
            tests.append((f"{find}(',' || topic || ',', ?) > 0", [f",{self.topic},"]))
        if self.site:
            below = f".{self.site}"
            end = f"substr({host}, length({host}) - {len(below) - 1})"
            tests.append((f"({host} = ? OR {end} = ?)", [self.site, below]))
        if self.since:
            tests.append((f"{day} >= ?", [self.since]))
        if self.min_relevance > 0:
            tests.append(("relevance >= ?", [self.min_relevance]))
        if self.format:
            tests.append(("format = ?", [self.format]))
        if self.kinds:
            tests.append((f"kind IN ({', '.join('?' * len(self.kinds))})", list(self.kinds)))
        if self.languages:
            one = f"coalesce(nullif(language, ''), '{UNKNOWN}') || '-' LIKE ?"
            tests.append(
                (f"({' OR '.join([one] * len(self.languages))})", [f"{tag}-%" for tag in self.languages])
            )
        if self.usage:
            purpose, _, allows = self.usage.partition("=")
            refusing = PURPOSES.get(purpose, ())
            tests += [(f"{find}(' ' || usage, ?) = 0", [f" {label}={REFUSED}"]) for label in refusing]
            if allows:
                tests.append((f"{find}(' ' || usage, ?) > 0", [f" {purpose}={ALLOWED}"]))
        return " AND ".join(test for test, _ in tests), [value for _, values in tests for value in values]


ALL = Selection()


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One word or phrase of a query."""

    spellings: tuple[tuple[str, ...], ...]  # alternative lists of words, any of which matches
    is_phrase: bool
    is_excluded: bool


@dataclass(frozen=True, slots=True)
class Found:
    """One page that matches a query."""

    page: int  # its row
    rank: float  # larger is better


@dataclass(slots=True, kw_only=True)
class PageRecord(PageFields):
    """One stored page."""

    stored: bool = True  # False: off topic, kept in a sample so that mistakes can be found
    content_hash: str = ""  # hash of the text; set by put()
    media: str = ""  # pictures and files to which it links: a JSON list of {url, anchor, alt, caption, kind}
    evidence: bytes = b""  # what page classifiers read of it (pages.page_evidence); empty for a copy
    judged: float = 0.0  # when it was judged again, in seconds since the epoch; 0 = when it was fetched
    refused: bool = False  # it was kept, and judged again it is not; then `stored` is False
    refusal: str = (
        ""  # why it is refused whatever its topic, as `noindex (meta robots)`; empty if the topic decides
    )

    @property
    def day(self) -> str:
        """The day as YYYY-MM-DD: as the page states, else the day of its fetch in local time; empty if that time is out of range."""
        if self.published:
            return self.published
        try:
            return time.strftime("%Y-%m-%d", time.localtime(self.fetched))
        except (OverflowError, OSError, ValueError):
            return ""


def media_of_record(record: PageRecord) -> list[Medium]:
    """The pictures and files to which a stored page links, in the order of the page."""
    return [Medium(**one) for one in json.loads(record.media or "[]")]


def record_of(item: PageItem) -> PageRecord:
    """The record by which the page of an item is stored. An item whose type has no field for the relevance is stored with 0; the kind of
    one without a kind is that of its text."""
    media = json.dumps([asdict(medium) for medium in item.media], ensure_ascii=False) if item.media else ""
    values = {field.name: getattr(item, field.name) for field in fields(PageFields)}
    known = {"relevance": max(0.0, item.relevance), "kind": item.kind or kind_of_text(item.text)}
    evidence = b"" if item.alias_of else getattr(item, "evidence", b"")
    return PageRecord(media=media, evidence=evidence, **{**values, **known})


class Judgement(NamedTuple):
    """What judging a stored page again has changed, by its row."""

    row: int
    relevance: float  # 0..1
    kept: bool
    refused: bool  # it was kept before; false for a page of a sample of those that were not
    topic: str
    summary: str
    opinion: str = ""
    opinion_reason: str = ""


COLUMNS = [field.name for field in fields(PageRecord)]
_ALL = ", ".join(COLUMNS)
_AT_ONCE = 100  # pages to read with one query
_NO_LIMIT = 1 << 62


class SqlPages:
    """The queries of `Pages` that are the same for SQLite and PostgreSQL; `?` is the placeholder for a value."""

    table: ClassVar[str] = "pages WHERE true"  # table and condition for the pages of the job
    row: ClassVar[str] = "rowid"
    is_alias_of: ClassVar[str] = "alias_of = ?"

    def at(self, row: int) -> PageRecord | None:
        return self._one(f"{self.row} = ?", row)

    def best(self, selection: Selection = ALL, limit: int | None = None) -> list[int]:
        condition, values = self._condition(selection)
        which = f"{'refused' if selection.refused else 'stored'} AND {condition} ORDER BY relevance DESC, url LIMIT ?"
        return self._numbers(which, *values, _NO_LIMIT if limit is None else limit)

    def after(self, row: int, limit: int) -> list[tuple[int, PageRecord]]:
        which = f"{self.row} > ? AND stored ORDER BY {self.row} LIMIT ?"
        found = self._rows(f"{self.row}, {_ALL}", which, row, limit)
        return [(number, record_from(rest)) for number, *rest in found]

    def copies(self, url: str, limit: int) -> list[str]:
        which = f"{self.is_alias_of} AND alias_of <> '' ORDER BY {self.row} LIMIT ?"
        return [found for (found,) in self._rows("url", which, url, limit)]

    def records(self) -> Iterator[PageRecord]:
        return (record for _, record in self.rows())

    def rows(self) -> Iterator[tuple[int, PageRecord]]:
        last, which = 0, f"{self.row} > ? ORDER BY {self.row} LIMIT {_AT_ONCE}"
        while found := self._rows(f"{self.row}, {_ALL}", which, last):
            for last, *rest in found:
                yield last, record_from(rest)

    def judged_again(self) -> dict[str, tuple[bool, float]]:
        found = self._rows("url, stored, relevance", "judged > 0")
        return {url: (bool(kept), relevance) for url, kept, relevance in found}

    def last_judged(self) -> float:
        return float(self._rows("coalesce(max(judged), 0)", "judged > 0")[0][0])

    def _one(self, which: str, value: object) -> PageRecord | None:
        found = self._rows(_ALL, which, value)
        return record_from(found[0]) if found else None

    def _numbers(self, which: str, *values: object) -> list[int]:
        return [row for (row,) in self._rows(self.row, which, *values)]

    def _rows(self, what: str, which: str, *values: object) -> list[Any]:
        """The columns `what` of the job's pages for which the condition `which` is true."""
        raise NotImplementedError

    def _condition(self, selection: Selection) -> tuple[str, list[object]]:
        raise NotImplementedError


def content_hash(text: str) -> str:
    """The hash of a page's text, after `storable`, in hexadecimal digits."""
    return blake2b(str(storable(text)).encode("utf-8"), digest_size=8).hexdigest()


def record_from(row: Sequence[object]) -> PageRecord:
    """The record of a page from a row of the store; `row`: the values of COLUMNS in that order."""
    found: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    flags = {"stored": bool(found["stored"]), "refused": bool(found["refused"])}
    return PageRecord(**{**found, "evidence": bytes(found["evidence"]), **flags})


class Earlier(NamedTuple):
    """What is compared of a stored page with a similar text."""

    title: str
    kind: str
    text: str


class Pages(Protocol):
    """Pages by URL. Each has a row, a number that does not change. Methods raise StateError if the store cannot be used."""

    def put(self, record: PageRecord) -> int:
        """Store a page, or replace the one with its URL. Returns its row."""

    def get(self, url: str) -> PageRecord | None:
        """The page with a canonical URL; None if it is not stored."""

    def at(self, row: int) -> PageRecord | None:
        """The page in a row; None if there is none."""

    def best(self, selection: Selection = ALL, limit: int | None = None) -> list[int]:
        """The rows of the selected pages about the topic, the most relevant first, at most `limit` (None = all)."""

    def nearest(self, relevance: float, limit: int) -> list[int]:
        """The rows of pages about the topic that are no copies, sorted by the distance of their relevance to `relevance`."""

    def after(self, row: int, limit: int) -> list[tuple[int, PageRecord]]:
        """The first pages about the topic after a row, each with its row, in order of arrival."""

    def copies(self, url: str, limit: int) -> list[str]:
        """The URLs of the pages that are stored as copies of a page, in order of arrival."""

    def find(
        self, terms: tuple[QueryTerm, ...], selection: Selection, limit: int, *, media: bool = False
    ) -> list[Found]:
        """The best pages that match the terms, at most `limit`. `media`: by the words of their links to pictures and files."""

    def judge(self, judgements: Iterable[Judgement], now: float) -> None:
        """Set what judging pages again has found, at the time `now` in seconds since the epoch."""

    def judged_again(self) -> dict[str, tuple[bool, float]]:
        """The URLs of the pages that judging again has changed, each with whether it is kept now and its relevance."""

    def last_judged(self) -> float:
        """The time at which a page was last changed by judging again, in seconds since the epoch; 0 = never."""

    def records(self) -> Iterator[PageRecord]:
        """All pages, lazily, in order of arrival; also those that are refused."""

    def rows(self) -> Iterator[tuple[int, PageRecord]]:
        """As `records`, each with its row."""

    def commit(self) -> None:
        """Make everything so far durable."""

    def close(self) -> None:
        """Commit and close. A second call does nothing."""


class SharedPages(Protocol):
    """The pages of a crawl on a server, as one process of the crawl stores them. Futures are done when the server has responded."""

    address: str  # address of the server, without its secret parts
    job: str  # the crawl's name there

    @property
    def pages(self) -> Pages:
        """The store of the pages, for the thread of the crawl."""

    def check(self, another: Callable[[str, str, str], tuple[str, str]] | None = None) -> None:
        """Raise StateError if the server cannot be used, or the job there has another topic.

        `another`: from the recipe there, its topic and the requested topic, returns fault and remedy of the message.
        """

    def begin(self, recipe: Mapping[str, object], topic: str = "") -> None:
        """Store the recipe of the crawl, when it begins or is resumed, for commands that read the job. `topic`: a changed topic's name."""

    def keep(self, record: PageRecord, segmenter: Segmenter) -> Future[int]:
        """Store a page; done when it is durable. `segmenter`: the segmenter of the crawl."""

    def get(self, url: str) -> Future[PageRecord | None]:
        """The page of this job with a URL; None if it is not stored."""

    def first_of(
        self,
        url: str,
        print_: Fingerprint,
        *,
        across_sites: bool,
        may_be: Callable[[str, Earlier | None], bool],
    ) -> Future[str | None]:
        """The URL of the page, stored by any process, of which this page is a copy; None if it is the first, which is then recorded.

        `may_be`: called in another thread for each page that matches, with its URL and itself (None: not stored yet); false = no copy of it.
        """

    def hurry(self) -> None:
        """Wait less long for an unreachable server from now on, because the crawl is closing."""

    def figures(self) -> Mapping[str, float]:
        """Figures for the stats, by name."""

    def close(self) -> None:
        """Finish all work and close. A second call does nothing."""

    def abandon(self) -> None:
        """Close at once, without finishing."""
