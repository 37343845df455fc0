"""Caches the parsed pages of a recorded web in one temporary file, so that every page is parsed once for all runs.

Parsing a page costs ten times as much as scoring its links, and all parsed pages of a web do not fit into memory. So they
are in a SQLite file as compressed JSON; every run, in any process, loads from it the pages that it fetches.
"""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from topiccrawler.files import compact
from topiccrawler.model import Link, Page, Via
from topiccrawler.relevance.evidence import Found

# Fields of a link that its target determines, or that are known only when a run fetches its page.
_OF_THE_TARGET = ("url", "host")
_OF_THE_RUN = ("depth", "source_url")
LINK_FIELDS = tuple(name for name in Link._fields if name not in _OF_THE_TARGET + _OF_THE_RUN)
_PAGE_OF_THE_RUN = ("url", "depth", "similarity", "relevance", "is_target", "via")
PAGE_FIELDS = tuple(one.name for one in dataclasses.fields(Page) if one.name not in _PAGE_OF_THE_RUN)
_SCHEMA = "CREATE TABLE pages (number INTEGER PRIMARY KEY, url TEXT, host TEXT, reading BLOB);"


class Judged(NamedTuple):
    """The verdict of one topic's page classifier on one page."""

    similarity: float
    relevance: float
    is_target: bool
    # the observations of relevance.evidence, if that is the topic's page classifier
    found: list[Found] | None
    # the page's terms, if the topic's segmenter splits it differently from that of the first topic
    terms: dict[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One page, parsed for several topics and context makers; `links` have their targets as numbers."""

    page: dict[str, Any]  # PAGE_FIELDS
    judged: list[Judged]  # for each topic
    links: dict[str, list[list[Any]]]  # context maker -> [target, *LINK_FIELDS] a link


def write_pages(path: Path, pages: Iterable[tuple[int, str, str, bytes | None]]) -> None:
    """Make the file from the number, URL, host and packed reading of every page (None: unsupported file format)."""
    with sqlite3.connect(path) as database:
        database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _SCHEMA)
        database.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", pages)
    database.close()


class ParsedPages:
    """The file of parsed pages, opened for one run."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        rows = self._database.execute("SELECT url, host FROM pages ORDER BY number").fetchall()
        self.urls: list[str] = [url for url, _ in rows]
        self.hosts: list[str] = [host for _, host in rows]
        self.numbers = {url: number for number, url in enumerate(self.urls)}

    def __len__(self) -> int:
        return len(self.urls)

    def read(self, number: int) -> Reading | None:
        """The parsed page; None for an unsupported file format."""
        query = "SELECT reading FROM pages WHERE number = ?"
        (blob,) = self._database.execute(query, (number,)).fetchone()
        if blob is None:
            return None
        page, judged, links = json.loads(zlib.decompress(blob).decode("utf-8", "surrogatepass"))
        return Reading(page, [Judged(*one) for one in judged], links)

    def seed(self, number: int) -> Link:
        """A page as the link of a seed."""
        return Link(self.urls[number], self.hosts[number])

    def page(self, number: int, reading: Reading, topic: int, via: Via) -> Page:
        """The page for a run of this topic that reached it by `via`."""
        one = reading.judged[topic]
        known = {**reading.page, "relevance": one.relevance, "is_target": one.is_target}
        known |= {"similarity": one.similarity, "terms": known["terms"] if one.terms is None else one.terms}
        return Page(self.urls[number], via.link.depth, **known, via=via)

    def links(self, reading: Reading, page: Page, context: str) -> list[Link]:
        """The links of a page to pages of the web, in document order. `context`: the context maker."""
        rows = [(at, dict(zip(LINK_FIELDS, values, strict=True))) for at, *values in reading.links[context]]
        own: dict[str, Any] = {"depth": page.depth + 1, "source_url": page.url}
        return [Link(self.urls[at], self.hosts[at], **own, **row) for at, row in rows]

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def pack(page: Page, judged: Sequence[Judged], links: dict[str, list[tuple[int, Link]]]) -> bytes:
    """A page's Reading as bytes. `judged`: one verdict a topic. `links`: by context maker, each with the number of its target."""
    plain = {name: getattr(page, name) for name in PAGE_FIELDS}
    rows = {
        context: [[target, *(getattr(link, name) for name in LINK_FIELDS)] for target, link in found]
        for context, found in links.items()
    }
    reading = [{**plain, "terms": dict(page.terms)}, judged, rows]
    return zlib.compress(compact(reading).encode("utf-8", "surrogatepass"), 1)
