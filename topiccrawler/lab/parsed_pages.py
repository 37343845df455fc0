"""Parses every page of a recorded web once, for all topics, context makers, strategies and runs, with the crawl's own Reader.

Parsing a page costs ten times as much as scoring its links, and all parsed pages of a web do not fit into memory. So they
are in a temporary SQLite file, pickled and compressed; every run, in any process, loads from it the pages that it fetches.

A link counts once for each place where it occurs in a page. Links to pages that the web does not have are counted and left out.
"""

from __future__ import annotations

import pickle
import sqlite3
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from scipy.sparse import csr_array
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.assemble import page_classifier_of, reader_of, topic_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.recorded_web import RecordedPages, link_graph
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
_SCHEMA = "CREATE TABLE pages (number INTEGER PRIMARY KEY, url TEXT, host TEXT, reading BLOB);"


# `with bar("reading", 100) as tick: tick(1)` shows progress; tick is called with the steps done since the last call
Bar = Callable[[str, int], AbstractContextManager[Callable[[int], object]]]


def no_bar(*_: object) -> AbstractContextManager[Callable[[int], object]]:
    """A progress bar that shows nothing."""
    return nullcontext(int)


class Judged(NamedTuple):
    """The verdict of one topic's page classifier on one page."""

    similarity: float
    relevance: float
    is_target: bool
    # the observations of relevance.evidence, if that is the topic's page classifier
    found: list[Found] | None
    # the page's terms, if the topic's segmenter splits it differently from that of the first topic
    terms: dict[str, int] | None


class Reading(NamedTuple):
    """One page, parsed for several topics and context makers."""

    page: Page  # as if it were a seed, without a verdict
    judged: list[Judged]  # for each topic
    links: dict[str, list[Link]]  # by context maker: the links to pages of the web, in document order


class ParsedPages:
    """The file of parsed pages, opened for one run."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        rows = self._database.execute("SELECT url, host FROM pages ORDER BY number").fetchall()
        self.urls: list[str] = [url for url, _ in rows]
        self.hosts: list[str] = [host for _, host in rows]
        self.numbers = {url: number for number, url in enumerate(self.urls)}
        self.close = self._database.close

    def read(self, number: int) -> Reading | None:
        """The parsed page; None for an unsupported file format."""
        query = "SELECT reading FROM pages WHERE number = ?"
        (blob,) = self._database.execute(query, (number,)).fetchone()
        reading: Reading | None = blob and pickle.loads(zlib.decompress(blob))  # noqa: S301 a file of our own
        return reading


def page_of(reading: Reading, topic: int, via: Via) -> Page:
    """The page for a run of this topic that reached it by `via`."""
    similarity, relevance, is_target, _, terms = reading.judged[topic]
    own: dict[str, Any] = {"similarity": similarity, "relevance": relevance, "is_target": is_target}
    own |= {} if terms is None else {"terms": terms}
    return replace(reading.page, depth=via.link.depth, via=via, **own)


@dataclass(frozen=True, slots=True)
class ParsedWeb:
    """A recorded web that has been read."""

    path: Path  # of ParsedPages
    workers: Workers  # that have read it
    targets: list[set[int]]  # for each topic the pages that its page classifier finds relevant
    graph: csr_array  # of its links (recorded_web.link_graph)
    elsewhere: int  # number of links to pages that the web does not have


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is read, and how."""

    web: Sequence[Path]
    recipes: Sequence[Recipe]  # one a topic
    contexts: Sequence[ContextMaker]
    details: bool


class _Read(NamedTuple):
    reading: bytes | None = None
    is_target: Sequence[bool] = ()
    targets: Sequence[int] = ()
    elsewhere: int = 0


@contextmanager
def parsed_web(
    pages: RecordedPages,
    recipes: Sequence[Recipe],
    contexts: Sequence[ContextMaker],
    *,
    details: bool = False,
    jobs: int = 1,
    folder: Path | None = None,
    bar: Bar = no_bar,
) -> Iterator[ParsedWeb]:
    """Read the web for these topics, into a temporary file in `folder` that exists inside the block.

    `details`: classify pages as detail or link pages. `bar`: makes the progress bar.
    """
    plan = pickle.dumps(_Plan(pages.web.paths, recipes, contexts, details))
    targets: list[set[int]] = [set() for _ in recipes]
    rows: list[Sequence[int]] = []
    elsewhere = 0
    with tempfile.TemporaryDirectory(prefix=".parsed-pages-", dir=folder) as place, Workers(jobs) as workers:
        path = Path(place) / "parsed-pages.sqlite"
        database = sqlite3.connect(path)
        database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _SCHEMA)
        tasks = [(plan, at) for at in range(0, len(pages), PAGES_A_TASK)]
        with bar("reading", len(pages)) as tick:
            for read in chain.from_iterable(workers.run(_read_part, tasks)):
                number = len(rows)
                rows.append(read.targets)
                elsewhere += read.elsewhere
                for found, is_target in zip(targets, read.is_target, strict=False):
                    found.update([number] if is_target else [])
                row = (number, pages.urls[number], pages.hosts[number], read.reading)
                database.execute("INSERT INTO pages VALUES (?, ?, ?, ?)", row)
                tick(1)
        database.commit()
        database.close()
        yield ParsedWeb(path, workers, targets, link_graph(rows), elsewhere)


