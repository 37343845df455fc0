"""What the files of a crawl have about a URL: `PastCrawl`.

The queue: which page linked to the URL, its anchor and score, its outcome. The crawl log: the score with which it was fetched. The pages. The
crawl may be running or have ended; what these lack is unknown.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Self, cast

from topiccrawler.crawling import admission as rules
from topiccrawler.crawling.admission import Admission
from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.blocks import Blocks
from topiccrawler.crawling.checkpoints import DAMAGED, Checkpoints, load_state
from topiccrawler.crawling.harvest import own_domains
from topiccrawler.crawling.job_files import JOB, read_recipe
from topiccrawler.crawling.link_gate import Decision
from topiccrawler.crawling.page_stores import has_pages, open_pages, open_queue, open_stored, visits_of
from topiccrawler.crawling.recipe import Recipe, Settings
from topiccrawler.crawling.rescoring import Rescoring
from topiccrawler.crawling.robots_notes import robots_rule
from topiccrawler.crawling.servers import SharedView
from topiccrawler.errors import ArgumentError, CrawlerError, StateError
from topiccrawler.frontier.base import Frontier, Notes, Row
from topiccrawler.frontier.budgets import Allowance, Budgets
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.stored_queue import QueueView, StoredQueue
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Link, Visit
from topiccrawler.store.pages import PageRecord, Pages
from topiccrawler.strategies.base import Strategy
from topiccrawler.urls.canonical import canonical, host_of

LONGEST_PATH = 1000  # link steps


@dataclass(frozen=True, slots=True)
class Step:
    """One page on the path of links from a seed to a URL."""

    link: Link
    score: float | None  # None if no file has it
    state: str


@dataclass(frozen=True, slots=True)
class History:
    """All that the files of a crawl have of one URL."""

    row: Row | None  # row of the queue
    visits: tuple[Visit, ...]  # entries of the crawl log
    record: PageRecord | None  # the stored page
    path: tuple[Step, ...]  # from the seed to the URL itself
    whole: bool  # the path begins at a seed

    @property
    def link(self) -> Link:
        """The link that led to the URL, as far as the files have it."""
        return self.path[-1].link

    @property
    def state(self) -> str:
        """The state of the URL in the queue; without a queue, its state by log and store."""
        return self.path[-1].state


class PastCrawl:
    """The files in the folder of a job, opened for reading. StateError if the folder has no crawl."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not any((folder / name).is_file() for name in (JOB_DATABASE, JOB)):
            raise StateError(
                f"folder {folder}",
                "holds no crawl",
                "name the JOBDIR of a crawl, or its folder in TOPIC_DATA_DIR",
            )
        self.recipe = read_recipe(folder)
        self._frontier: QueueView | None = open_queue(folder)
        self._store: Pages | None = open_pages(folder) if has_pages(folder) else None

    def close(self) -> None:
        """Close the files."""
        for opened in (self._frontier, self._store):
            if opened is not None:
                opened.close()

    @cached_property
    def parts(self) -> Parts:
        """The parts of the crawl, with what its strategy has learned so far. StateError if the job has no recipe."""
        if self.recipe is None:
            raise StateError(
                f"folder {self.folder}",
                f"holds no {JOB}",
                "name the topic with --topic, for the link model's word alone",
            )
        parts = assemble(self.recipe)
        self._learn(parts.strategy)
        return parts

    def admission(self, parts: Parts, limits: FetchLimits, history: History | None = None) -> Admission:
        """The admission rules of the crawl. `history`: that of the URL to explain; the host of its seed may be private."""
        notes = self._frontier.notes if self._frontier is not None else None
        own = [history.path[0].link.host] if history is not None and history.whole else []
        return admission_of(parts, limits, notes, own)

    def _learn(self, strategy: Strategy) -> None:
        """Load what the crawl's strategy has learned."""
        if isinstance(self._frontier, StoredQueue):
            queue = cast("Frontier", self._frontier)  # only methods that it has are called
            Checkpoints(strategy, queue.notes, Rescoring(queue, apply=lambda _: 0), durable=True).load()
        elif self._frontier is not None:
            learned = cast("SharedView", self._frontier).learned()
            if learned is not None:
                _load(strategy, learned, self.folder)

    def of(self, address: str) -> History:
        """The history of a URL. ArgumentError for one that is none, StateError if the crawl never found it."""
        url = canonical(address)
        if url is None:
            raise ArgumentError(f"URL {address!r}", "is no http(s) URL", "write it as http://host/path")
        row, record = self._row(url), self._record(url)
        visits = tuple(visit for visit in self._visits if visit.url == url)
        if row is None and record is None and not visits:
            raise StateError(
                f"URL {url}",
                f"was never met by the crawl in {self.folder}, or its link gate refused every link to it",
                "check its spelling, or ask with --anchor TEXT what the gate says of a link",
            )
        steps, whole = self._path(url)
        return History(row, visits, record, steps, whole)

    @cached_property
    def _visits(self) -> list[Visit]:
        return list(visits_of(self.folder))

    @cached_property
    def _visited(self) -> Mapping[str, Visit]:
        return MappingProxyType({visit.url: visit for visit in self._visits})

    def _row(self, url: str) -> Row | None:
        return self._frontier.look().row(url) if self._frontier is not None else None

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


