"""Builds a crawl from arguments and settings.

The conflict: spider, scheduler, middlewares, pipelines and extensions are each built by Scrapy from the crawler, yet
all need the same topic, frontier and gate. So these are built once, with the spider, and are attributes of it.

The queue is in memory, in a folder of this machine (JOBDIR), on a server for several processes, or in a frontier of another package
(TOPIC_FRONTIER). The pages are in the job's folder, or in a database (STORE_URL); a page that waits for the database does not block the others.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from concurrent.futures import Future
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from socket import gethostname
from typing import TypeVar
from zlib import crc32

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from topiccrawler.crawling.assemble import Parts, assemble, topic_of
from topiccrawler.crawling.checkpoints import EVERY_PAGES, LEARNING_SECONDS
from topiccrawler.crawling.crawl import Crawl, CrawlLimits
from topiccrawler.crawling.harvest import LATEST, Restrictions, judged_since
from topiccrawler.crawling.job_files import SITE_REPEATS, JobFiles
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.page_stores import as_begun, latest_visits
from topiccrawler.crawling.recipe import CrawlParams, recipe_of
from topiccrawler.crawling.resuming import ordering_of
from topiccrawler.crawling.servers import QueueAddress, Times, no_queue_server, page_server, queue_address
from topiccrawler.crawling.settings_check import warn_of_removed
from topiccrawler.crawling.sharing import SharedQueue
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.crawling.teaching import earlier_pages, with_teaching
from topiccrawler.engine.faults import FatalFaults
from topiccrawler.entry_points import named, part
from topiccrawler.errors import ArgumentError, SeedsError, StateError
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.budgets import Allowance, Budgets
from topiccrawler.frontier.host_ranking import FairShares
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.store.pages import SharedPages
from topiccrawler.text.segmenter import release_dictionary
from topiccrawler.text.word_vectors import release_vectors
from topiccrawler.topics.seeds import Seeds
from topiccrawler.topics.topic import REMOVED_FIELDS, Topic
from topiccrawler.urls.canonical import canonical, host_of
from topiccrawler.urls.unwanted import Limits


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """Memory, a folder, or a crawl on a server."""

    jobdir: str = ""
    address: QueueAddress | None = None
    job: str = ""  # name of the crawl there

    @property
    def is_shared(self) -> bool:
        """Other processes may work on the crawl."""
        return self.address is not None

    @property
    def is_durable(self) -> bool:
        """It outlives the process."""
        return bool(self.jobdir) or self.is_shared


MEMORY = QueuePlace()
FRONTIERS = "topiccrawler.frontiers"  # entry points of other packages: a callable that returns a Frontier
FRONTIER_MEMBERS = ("hosts", "notes", "push", "lease", "end", "release", "rescore", "look", "commit", "close")


def queue_place(params: CrawlParams, settings: BaseSettings) -> QueuePlace:
    """What JOBDIR, the setting of a server and `-a job=` say. ArgumentError when they do not fit."""
    address, jobdir = queue_address(settings.get), settings.get("JOBDIR") or ""
    if (name := settings.get("TOPIC_FRONTIER")) and address is not None:
        fault = f"cannot keep the queue that is in {address.server.public(address.address)}"
        raise ArgumentError(f"TOPIC_FRONTIER={name}", fault, "give one of both")
    if address is None:
        if params.job:
            raise no_queue_server(f"argument -a job={params.job}")
        return QueuePlace(jobdir=jobdir)
    if jobdir:
        fault = f"cannot keep the queue that is in {address.server.public(address.address)}"
        raise ArgumentError(f"JOBDIR={jobdir}", fault, "give one of both")
    job = params.job or settings.get("TOPIC_JOB") or ""
    if not job:
        remedy = "give the same -a job=NAME to all its processes"
        raise ArgumentError(address.redacted, "needs the name of the crawl", remedy)
    address.server.check(address.address, job)
    return QueuePlace(address=address, job=job)


def open_frontier(
    place: QueuePlace, settings: BaseSettings, hosts: Hosts, parts: Parts, seeds: list[Link]
) -> tuple[Frontier, SharedQueue | None]:
    """The queue kept there; it is made when there is none. Of one on a server also what only several processes need."""
    lease_seconds = settings.getfloat("FRONTIER_LEASE_SECONDS")
    if place.address is not None:
        hosts.slots = settings.getint("CONCURRENT_REQUESTS")
        worker, outage = (settings.getfloat(f"FRONTIER_{name}_SECONDS") for name in ("WORKER", "OUTAGE"))
        times, made_of = Times(lease_seconds, worker, outage), parts.record().as_json()
        server, address = place.address.server, place.address.address
        return server.open_queue(address, place.job, hosts, _recipe(parts, seeds), made_of, times)
    folder = Path(place.jobdir) if place.jobdir else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    if parts.recipe.frontier:
        return _frontier_of_package(parts.recipe.frontier, folder, hosts, lease_seconds), None
    if folder is None:
        return MemoryFrontier(hosts, lease_seconds=lease_seconds), None
    queue = SqliteFrontier(
        folder / "frontier.sqlite",
        hosts,
        lease_seconds=lease_seconds,
        memory_urls=settings.getint("FRONTIER_MEMORY_URLS"),
        acknowledgements_per_commit=sys.maxsize,  # the scheduler commits, when all a page's parts are in
    )
    return queue, None


def _frontier_of_package(name: str, *arguments: object) -> Frontier:
    """Made by its entry point of folder (None: nothing outlives the process), hosts and seconds of a lease. ArgumentError for an unknown name,
    StateError for one that cannot be made."""
    known = named(FRONTIERS)
    if name not in known:
        remedy = f"choose one of: {', '.join(sorted(known))}" if known else "install the package that has it"
        raise ArgumentError(f"TOPIC_FRONTIER={name}", "is unknown", remedy)
    made: Frontier = part(known[name], f"frontier {name!r}", StateError, arguments, FRONTIER_MEMBERS)
    return made


def _recipe(parts: Parts, seeds: list[Link]) -> dict[str, str]:
    """The configuration that all processes of a crawl must share."""
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


def open_store(settings: BaseSettings, job: str, topic: str) -> SharedPages | None:
    """The database that STORE_URL names, for the pages of this job; None = they are kept in its folder. ArgumentError for no address."""
    url = settings.get("STORE_URL")
    if not url:
        return None
    outage_seconds = settings.getfloat("FRONTIER_OUTAGE_SECONDS")
    indexed = settings.getbool("TOPIC_INDEX")
    return page_server(url).open_shared(url, job, topic, indexed=indexed, outage_seconds=outage_seconds)


class StoreWait:
    """Of a crawl's items for the database; its stats."""

    def __init__(self, crawler: Crawler, pages: SharedPages) -> None:
        self.pages = pages
        self._crawler = crawler

    async def result(self, handed: Future[Result]) -> Result:
        """The result of submitted work; an item waits here, and with it the end of its lease."""
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