class _Opened:
    """The objects that a process needs to read pages."""

    def __init__(self, plan: _Plan) -> None:
        topics = [topic_of(recipe) for recipe in plan.recipes]
        self.plan, self.pages = plan, RecordedPages(RecordedWeb(plan.web))
        self.page_classifiers: list[PageClassifier] = [page_classifier_of(recipe) for recipe in plan.recipes]
        sites = {place: rule for topic in reversed(topics) for place, rule in topic.sites.items()}
        readers: dict[Segmenter, Reader] = {}
        for topic in topics:
            everywhere = topic.model_copy(update={"sites": sites})  # a page is parsed once, for all topics
            reader = reader_of(plan.recipes[0], everywhere, self.page_classifiers[0], detail=plan.details)
            reader.reads_segments = any(one.reads_segments for one in self.page_classifiers)
            readers.setdefault(topic.segmenter, reader)
        # one a topic; topics with equal segmenters share an object
        self.readers = [readers[topic.segmenter] for topic in topics]

    def read(self, number: int) -> _Read:
        """Parse one page."""
        pages, url = self.pages, self.pages.urls[number]
        recorded = pages.web.response(pages.recorded[number])
        if recorded is None or recognise(recorded.body, recorded.content_type) not in READ:
            return _Read()
        charset = http_content_type_encoding(recorded.content_type)
        reading = self.readers[0].read(url, recorded.body, charset, content_type=recorded.content_type)
        if reading.fault:
            return _Read()
        listings = reading.page.listings
        if is_robots(url):
            listings = sitemap_lines(recorded.body.decode("utf-8", "replace"), url)
        ends = [(at, pages.number(at)) for at in listings]
        page = replace(reading.page, listings=[at if end is None else pages.urls[end] for at, end in ends])
        judged = self._judged(reading)
        links: dict[str, list[Link]] = {}
        dropped = frozenset(self.plan.recipes[0].dropped_parameters)
        for context in self.plan.contexts:
            own: dict[str, Any] = {
                "context": context,
                "extra_parameters": dropped,
                "encoding": reading.encoding,
            }
            made = extract(reading.document, url, depth=0, **own)
            targets = [pages.number(link.url) for link in made]
            links[context] = [
                link._replace(url=pages.urls[target], host=pages.hosts[target])
                for link, target in zip(made, targets, strict=True)
                if target is not None
            ]
        packed = zlib.compress(pickle.dumps(Reading(page, judged, links)), 1)
        inside = [target for target in targets if target is not None]
        return _Read(packed, [one.is_target for one in judged], inside, len(targets) - len(inside))

    def _judged(self, reading: page_reading.Reading) -> list[Judged]:
        """The verdict of each topic's page classifier, on the page's words by the segmenter of that topic."""
        first, *_ = self.readers
        page, document = reading.page, reading.document
        words = {first: reading.words}
        judged = []
        for classifier, reader in zip(self.page_classifiers, self.readers, strict=True):
            if reader not in words:
                words[reader] = reader.words(document, page.title, reading.main_text, page.url)
            found = classifier.observe(words[reader]) if isinstance(classifier, EvidenceClassifier) else None
            relevance = classifier.relevance(words[reader])
            terms = None if reader is first else terms_of(words[reader])
            is_target = relevance >= classifier.threshold
            judged.append(Judged(classifier.similarity(words[reader]), relevance, is_target, found, terms))
        return judged


@lru_cache(maxsize=1)
def _opened(plan: bytes) -> _Opened:
    return _Opened(pickle.loads(plan))  # noqa: S301 of the parent process


def _read_part(task: tuple[bytes, int]) -> list[_Read]:
    plan, start = task
    opened = _opened(plan)
    return [opened.read(number) for number in range(start, min(start + PAGES_A_TASK, len(opened.pages)))]