class SharedCrawl(PastCrawl):
    """A crawl of several processes on a server: its queue, the state that its learner published last, its recipe, and its pages if they
    are in a database. The crawl logs, which are with the processes, are not read."""

    def __init__(self, view: SharedView, job: str) -> None:
        self.folder = Path(f"job {job}")
        self.recipe = Recipe.from_json(view.made_of, view.name)
        self._frontier = view
        self._store = None
        if self.recipe.store:
            with suppress(CrawlerError):  # the pages are then reported as unknown
                self._store = open_stored(self.recipe.store, self.recipe.store_job)


def _load(strategy: Strategy, learned: tuple[int, str], folder: Path) -> None:
    """Load the state that the learner of a shared crawl published."""
    try:
        load_state(strategy, learned[1])
    except DAMAGED as error:
        fault = f"is damaged ({type(error).__name__}: {error})"
        raise StateError(f"state {learned[0]} of {folder}", fault, "wait for the next one") from None


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """The limits of fetching in the settings. `depth`: link steps, `url_length`: characters; 0 = no limit."""

    depth: int = 0
    url_length: int = 0
    private_network: bool = False  # whether hosts of private networks may be fetched
    allowance: Allowance = field(default_factory=Allowance)

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The limits in a project's settings."""
        return cls(
            settings.getint("DEPTH_LIMIT"),
            settings.getint("URLLENGTH_LIMIT"),
            settings.getbool("TOPIC_PRIVATE_NETWORK"),
            Allowance.of(settings.getint),
        )


def admission_of(
    parts: Parts, limits: FetchLimits, notes: Notes | None = None, seed_hosts: Iterable[str] = ()
) -> Admission:
    """The admission rules of a crawl that is not running, as far as its files have them. `notes`: notes of its queue, with the blocks."""
    found = [
        rules.depth_limit(limits.depth),
        rules.url_length(limits.url_length),
        rules.allowed_domains(rules.within(own_domains(parts.topic.sites))),
        rules.gate_rule(parts.gate),
    ]
    if notes is not None:
        found.append(rules.blocked(Blocks(notes)))
    if not limits.private_network:
        found.append(rules.private_network(seed_hosts))
    unknown = [rules.RESOLVED_ADDRESS]
    unknown += [rules.BUDGET, rules.TRAP, rules.ROBOTS_TXT] if notes is None else []
    of_downloader = [rules.DownloaderRule(name, _unknown) for name in unknown]
    if notes is not None:
        noted = cast("Frontier", SimpleNamespace(notes=notes, hosts=Hosts()))  # all that budgets read
        budgets = Budgets(noted, limits.allowance)
        found += [rules.budget_rule(budgets), rules.trap_rule(budgets)]
        of_downloader.append(robots_rule(notes, time.time))
    return Admission([*found, *of_downloader])


def _unknown(_: Link) -> Decision | None:
    return None
