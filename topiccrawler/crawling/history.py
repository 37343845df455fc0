"""What a past or running crawl knows of one URL: its score, its path from the seed, and what became of it.

The answer lies in files that know nothing of each other: the queue (who linked to it, with which text and score, how it
ended), the crawl log (the score it was fetched with) and the page store. A crawl without JOBDIR leaves no queue; then log
and store must do, and what they do not hold is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.checkpoints import Checkpoints
from topiccrawler.crawling.crawl_logs import visits_of
from topiccrawler.crawling.job_files import FRONTIER, JOB, PAGES, VISITS, read_recipe
from topiccrawler.crawling.page_stores import has_pages, open_pages
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Frontier, Listing, Notes, Row
from topiccrawler.frontier.rescoring import Rescoring
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Visit
from topiccrawler.store.base import Pages
from topiccrawler.store.pages import PageRecord
from topiccrawler.strategies.base import Strategy
from topiccrawler.urls.canonical import host_of

LONGEST_PATH = 1000  # steps


@dataclass(frozen=True, slots=True)
class Step:
    """One page on the way from a seed."""

    link: Link
    score: float | None  # None where no file has it
    state: str


@dataclass(frozen=True, slots=True)
class History:
    """All of one URL."""

    row: Row | None  # of the queue
    visits: tuple[Visit, ...]
    record: PageRecord | None
    path: tuple[Step, ...]  # from the seed to the URL itself
    whole: bool  # the path begins at a seed
    linking: Visit | None = None  # of the page that links it

    @property
    def link(self) -> Link:
        """The link that led to it, as far as it is on file."""
        return self.path[-1].link

    @property
    def state(self) -> str:
        """Of the queue; without one from the log."""
        return self.path[-1].state


class _Queue(Protocol):
    listing: Listing
    notes: Notes

    def close(self) -> None: ...


class PastCrawl:
    """The files of a job's folder, opened to be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        queue = folder / FRONTIER
        if not any((folder / name).is_file() for name in (FRONTIER, PAGES, VISITS, JOB)):
            raise StateError(
                f"folder {folder}",
                "holds no crawl",
                "name the JOBDIR of a crawl, or its folder in TOPIC_DATA_DIR",
            )
        self.recipe = read_recipe(folder)
        self._frontier: _Queue | None = SqliteFrontier(queue, read_only=True) if queue.is_file() else None
        self._store: Pages | None = open_pages(folder) if has_pages(folder) else None

    def close(self) -> None:
        """Let go of the files."""
        for opened in (self._frontier, self._store):
            if opened is not None:
                opened.close()

    @cached_property
    def parts(self) -> Parts:
        """The crawl's parts, with what its strategy has learned so far. StateError when the job kept no recipe."""
        if self.recipe is None:
            raise StateError(
                f"folder {self.folder}",
                f"holds no {JOB}",
                "name the topic with --topic, for the link model's word alone",
            )
        parts = assemble(self.recipe)
        self._learn(parts.strategy)
        return parts

    def _learn(self, strategy: Strategy) -> None:
        """Load what the crawl's strategy has learned."""
        if self._frontier is not None:
            queue = cast("Frontier", self._frontier)  # its listing is all that is asked
            Checkpoints(strategy, self._frontier.notes, Rescoring(queue), durable=True).load()

    def of(self, url: str) -> History:
        """What is known of a canonical URL; StateError when the crawl never met it."""
        row, record = self._row(url), self._record(url)
        visits = tuple(visit for visit in self._visits if visit.url == url)
        if row is None and record is None and not visits:
            raise StateError(
                f"URL {url}",
                f"was never met by the crawl in {self.folder}, or its link gate refused every link to it",
                "check its spelling, or ask with --anchor TEXT what the gate says of a link",
            )
        steps, whole = self._path(url)
        return History(row, visits, record, steps, whole, self._visited.get(steps[-1].link.source_url))

    @cached_property
    def _visits(self) -> list[Visit]:
        return list(visits_of(self.folder))

    @cached_property
    def _visited(self) -> Mapping[str, Visit]:
        return MappingProxyType({visit.url: visit for visit in self._visits})

    def _row(self, url: str) -> Row | None:
        return self._frontier.listing.row(url) if self._frontier is not None else None

    def _record(self, url: str) -> PageRecord | None:
        return self._store.get(url) if self._store is not None else None

    def _path(self, url: str) -> tuple[tuple[Step, ...], bool]:
        steps: dict[str, Step] = {}
        while url and url not in steps and len(steps) < LONGEST_PATH:
            steps[url] = self._step(url)
            url = steps[url].link.source_url
        found = tuple(reversed(steps.values()))
        return found, not url and found[0].state != "unknown"

    def _step(self, url: str) -> Step:
        if (row := self._row(url)) is not None:
            return Step(row.link, row.score, row.state.value)
        known = self._visited.get(url) or self._record(url)
        if known is None:
            return Step(Link(url, host_of(url)), None, "unknown")
        depth = known.depth if isinstance(known, PageRecord) else 0
        link = Link(url, host_of(url), known.anchor, depth=depth, source_url=known.source_url)
        return Step(link, known.score, "stored" if known.stored else "not kept")
