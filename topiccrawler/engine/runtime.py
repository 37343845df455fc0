"""Puts a crawl together: from arguments and settings to the objects that do the work.

The conflict: spider, scheduler, middlewares, pipelines and extensions are each built by Scrapy from the crawler, yet
all need the same topic, frontier and gate. They are built here once, when the spider is, and hang on the spider.

The time of day, by a clock that never goes back: it is read once, and a monotonic clock counts on from there.

Where the queue of a crawl is kept: in memory, in a folder of this machine, or in Redis for several processes.

Where the pages of a crawl are kept: in its folder, or in PostgreSQL (STORE_URL); and how a page waits for the database without holding up the others.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from socket import gethostname
from typing import TypeVar
from zlib import crc32

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from topiccrawler.cluster.postgresql.writing import CrawlPages
from topiccrawler.cluster.redis.records import check_address, prefix_of, shown
from topiccrawler.cluster.redis.view import open_shared
from topiccrawler.cluster.sharing import SharedQueue
from topiccrawler.crawling.admission import Admission, GateRule, blocked
from topiccrawler.crawling.assemble import Parts, assemble, recipe_of_words, topic_of
from topiccrawler.crawling.checkpoints import EVERY_PAGES
from topiccrawler.crawling.gate import Blocks, LinkGate, Restrictions
from topiccrawler.crawling.job_files import SITE_REPEATS, JobFiles
from topiccrawler.crawling.keeping import HarvestCounter, LinkingPages, Verdict, linking_pages_of, verdict_of
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.page_stores import as_begun, visits_of
from topiccrawler.crawling.recipe import CrawlParams, recipe_of
from topiccrawler.crawling.resuming import ordering_of
from topiccrawler.crawling.settings_check import warn_of_removed
from topiccrawler.crawling.shared_learning import LEARNING_SECONDS
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.crawling.teaching import with_teaching
from topiccrawler.engine.faults import FatalFaults
from topiccrawler.engine.revisits import Revisits
from topiccrawler.errors import ArgumentError, SeedsError, StateError
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.budgets import Allowance, Budgets, Limits
from topiccrawler.frontier.host_ranking import FairShares
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link
from topiccrawler.pages.metadata import Summariser
from topiccrawler.pages.read import Reader, Reading
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.strategies.base import Strategy
from topiccrawler.topics.seeds import Seeds
from topiccrawler.topics.topic import REMOVED_FIELDS, Topic
from topiccrawler.urls.canonical import canonical, host_of


class Clock:
    """Seconds since the epoch; calling it twice never gives a smaller number."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def __call__(self) -> float:
        return self._offset + time.monotonic()


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """A folder, or a crawl in Redis."""

    jobdir: str = ""
    redis_url: str = ""  # of the server, or of a node of a cluster
    job: str = ""  # name of the crawl in Redis

    @property
    def is_shared(self) -> bool:
        """Other processes may work on the crawl."""
        return bool(self.redis_url)

    @property
    def is_durable(self) -> bool:
        """It outlives the process."""
        return bool(self.jobdir or self.redis_url)


MEMORY = QueuePlace()


def queue_place(params: CrawlParams, settings: BaseSettings) -> QueuePlace:
    """What JOBDIR, REDIS_URL and `-a job=` say. ArgumentError when they do not fit."""
    url, jobdir = settings.get("REDIS_URL") or "", settings.get("JOBDIR") or ""
    if not url:
        if params.job:
            raise ArgumentError(
                f"argument -a job={params.job}",
                "names a crawl in Redis, but there is no REDIS_URL",
                "give -s REDIS_URL=redis://HOST:6379/0, or name a folder by TOPIC_JOB",
            )
        return QueuePlace(jobdir=jobdir)
    if jobdir:
        raise ArgumentError(
            f"JOBDIR={jobdir}", f"cannot keep the queue that is in {shown(url)}", "give one of both"
        )
    job = params.job or settings.get("TOPIC_JOB") or ""
    if not job:
        raise ArgumentError(
            f"REDIS_URL={shown(url)}",
            "needs the name of the crawl",
            "give the same -a job=NAME to all its processes",
        )
    prefix_of(job)
    return QueuePlace(redis_url=check_address(url), job=job)


