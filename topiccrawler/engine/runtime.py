"""Puts a crawl together: from arguments and settings to the objects that do the work.

The conflict: spider, scheduler, middlewares, pipelines and extensions are each built by Scrapy from the crawler, yet
all need the same topic, frontier and gate. They are built here once, when the spider is, and hang on the spider.
"""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from socket import gethostname

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from topiccrawler.crawling.assemble import Parts, assemble, topic_of
from topiccrawler.crawling.blocks import Blocks
from topiccrawler.crawling.checkpoints import EVERY_PAGES
from topiccrawler.crawling.crawl_logs import visits_of
from topiccrawler.crawling.earlier_jobs import as_begun
from topiccrawler.crawling.gate import LinkGate
from topiccrawler.crawling.harvest_counter import HarvestCounter
from topiccrawler.crawling.job_files import SITE_REPEATS, JobFiles
from topiccrawler.crawling.keeping import Verdict, verdict_of
from topiccrawler.crawling.linking_pages import (
    LinkingPages,
    linking_pages_of,
)
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.own_words import recipe_of_words
from topiccrawler.crawling.params import CrawlParams
from topiccrawler.crawling.recipe import recipe_of
from topiccrawler.crawling.restrictions import Restrictions
from topiccrawler.crawling.settings_check import warn_of_removed
from topiccrawler.crawling.shared_learning import LEARNING_SECONDS
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.crawling.teaching import with_teaching
from topiccrawler.engine.clock import Clock
from topiccrawler.engine.fatal_faults import FatalFaults
from topiccrawler.engine.queue_place import MEMORY, QueuePlace, open_frontier
from topiccrawler.engine.revisits import Revisits
from topiccrawler.engine.store_place import open_store
from topiccrawler.errors import ArgumentError, SeedsError, StateError
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.budgets import Allowance, Budgets
from topiccrawler.frontier.fair_shares import FairShares
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.traps import Limits
from topiccrawler.model import Link
from topiccrawler.pages.read import Reader, Reading
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.pages.summary import Summariser
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.strategies.base import Strategy
from topiccrawler.topics.seeds import Seeds
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import canonical, host_of

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
    links_kept: bool = False  # TOPIC_LINK_GRAPH
    revisits: Revisits | None = None  # -a revisit=true
    shared: bool = False  # other processes may work on the crawl

    def is_enough(self, under_way: int = 0) -> bool:
        """`pages` or `targets` are reached, by all processes of the crawl; `under_way`: here."""
        pages, kept = self.harvest.pages, self.harvest.kept
        if self.frontier.exchange is not None:
            pages, kept, under_way = self.frontier.exchange.harvest()
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
    frontier = open_frontier(queue, settings, hosts, parts, seeds)
    budgets = _budgets(settings, frontier)
    if settings.getbool("FRONTIER_FAIR_SHARES"):
        hosts.shares = FairShares(budgets.sites.proofs)
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
            gate=parts.gate,
            checkpoint_pages=settings.getint("FRONTIER_CHECKPOINT_PAGES", EVERY_PAGES),
            listings=SiteListings(frontier.notes, recipe.listings_after) if recipe.listings_after else None,
            refused=files.note_refused,
            linking_pages=_linking_pages(parts, frontier, files),
            learning_seconds=settings.getfloat("FRONTIER_LEARNING_SECONDS", LEARNING_SECONDS),
        ),
        gate=parts.gate,
        harvest=HarvestCounter(frontier.notes.get(HarvestCounter.NOTE)),
        clock=Clock(),
        files=files,
        seeds=seeds,
        faults=FatalFaults(),
        blocks=Blocks(frontier.notes, frontier.exchange),
        links_kept=settings.getbool("TOPIC_LINK_GRAPH"),
        shared=queue.is_shared,
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