def store_wait(crawler: Crawler, files: JobFiles) -> StoreWait | None:
    """For the pages of a job in a database; None where they are in its folder."""
    return None if files.kept_in is None else StoreWait(crawler, files.kept_in)


TIME, FETCHES = "time", "fetches"  # what a crawl gets the most relevant pages for


def open_crawl(
    params: CrawlParams, settings: BaseSettings, job: str | None, queue: QueuePlace = MEMORY
) -> Crawl:
    """Build a crawl, or raise the CrawlerError that names the wrong input.

    `job`: the name of this run in scrapyd. `queue`: where the queue is kept.
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
    named_seeds = read_seeds(params.seeds, topic)
    off_topic = tuple(url for url in map(canonical, named_seeds.negative) if url is not None)
    named = settings.get("TOPIC_JOB") if params.job or not queue.is_shared else None
    job_name = named or job
    own_name = f"{queue.job}-{gethostname()}-{os.getpid()}" if queue.is_shared else None
    folder = (
        _writable(Path(jobdir), "JOBDIR") if jobdir else _job_folder(topic, settings, job_name or own_name)
    )
    kept_in = open_store(settings, queue.job or job_name or folder.absolute().name, topic.name)
    if kept_in is not None:
        recipe = replace(recipe, store=kept_in.address, store_job=kept_in.job)
    words = () if params.topic else tuple(params.keywords)
    recipe = as_begun(recipe, folder, time.time(), words, settings.getint("TOPIC_PROPOSED_WORDS"))
    parts = assemble(with_teaching(replace(recipe, off_topic=off_topic), folder))
    if parts.segmenter.has_own_dictionary:
        release_dictionary()
    release_vectors()
    hosts = Hosts(
        patience_seconds=settings.getfloat("FRONTIER_PATIENCE_SECONDS"),
        idle_share=_idle_share(params, settings),
    )
    seeds = _seeds(named_seeds, topic)
    files = JobFiles(
        folder,
        parts.record(),
        shared=bool(jobdir or job_name),
        indexed=settings.getbool("TOPIC_INDEX"),
        discarded=settings.getint("TOPIC_DISCARDED_SAMPLE"),
        kept_in=kept_in,
        segmenter=parts.segmenter,
    )
    files.check(queued=bool(jobdir))
    frontier, shared = open_frontier(queue, settings, hosts, parts, seeds)
    budgets = _budgets(settings, frontier)
    crawl = Crawl(
        parts,
        frontier,
        seeds=seeds,
        limits=CrawlLimits(params.pages, params.targets, params.until),
        files=files,
        budgets=budgets,
        restrictions=Restrictions(frozenset(params.formats), params.since, parts.topic.sites),
        shared=shared,
        repeats=SiteRepeats(folder / SITE_REPEATS if queue.is_durable else None),
        latest=latest_visits(files.folder, LATEST) if files.resumes else (),
        earlier=partial(earlier_pages, files, parts, judged_since(frontier.notes)),
        links_kept=settings.getbool("TOPIC_LINK_GRAPH"),
        listings=SiteListings(frontier.notes, recipe.listings_after) if recipe.listings_after else None,
        durable=queue.is_durable,
        checkpoint_pages=settings.getint("FRONTIER_CHECKPOINT_PAGES", EVERY_PAGES),
        learning_seconds=settings.getfloat("FRONTIER_LEARNING_SECONDS", LEARNING_SECONDS),
    )
    if settings.getbool("FRONTIER_FAIR_SHARES"):
        hosts.shares = FairShares(budgets.sites.proofs)
    return crawl


def _idle_share(params: CrawlParams, settings: BaseSettings) -> float:
    """The share of the slots that may wait for better URLs."""
    objective = params.objective or settings.get("TOPIC_OBJECTIVE") or (FETCHES if params.pages else TIME)
    if objective not in {TIME, FETCHES}:
        raise ArgumentError(f"TOPIC_OBJECTIVE={objective!r}", "is not known", f"use {TIME} or {FETCHES}")
    return 1.0 if objective == FETCHES else settings.getfloat("FRONTIER_IDLE_SHARE")


def _budgets(settings: BaseSettings, frontier: Frontier) -> Budgets:
    """Those of settings named after their fields: FRONTIER_HOST_PAGES, FRONTIER_PATH_SEGMENTS_MAX."""
    limits = {one.name: settings.getint(f"FRONTIER_{one.name.upper()}_MAX") for one in fields(Limits)}
    pages = [one.name for one in fields(Allowance) if one.name != "limits"]
    bounds = {name: settings.getint(f"FRONTIER_{name.upper()}") for name in pages}
    return Budgets(frontier, Allowance(**bounds, limits=Limits(**limits)))


def _seeds(named_seeds: Seeds, topic: Topic) -> list[Link]:
    links = []
    for url in named_seeds.positive:
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


def crawl_of(crawler: Crawler) -> Crawl | None:
    """What the crawler's spider brought along; None for a spider that is not ours, and in `scrapy shell`, which makes
    its spider last."""
    return getattr(crawler.spider, "crawl", None)


def needed_crawl(crawler: Crawler) -> Crawl:
    """The same for components that have nothing to do without it: Scrapy then leaves them out, and says nothing."""
    crawl = crawl_of(crawler)
    if crawl is None:
        raise NotConfigured
    return crawl


def faults_of(crawler: Crawler) -> FatalFaults:
    """Of the same spider."""
    faults: FatalFaults = vars(crawler.spider)["faults"]
    return faults