def open_frontier(
    place: QueuePlace, settings: BaseSettings, hosts: Hosts, parts: Parts, seeds: list[Link]
) -> tuple[Frontier, SharedQueue | None]:
    """The queue kept there; it is made when there is none. Of one in Redis also what only several processes need."""
    lease_seconds = settings.getfloat("FRONTIER_LEASE_SECONDS")
    if place.is_shared:
        hosts.slots = settings.getint("CONCURRENT_REQUESTS")
        frontier = open_shared(
            place.redis_url,
            place.job,
            hosts,
            _recipe(parts, seeds),
            worker_seconds=settings.getfloat("FRONTIER_WORKER_SECONDS"),
            made_of=parts.record().as_json(),
            lease_seconds=lease_seconds,
            outage_seconds=settings.getfloat("FRONTIER_OUTAGE_SECONDS"),
            acknowledgements_per_commit=sys.maxsize,  # as below
        )
        return frontier, frontier
    if not place.jobdir:
        return MemoryFrontier(hosts, lease_seconds=lease_seconds), None
    Path(place.jobdir).mkdir(parents=True, exist_ok=True)
    queue = SqliteFrontier(
        Path(place.jobdir) / "frontier.sqlite",
        hosts,
        lease_seconds=lease_seconds,
        memory_urls=settings.getint("FRONTIER_MEMORY_URLS"),
        acknowledgements_per_commit=sys.maxsize,  # the scheduler commits, when all a page's parts are in
    )
    return queue, None


def _recipe(parts: Parts, seeds: list[Link]) -> dict[str, str]:
    """What all processes of a crawl must be given alike."""
    record = parts.record()
    urls = "\n".join(sorted(link.url for link in seeds))
    # crawls begun with these go on
    removed = {name: default for name, (default, _) in REMOVED_FIELDS.items()}
    fields = str(sorted({**removed, **(record.topic_fields or {})}.items()))
    return {
        "topic": parts.topic.name,
        "topic file": f"{crc32(fields.encode()):08x}" if record.topic_fields else "",
        "keywords": ", ".join(record.keywords),
        "strategy": ordering_of(record),
        "seeds": f"{len(seeds)} URLs, {crc32(urls.encode()):08x}",
        **({"page store": "PostgreSQL"} if record.store else {}),  # by whatever address
    }


LOOK_SECONDS = 1.0  # between two looks whether the crawl closes
WAITED = "topic/store/wait_seconds"
Result = TypeVar("Result")


def open_store(settings: BaseSettings, job: str, topic: str) -> CrawlPages | None:
    """The database that STORE_URL names, for the pages of this job; None = they are kept in its folder. ArgumentError for no address."""
    url = settings.get("STORE_URL")
    if not url:
        return None
    outage_seconds = settings.getfloat("FRONTIER_OUTAGE_SECONDS")
    indexed = settings.getbool("TOPIC_INDEX")
    return CrawlPages(url, job, topic, indexed=indexed, outage_seconds=outage_seconds)


class StoreWait:
    """Of a crawl's items for the database; its stats."""

    def __init__(self, crawler: Crawler, pages: CrawlPages) -> None:
        self.pages = pages
        self._crawler = crawler

    async def result(self, handed: Future[Result]) -> Result:
        """What was handed over gives; an item waits here, and with it the end of its lease."""
        begun = time.monotonic()
        waiting = asyncio.wrap_future(handed)
        try:
            while not (await asyncio.wait({waiting}, timeout=LOOK_SECONDS))[0]:
                if not self._crawler.crawling:  # Ctrl-C: a server that is away is not waited for as long
                    self.pages.hurry()
            return waiting.result()
        finally:
            stats = self._crawler.stats
            waited = stats.get_value(WAITED, 0.0) + time.monotonic() - begun
            stats.set_value(WAITED, round(waited, 3))
            for name, figure in self.pages.figures().items():
                stats.set_value(f"topic/store/{name}", figure)


logger = logging.getLogger(__name__)

TIME, FETCHES = "time", "fetches"  # what a crawl gets the most relevant pages for


