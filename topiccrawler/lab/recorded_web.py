"""Parsed pages of a recorded web, in one temporary file: every page is read once for all runs.

Reading a page costs ten times as much as scoring its links, and all parsed pages of a web do not fit into memory. So they
lie in a SQLite file as compressed JSON; every run, in any process, loads from there the pages it fetches.

The pages of a recorded web as numbers: one number a page, however many URLs lead to it.

Every URL goes the same way: canonical form, then what the recorded web answers, through its redirects, to the record at the
end; a page is that record.

Which recorded page links to which, as compact arrays: a link is four bytes, and a page's links a slice.

The truth about a recorded web: which pages are about which topic, as people or rules have labelled them. No crawl sees it.

A file of lines `url TAB topics TAB how TAB kind`; topics separated by commas, may be empty (no evidence); kind is home, hub or
content; lines that begin with `#` are passed over. URLs are compared by the page they lead to.
"""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.files import compact
from topiccrawler.model import Link, Page, Via
from topiccrawler.relevance.evidence import Found
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.urls.canonical import canonical, host_of

MOST_REDIRECTS = 5  # as REDIRECT_MAX_TIMES in a live crawl


class RecordedPages:
    """Numbers for the pages of a web that answer 200, in the order of the recording."""

    def __init__(self, web: RecordedWeb) -> None:
        self.web = web
        self.urls: list[str] = []  # number -> canonical URL
        self.recorded: list[str] = []  # number -> URL to read it by
        self._numbers: dict[str, int] = {}  # recorded URL -> number
        self._known: dict[str, int | None] = {}
        for url in web.urls():
            asked = canonical(url)
            found = self._record(asked) if asked else None
            if asked and found and found not in self._numbers:
                self._numbers[found] = len(self.urls)
                self.recorded.append(found)
                self.urls.append(canonical(found) or asked)
        self.hosts = [host_of(url) for url in self.urls]

    def __len__(self) -> int:
        return len(self.urls)

    def number(self, url: str) -> int | None:
        """The page a canonical URL leads to; None where the web holds none."""
        if url not in self._known:
            record = self._record(url)
            self._known[url] = None if record is None else self._numbers.get(record)
        return self._known[url]

    def number_of_any(self, url: str) -> int | None:
        """The same for a URL as people and files write it."""
        asked = canonical(url)
        return None if asked is None else self.number(asked)

    def _record(self, url: str) -> str | None:
        for _ in range(MOST_REDIRECTS + 1):
            found = self.web.find(url)
            if found.status == 200:
                return self.web.record_url(url)
            target = canonical(found.location, url) if found.location else None
            if target is None or target == url:
                return None
            url = target
        return None


NOWHERE = -1


class LinkTable:
    """For each page the distinct pages it links to, in document order. Pages are added in order of their numbers."""

    def __init__(self, targets: Iterable[Sequence[int]] = ()) -> None:
        self._ends = array("Q", [0])
        self._targets = array("I")
        for row in targets:
            self.add(row)

    def add(self, targets: Iterable[int]) -> None:
        """The links of the next page."""
        self._targets.extend(dict.fromkeys(targets))
        self._ends.append(len(self._targets))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, page: int) -> array[int]:
        return self._targets[self._ends[page] : self._ends[page + 1]]

    @property
    def links(self) -> int:
        """How many distinct links there are."""
        return len(self._targets)

    def reachable(self, seeds: Iterable[int]) -> set[int]:
        """The pages a crawl from the seeds can come to."""
        return {page for page, steps in enumerate(_steps(self._graph(), seeds)) if steps != NOWHERE}

    def distances(self, relevant: Iterable[int]) -> list[int]:
        """For each page the fewest links to a relevant page: 0 if it is one, NOWHERE when none can be reached."""
        return _steps(self._graph().T, relevant)

    def _graph(self) -> csr_array:
        ones = np.ones(len(self._targets), dtype=np.int8)
        targets, ends = (np.asarray(numbers, dtype=np.int32) for numbers in (self._targets, self._ends))
        return csr_array((ones, targets, ends), shape=(len(self), len(self)))


def _steps(graph: csr_array, sources: Iterable[int]) -> list[int]:
    """For each page the fewest links from one of the sources; NOWHERE when none leads there."""
    at = list(dict.fromkeys(sources))
    if not at:
        return [NOWHERE] * graph.shape[0]
    steps = dijkstra(graph, indices=at, unweighted=True, min_only=True)
    return [NOWHERE if far == np.inf else int(far) for far in steps]


CONTENT = "content"
REMEDY = "give lines: url TAB topics TAB how TAB kind"


@dataclass(slots=True)
class Labels:
    """Page numbers by topic."""

    topics: dict[str, set[int]] = field(default_factory=dict)
    content: set[int] = field(default_factory=set)  # pages of kind `content`
    pages: int = 0  # labelled pages of the web
    elsewhere: int = 0  # labelled URLs that the web does not hold

    def of(self, topic: str) -> set[int]:
        """The pages about a topic; an error when there are none: nothing could be measured."""
        if not self.topics.get(topic):
            known = ", ".join(sorted(name for name, pages in self.topics.items() if pages)) or "none"
            fault = "no page of the recorded web is labelled with it"
            raise ArgumentError(f"topic {topic!r}", fault, f"labelled are: {known}")
        return self.topics[topic]


