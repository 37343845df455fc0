"""Parses every page of a recorded web once, for all topics, context makers, strategies and runs, with the crawl's own Reader.

Parsing a page costs ten times as much as scoring its links, and all parsed pages of a web do not fit into memory. So they
are in a temporary SQLite file as compressed JSON; every run, in any process, loads from it the pages that it fetches.

A link counts once for each place where it occurs in a page. Links to pages that the web does not have are counted and left out.
"""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.assemble import page_classifier_of, reader_of, topic_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.files import compact
from topiccrawler.lab.recorded_web import LinkTable, RecordedPages
from topiccrawler.lab.workers import Workers
from topiccrawler.links.extract import ContextMaker, extract
from topiccrawler.model import Link, Page, Via
from topiccrawler.pages import read as page_reading
from topiccrawler.pages.formats.registry import READ, recognise
from topiccrawler.pages.read import PageClassifier, Reader, terms_of
from topiccrawler.pages.site_rules import is_robots, sitemap_lines
from topiccrawler.relevance.evidence import EvidenceClassifier, Found
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.text.segmenter import Segmenter

PAGES_A_TASK = 64
# Fields of a link that its target determines, or that are known only when a run fetches its page.
_NOT_PACKED = ("url", "host", "depth", "source_url")
LINK_FIELDS = tuple(name for name in Link._fields if name not in _NOT_PACKED)
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


class Reading(NamedTuple):
    """One page, parsed for several topics and context makers; `links` have their targets as numbers."""

    page: dict[str, Any]  # PAGE_FIELDS
    judged: list[Judged]  # for each topic
    links: dict[str, list[list[Any]]]  # context maker -> [target, *LINK_FIELDS] a link


class ParsedPages:
    """The file of parsed pages, opened for one run."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        rows = self._database.execute("SELECT url, host FROM pages ORDER BY number").fetchall()
        self.urls: list[str] = [url for url, _ in rows]
        self.hosts: list[str] = [host for _, host in rows]
        self.numbers = {url: number for number, url in enumerate(self.urls)}

    def read(self, number: int) -> Reading | None:
        """The parsed page; None for an unsupported file format."""
        query = "SELECT reading FROM pages WHERE number = ?"
        (blob,) = self._database.execute(query, (number,)).fetchone()
        if blob is None:
            return None
        page, judged, links = json.loads(zlib.decompress(blob).decode("utf-8", "surrogatepass"))
        return Reading(page, [Judged(*one) for one in judged], links)

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


def write_pages(path: Path, pages: Iterable[tuple[int, str, str, bytes | None]]) -> None:
    """Make the file from the number, URL, host and packed reading of every page (None: unsupported file format)."""
    with sqlite3.connect(path) as database:
        database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _SCHEMA)
        database.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", pages)
    database.close()


def pack(page: Page, judged: Sequence[Judged], links: dict[str, list[tuple[int, Link]]]) -> bytes:
    """A page's Reading as bytes. `judged`: one verdict a topic. `links`: by context maker, each with the number of its target."""
    plain = {name: getattr(page, name) for name in PAGE_FIELDS}
    rows = {
        context: [[target, *(getattr(link, name) for name in LINK_FIELDS)] for target, link in found]
        for context, found in links.items()
    }
    reading = [{**plain, "terms": dict(page.terms)}, judged, rows]
    return zlib.compress(compact(reading).encode("utf-8", "surrogatepass"), 1)


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """The description of what is read from the web, and how; equal in every process."""

    web: tuple[Path, ...]
    recipes: tuple[str, ...]  # one a topic, as JSON: a plan must be hashable
    contexts: tuple[ContextMaker, ...]
    details: bool = False  # classify pages as detail or link pages

    @classmethod
    def of(
        cls,
        web: Sequence[Path],
        recipes: Sequence[Recipe],
        contexts: Sequence[ContextMaker],
        details: bool = False,
    ) -> Self:
        """The plan for the topics of these recipes. `details`: classify pages as detail or link pages."""
        plain = (json.dumps(recipe.as_json()) for recipe in recipes)
        return cls(tuple(web), tuple(plain), tuple(contexts), details)


@dataclass(slots=True)
class WebReading:
    """The results of reading the web."""

    links: LinkTable
    targets: list[set[int]]  # for each topic the pages that its page classifier finds relevant
    elsewhere: int = 0  # number of links to pages that the web does not have


class _Read(NamedTuple):
    reading: bytes | None
    is_target: list[bool]
    targets: list[int]
    elsewhere: int