@dataclass(slots=True)
class Runtime:
    """One crawl's parts."""

    params: CrawlParams
    parts: Parts
    topic: Topic
    reader: Reader
    summariser: Summariser
    strategy: Strategy
    hosts: Hosts
    frontier: Frontier
    ordering: Ordering
    gate: LinkGate
    harvest: HarvestCounter
    clock: Clock
    files: JobFiles
    seeds: list[Link]
    faults: FatalFaults
    restrictions: Restrictions
    blocks: Blocks
    admission: Admission
    links_kept: bool = False  # TOPIC_LINK_GRAPH
    revisits: Revisits | None = None  # -a revisit=true
    shared: SharedQueue | None = None  # other processes may work on the crawl

    def is_enough(self, under_way: int = 0) -> bool:
        """`pages` or `targets` are reached, by all processes of the crawl; `under_way`: here."""
        pages, kept = self.harvest.pages, self.harvest.kept
        if self.shared is not None:
            pages, kept, under_way = self.shared.exchange.harvest()
        fetched = self.params.pages is not None and pages + under_way >= self.params.pages
        return fetched or (self.params.targets is not None and kept >= self.params.targets)

    def verdict(self, reading: Reading) -> Verdict:
        """The relevance of a page read that is held against the page threshold, and whether the page is kept."""
        known, threshold = self.ordering.linking_pages, self.reader.page_threshold
        return verdict_of(reading.page, reading.words, self.parts, known, threshold)

    @property
    def revisits_left(self) -> int:
        """Pages of the job that are still to be looked at again."""
        return self.revisits.left if self.revisits is not None else 0


def build_runtime(
    params: CrawlParams, settings: BaseSettings, job: str | None, queue: QueuePlace = MEMORY
) -> Runtime:
    """Build a crawl, or raise the CrawlerError that says what is wrong with what the user gave.

    `job`: the name scrapyd gave this run. `queue`: where the queue is kept.
    """
    jobdir = queue.jobdir
    warn_of_removed(settings)
    recipe = recipe_of(
        settings,
        params.topic,
        params.strategy,
        parameters=params.parameters,
        keywords=params.keywords,
        sites=params.sites,
        page_classifier=params.page_classifier,
    )
    if not params.topic:
        recipe = recipe_of_words(recipe, params.keywords, settings.getint("TOPIC_PROPOSED_WORDS"))
    topic = topic_of(recipe)
    given = read_seeds(params.seeds, topic)
    off_topic = tuple(url for url in map(canonical, given.negative) if url is not None)
    named = settings.get("TOPIC_JOB") if params.job or not queue.is_shared else None
    given_name = named or job
    own_name = f"{queue.job}-{gethostname()}-{os.getpid()}" if queue.is_shared else None
    folder = (
        _writable(Path(jobdir), "JOBDIR") if jobdir else _job_folder(topic, settings, given_name or own_name)
    )
    kept_in = open_store(settings, queue.job or given_name or folder.absolute().name, topic.name)
    if kept_in is not None:
        recipe = replace(recipe, store=kept_in.address, store_job=kept_in.job)
    words = () if params.topic else tuple(params.keywords)
    recipe = as_begun(recipe, folder, time.time(), words, settings.getint("TOPIC_PROPOSED_WORDS"))
    parts = assemble(with_teaching(replace(recipe, off_topic=off_topic), folder))
    hosts = Hosts(
        patience_seconds=settings.getfloat("FRONTIER_PATIENCE_SECONDS"),
        idle_share=_idle_share(params, settings),
        worth=parts.strategy.worth,
    )
    seeds = _seeds(given, topic)
    files = JobFiles(
        folder,
        parts.record(),
        shared=bool(jobdir or given_name),
        indexed=settings.getbool("TOPIC_INDEX"),
        discarded=settings.getint("TOPIC_DISCARDED_SAMPLE"),
        kept_in=kept_in,
    )
    files.check(queued=bool(jobdir))
    frontier, shared = open_frontier(queue, settings, hosts, parts, seeds)
    budgets = _budgets(settings, frontier)
    if settings.getbool("FRONTIER_FAIR_SHARES"):
        hosts.shares = FairShares(budgets.sites.proofs)
    blocks = Blocks(frontier.notes, None if shared is None else shared.exchange)
    admission = Admission([blocked(blocks), GateRule(parts.gate)])
    return Runtime(
        params=params,
        parts=parts,
        topic=parts.topic,
        reader=parts.reader(SiteRepeats(folder / SITE_REPEATS if queue.is_durable else None)),
        summariser=Summariser(parts.topic.keywords),
        strategy=parts.strategy,
        hosts=hosts,
        frontier=frontier,
        ordering=Ordering(
            parts.strategy,
            frontier,
            budgets,
            durable=queue.is_durable,
            expand=parts.expand,
            admission=admission,
            checkpoint_pages=settings.getint("FRONTIER_CHECKPOINT_PAGES", EVERY_PAGES),
            listings=SiteListings(frontier.notes, recipe.listings_after) if recipe.listings_after else None,
            refused=files.note_refused,
            linking_pages=_linking_pages(parts, frontier, files),
            learning_seconds=settings.getfloat("FRONTIER_LEARNING_SECONDS", LEARNING_SECONDS),
            shared=shared,
        ),
        gate=parts.gate,
        harvest=HarvestCounter(frontier.notes.get(HarvestCounter.NOTE)),
        clock=Clock(),
        files=files,
        seeds=seeds,
        faults=FatalFaults(),
        blocks=blocks,
        admission=admission,
        links_kept=settings.getbool("TOPIC_LINK_GRAPH"),
        shared=shared,
        restrictions=Restrictions(frozenset(params.formats), params.since, parts.topic.sites),
    )