def read_labels(paths: Sequence[Path], pages: RecordedPages) -> Labels:
    """Labels of one or more files. A page that is labelled twice is about all its topics."""
    labels = Labels()
    seen: set[int] = set()
    for path in paths:
        for row in label_rows(path):
            number = pages.number_of_any(row[0])
            if number is None:
                labels.elsewhere += 1
                continue
            seen.add(number)
            for topic in filter(None, (name.strip() for name in row[1].split(","))):
                labels.topics.setdefault(topic, set()).add(number)
            if len(row) > 3 and row[3].strip() == CONTENT:
                labels.content.add(number)
    labels.pages = len(seen)
    if not seen:
        what = f"--labels {', '.join(map(str, paths))}"
        raise ArgumentError(what, "labels no page of the recorded web", "give the labels of this web")
    return labels


def label_rows(path: Path) -> list[list[str]]:
    """The columns of each line. ArgumentError for a file that cannot be read, and for a line of one column."""
    with file_faults(ArgumentError, f"--labels {path}", "cannot be read", REMEDY):
        text = path.read_text(encoding="utf-8-sig")
    rows: list[list[str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#") or not line.strip():
            continue
        row = line.rstrip("\r").split("\t")
        if len(row) < 2:
            raise ArgumentError(f"--labels {path} line {number}", "has no second column", REMEDY)
        rows.append(row)
    return rows


# Known by the page itself, or only when a run fetches it.
_OF_THE_TARGET = ("url", "host")
_OF_THE_RUN = ("depth", "source_url")
LINK_FIELDS = tuple(name for name in Link._fields if name not in _OF_THE_TARGET + _OF_THE_RUN)
_PAGE_OF_THE_RUN = ("url", "depth", "similarity", "relevance", "is_target", "via")
PAGE_FIELDS = tuple(one.name for one in dataclasses.fields(Page) if one.name not in _PAGE_OF_THE_RUN)
_SCHEMA = "CREATE TABLE pages (number INTEGER PRIMARY KEY, url TEXT, host TEXT, reading BLOB);"


class Judged(NamedTuple):
    """One page by the page classifier of one topic."""

    similarity: float
    relevance: float
    is_target: bool
    # what relevance.evidence observed in it, where that is the topic's page classifier
    found: list[Found] | None
    # of the page, where the topic's segmenter cuts it otherwise than that of the first topic
    terms: dict[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One page, read for several topics and context makers; `links` name their targets by number."""

    page: dict[str, Any]  # PAGE_FIELDS
    judged: list[Judged]  # for each topic
    links: dict[str, list[list[Any]]]  # context maker -> [target, *LINK_FIELDS] a link


def write_pages(path: Path, pages: Iterable[tuple[int, str, str, bytes | None]]) -> None:
    """Make the file: number, URL, host and reading of every page (None: nothing we can read)."""
    with sqlite3.connect(path) as database:
        database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _SCHEMA)
        database.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", pages)
    database.close()


class ParsedPages:
    """The file, for one run."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        rows = self._database.execute("SELECT url, host FROM pages ORDER BY number").fetchall()
        self.urls: list[str] = [url for url, _ in rows]
        self.hosts: list[str] = [host for _, host in rows]
        self.numbers = {url: number for number, url in enumerate(self.urls)}

    def __len__(self) -> int:
        return len(self.urls)

    def read(self, number: int) -> Reading | None:
        """What was read of a page; None when it is nothing we can read."""
        query = "SELECT reading FROM pages WHERE number = ?"
        (blob,) = self._database.execute(query, (number,)).fetchone()
        if blob is None:
            return None
        page, judged, links = json.loads(zlib.decompress(blob).decode("utf-8", "surrogatepass"))
        return Reading(page, [Judged(*one) for one in judged], links)

    def seed(self, number: int) -> Link:
        """A page as a seed."""
        return Link(self.urls[number], self.hosts[number])

    def page(self, number: int, reading: Reading, topic: int, via: Via) -> Page:
        """The page as a run that came by `via` sees it."""
        one = reading.judged[topic]
        known = {**reading.page, "relevance": one.relevance, "is_target": one.is_target}
        known |= {"similarity": one.similarity, "terms": known["terms"] if one.terms is None else one.terms}
        return Page(self.urls[number], via.link.depth, **known, via=via)

    def links(self, reading: Reading, page: Page, context: str) -> list[Link]:
        """Its links to pages of the web, in document order."""
        rows = [(at, dict(zip(LINK_FIELDS, values, strict=True))) for at, *values in reading.links[context]]
        own: dict[str, Any] = {"depth": page.depth + 1, "source_url": page.url}
        return [Link(self.urls[at], self.hosts[at], **own, **row) for at, row in rows]

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


def pack(page: Page, judged: Sequence[Judged], links: dict[str, list[tuple[int, Link]]]) -> bytes:
    """One page's Reading as bytes; `judged`: for each topic."""
    plain = {name: getattr(page, name) for name in PAGE_FIELDS}
    rows = {
        context: [[target, *(getattr(link, name) for name in LINK_FIELDS)] for target, link in found]
        for context, found in links.items()
    }
    reading = [{**plain, "terms": dict(page.terms)}, judged, rows]
    return zlib.compress(compact(reading).encode("utf-8", "surrogatepass"), 1)