def read_web(
    plan: ReadingPlan, pages: RecordedPages, path: Path, workers: Workers, tick: Callable[[int], None]
) -> WebReading:
    """Read the web into the file at `path`. `tick`: called with the number of pages done since the last call."""
    found = WebReading(LinkTable(), [set() for _ in plan.recipes])
    starts = range(0, len(pages), PAGES_A_TASK)

    def rows() -> Iterator[tuple[int, str, str, bytes | None]]:
        waiting: dict[int, list[_Read]] = {}
        following = 0
        for number, part in workers.run(_read_part, [(plan, start) for start in starts]):
            waiting[number] = part
            tick(len(part))
            while following in waiting:  # the link table must be filled in the order of page numbers
                for page, read in enumerate(waiting.pop(following), starts[following]):
                    found.links.add(read.targets)
                    found.elsewhere += read.elsewhere
                    for targets, is_target in zip(found.targets, read.is_target, strict=True):
                        targets.update([page] if is_target else [])
                    yield page, pages.urls[page], pages.hosts[page], read.reading
                following += 1

    write_pages(path, rows())
    return found


class _Opened(NamedTuple):
    """The objects that a process needs to read pages."""

    pages: RecordedPages
    page_classifiers: list[PageClassifier]
    readers: list[Reader]  # one a topic; topics with equal segmenters share an object
    recipe: Recipe


@lru_cache(maxsize=1)
def _opened(plan: ReadingPlan) -> _Opened:
    recipes = [Recipe.from_json(json.loads(text), "the recipe") for text in plan.recipes]
    topics = [topic_of(recipe) for recipe in recipes]
    page_classifiers = [page_classifier_of(recipe) for recipe in recipes]
    sites = {place: rule for topic in reversed(topics) for place, rule in topic.sites.items()}
    readers: dict[Segmenter, Reader] = {}
    for topic in topics:
        everywhere = topic.model_copy(update={"sites": sites})  # a page is parsed once, for all topics
        reader = reader_of(recipes[0], everywhere, page_classifiers[0], detail=plan.details)
        reader.reads_segments = any(one.reads_segments for one in page_classifiers)
        readers.setdefault(topic.segmenter, reader)
    of_topics = [readers[topic.segmenter] for topic in topics]
    return _Opened(RecordedPages(RecordedWeb(plan.web)), page_classifiers, of_topics, recipes[0])


def _read_part(task: tuple[ReadingPlan, int]) -> list[_Read]:
    plan, start = task
    opened = _opened(plan)
    end = min(start + PAGES_A_TASK, len(opened.pages))
    return [_read(plan, opened, number) for number in range(start, end)]


def _read(plan: ReadingPlan, opened: _Opened, number: int) -> _Read:
    pages, url = opened.pages, opened.pages.urls[number]
    unread = _Read(None, [False] * len(opened.page_classifiers), [], 0)
    recorded = pages.web.response(pages.recorded[number])
    if recorded is None:
        return unread
    headers = {name.lower(): value for name, value in recorded.headers}
    kind = headers.get(b"content-type", b"").decode("latin-1")
    if recognise(recorded.body, kind) not in READ:
        return unread
    charset = http_content_type_encoding(kind)
    reading = opened.readers[0].read(url, recorded.body, charset, content_type=kind)
    if reading.fault:
        return unread
    listings = reading.page.listings
    if is_robots(url):
        listings = sitemap_lines(recorded.body.decode("utf-8", "replace"), url)
    ends = [(at, pages.number(at)) for at in listings]
    page = replace(reading.page, listings=[at if end is None else pages.urls[end] for at, end in ends])
    judged = _judged(opened, reading)
    links: dict[str, list[tuple[int, Link]]] = {}
    elsewhere = 0
    for context in plan.contexts:
        made = extract(
            reading.document,
            url,
            depth=0,
            context=context,
            extra_parameters=frozenset(opened.recipe.dropped_parameters),
            encoding=reading.encoding,
        )
        links[context] = [(target, link) for link in made if (target := pages.number(link.url)) is not None]
        elsewhere = len(made) - len(links[context])
    targets = [target for target, _ in links[plan.contexts[0]]]
    return _Read(pack(page, judged, links), [one.is_target for one in judged], targets, elsewhere)


def _judged(opened: _Opened, reading: page_reading.Reading) -> list[Judged]:
    """The verdict of each topic's page classifier, on the page's words by the segmenter of that topic."""
    first, *_ = opened.readers
    page, document = reading.page, reading.document
    words = {first: reading.words}
    judged = []
    for classifier, reader in zip(opened.page_classifiers, opened.readers, strict=True):
        if reader not in words:
            words[reader] = reader.words(document, page.title, reading.main_text, page.url)
        found = classifier.observe(words[reader]) if isinstance(classifier, EvidenceClassifier) else None
        relevance = classifier.relevance(words[reader])
        terms = None if reader is first else terms_of(words[reader])
        is_target = relevance >= classifier.threshold
        judged.append(Judged(classifier.similarity(words[reader]), relevance, is_target, found, terms))
    return judged