def _linking_pages(parts: Parts, frontier: Frontier, files: JobFiles) -> LinkingPages | None:
    visits = visits_of(files.folder) if files.resumes else ()
    return linking_pages_of(parts.recipe, parts.page_classifier, frontier.notes, visits)


def _idle_share(params: CrawlParams, settings: BaseSettings) -> float:
    """The share of the slots that may wait for better URLs."""
    objective = params.objective or settings.get("TOPIC_OBJECTIVE") or (FETCHES if params.pages else TIME)
    if objective not in {TIME, FETCHES}:
        raise ArgumentError(f"TOPIC_OBJECTIVE={objective!r}", "is not known", f"use {TIME} or {FETCHES}")
    return 1.0 if objective == FETCHES else settings.getfloat("FRONTIER_IDLE_SHARE")


def _budgets(settings: BaseSettings, frontier: Frontier) -> Budgets:
    return Budgets(
        frontier,
        Allowance(
            host_pages=settings.getint("FRONTIER_HOST_PAGES"),
            domain_pages=settings.getint("FRONTIER_DOMAIN_PAGES"),
            host_unproductive_pages=settings.getint("FRONTIER_HOST_UNPRODUCTIVE_PAGES"),
            shape_unproductive_pages=settings.getint("FRONTIER_SHAPE_UNPRODUCTIVE_PAGES"),
            unproven_pages=settings.getint("FRONTIER_UNPROVEN_PAGES"),
            limits=Limits(
                path_segments=settings.getint("FRONTIER_PATH_SEGMENTS_MAX"),
                segment_repeats=settings.getint("FRONTIER_SEGMENT_REPEATS_MAX"),
                query_parameters=settings.getint("FRONTIER_QUERY_PARAMETERS_MAX"),
                calendar_years=settings.getint("FRONTIER_CALENDAR_YEARS_MAX"),
            ),
        ),
    )


def _seeds(given: Seeds, topic: Topic) -> list[Link]:
    links = []
    for url in given.positive:
        clean = canonical(url)
        if clean is None:
            raise SeedsError(f"seed {url!r}", "is no http(s) URL", "write it as http://host/path")
        links.append(Link(clean, host_of(clean)))
    if not links:
        raise SeedsError(
            f"seeds of topic {topic.display_name!r}",
            "there are none",
            "give some: -a seeds=FILE or -a seeds=URL,URL",
        )
    return links


def _job_folder(topic: Topic, settings: BaseSettings, name: str | None) -> Path:
    name = name or f"{topic.name}-{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}"  # noqa: DTZ005 local time is what a person looks for
    if Path(name).name != name or name in {".", ".."}:
        raise ArgumentError(
            f"TOPIC_JOB={name!r}", "is no plain folder name", "use letters, digits and dashes"
        )
    return _writable(Path(settings.get("TOPIC_DATA_DIR")) / name, "TOPIC_DATA_DIR")


def _writable(folder: Path, setting: str) -> Path:
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise StateError(f"folder {folder}", "cannot be written", f"set {setting} to a folder of yours")
    return folder


def runtime_of(crawler: Crawler) -> Runtime | None:
    """What the crawler's spider brought along; None for a spider that is not ours, and in `scrapy shell`, which makes
    its spider last."""
    return getattr(crawler.spider, "runtime", None)


def needed_runtime(crawler: Crawler) -> Runtime:
    """The same for components that have nothing to do without it: Scrapy then leaves them out, and says nothing."""
    runtime = runtime_of(crawler)
    if runtime is None:
        raise NotConfigured
    return runtime
