"""Builds a crawl from arguments and settings: queue, page store, budgets and topic.

The conflict: Scrapy builds spider, scheduler, middlewares, pipelines and extensions each from the crawler, yet all of them need the same
topic, frontier and gate. So these are built once, with the spider, and are attributes of it.

`open_crawl` builds the crawl; `crawl_of` returns it for a crawler.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from socket import gethostname
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings, Settings

from topiccrawler import settings as ours
from topiccrawler.crawling.assemble import Parts, assemble, topic_of
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.job_files import JobFiles, read_recipe
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.known_texts import KnownTexts
from topiccrawler.crawling.options import CrawlLimits, CrawlOptions
from topiccrawler.crawling.page_filter import Restrictions
from topiccrawler.crawling.page_stores import folder_named
from topiccrawler.crawling.recipe import CrawlParams, recipe_of
from topiccrawler.crawling.resuming import check_topic
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.crawling.teaching import answered, answers_behind, with_teaching
from topiccrawler.engine.faults import FatalFaults, reported_by_scrapy
from topiccrawler.engine.queue_place import IN_MEMORY, QueuePlace, open_frontier
from topiccrawler.engine.store_wait import open_store
from topiccrawler.errors import ArgumentError, CrawlerError, StateError, file_faults
from topiccrawler.frontier.budgets import Allowance, Budgets
from topiccrawler.frontier.host_ranking import FairShares
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link
from topiccrawler.pages.robots_tags import AGENT
from topiccrawler.pages.robots_txt import product_token
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.text.segmenter import release_dictionary
from topiccrawler.text.word_vectors import release_vectors
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import host_of

PATIENCE_SECONDS = 2.0  # longest time that a slot waits for a host with a much better URL
IDLE_SHARE = 0.15  # of the slots that may wait so when time is to be saved
# in the sample of off-topic pages, for `scrapy topics teach`, `learn` and `scrapy rate`
DISCARDED_PAGES = 1000


FETCHES = "fetches"  # the objective: relevant pages per fetch, not per time


def open_crawl(
    params: CrawlParams, settings: BaseSettings, job: str | None, queue: QueuePlace = IN_MEMORY
) -> Crawl:
    """Build a crawl, or raise a CrawlerError that names the wrong input.

    `job`: the name of this run in scrapyd; None elsewhere. `queue`: where the queue is kept.
    """
    jobdir = queue.jobdir
    recipe = recipe_of(
        settings,
        params.topic,
        params.strategy,
        parameters=params.parameters,
        keywords=params.keywords,
        sites=params.sites,
        page_classifier=params.page_classifier,
        about=params.about,
        since=None if params.since is None else params.since.isoformat(),
        language=params.language or None,
        known=None if params.known is None else str(_named(params.known, settings).absolute()),
    )
    if not params.topic:
        recipe = recipe_of_words(recipe, params.keywords, settings.getint("TOPIC_PROPOSED_WORDS"))
    topic = topic_of(recipe)
    named = settings.get("TOPIC_JOB") if params.job or not queue.is_shared else None
    job_name = named or job
    own_name = f"{queue.job}-{gethostname()}-{os.getpid()}" if queue.is_shared else None
    folder = (
        _writable(Path(jobdir), "JOBDIR") if jobdir else _job_folder(topic, settings, job_name or own_name)
    )
    if params.seeds is None and (kept := read_recipe(folder)) is not None:
        check_topic(kept, recipe, folder)  # rather than report that the other topic has no seeds
    named_seeds = read_seeds(params.seeds, topic)
    kept_in = open_store(settings, queue.job or job_name or folder.absolute().name, topic.name)
    if kept_in is not None:
        recipe = replace(recipe, store=kept_in.address, store_job=kept_in.job)
    if queue.is_shared:
        recipe = replace(recipe, queue=queue.public_address, queue_job=queue.job)
    parts = assemble(with_teaching(replace(recipe, off_topic=tuple(named_seeds.negative)), folder))
    if parts.segmenter.has_own_dictionary:
        release_dictionary()
    release_vectors()
    hosts = Hosts(patience_seconds=PATIENCE_SECONDS, idle_share=_idle_share(params))
    seeds = [Link(url, host_of(url)) for url in named_seeds.positive]
    files = JobFiles(
        folder,
        parts.record(),
        shared=bool(jobdir or job_name),
        discarded=DISCARDED_PAGES,
        kept_in=kept_in,
        segmenter=parts.segmenter,
    )
    files.check(queued=bool(jobdir))
    known = None
    if params.known is not None:
        known = KnownTexts.of(_named(params.known, settings), folder)
    frontier, shared = open_frontier(queue, settings, hosts, parts, seeds, files)
    budgets = Budgets(frontier, Allowance.of(settings.getint))
    try:
        crawl = Crawl(
            parts,
            frontier,
            CrawlOptions(
                seeds=tuple(seeds),
                limits=CrawlLimits(params.pages, params.targets, params.until, params.opinions),
                restrictions=Restrictions(frozenset(params.formats), params.since, languages=params.language),
                agent=product_token(settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT"))
                or AGENT,
                obeys_tags=settings.getbool("TOPIC_ROBOTS_TAGS_OBEY", True),
                links_kept=settings.getbool("TOPIC_LINK_GRAPH"),
                durable=not queue.in_memory,
            ),
            files=files,
            budgets=budgets,
            shared=shared,
            listings=SiteListings(frontier.notes) if recipe.listings else None,
            known=known,
        )
    except CrawlerError:  # what an earlier run left cannot be read
        files.abandon()
        raise
    if answers_behind(parts.topic, folder):
        crawl.filter.answers = answered(folder)
    if settings.getbool("FRONTIER_FAIR_SHARES"):
        hosts.shares = FairShares(budgets.sites.proofs)
    return crawl


def _named(known: str, settings: BaseSettings) -> Path:
    """What `-a known=` names: a path, or a job in the data folder."""
    return folder_named(known, Path(settings.get("TOPIC_DATA_DIR")))


def _idle_share(params: CrawlParams) -> float:
    """The share of the download slots, 0..1, that may stay empty to wait for better URLs; 1 when fetches, not time, are to be saved."""
    saves_fetches = bool(params.pages) if params.objective is None else params.objective == FETCHES
    return 1.0 if saves_fetches else IDLE_SHARE


def _job_folder(topic: Topic, settings: BaseSettings, name: str | None) -> Path:
    name = name or f"{topic.name}-{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}"  # noqa: DTZ005 local time is what a person looks for
    if Path(name).name != name or name in {".", ".."}:
        raise ArgumentError(
            f"TOPIC_JOB={name!r}", "is no plain folder name", "use letters, digits and dashes"
        )
    return _writable(Path(settings.get("TOPIC_DATA_DIR")) / name, "TOPIC_DATA_DIR")


def _writable(folder: Path, setting: str) -> Path:
    remedy = f"set {setting} to a folder of yours"
    # a name may be too long to look for
    with file_faults(StateError, f"folder {folder}", "cannot be written", remedy):
        there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise StateError(f"folder {folder}", "cannot be written", remedy)
    return folder


def crawl_of(crawler: Crawler) -> Crawl | None:
    """The crawl that the crawler's spider holds; None for a spider that is not ours, and in `scrapy shell`, which makes its spider last."""
    return getattr(crawler.spider, "crawl", None)


def needed_crawl(crawler: Crawler) -> Crawl:
    """The crawl of a crawler, for components that need one. NotConfigured when there is none; Scrapy then leaves the component out without
    a message."""
    crawl = crawl_of(crawler)
    if crawl is None:
        raise NotConfigured
    return crawl


_PARTS: WeakKeyDictionary[Crawler, Parts] = WeakKeyDictionary()


def parts_of_project(crawler: Crawler, component: str) -> Parts:
    """The parts of a crawl for the topic TOPIC, for components that work with a spider of any project. They are made once a crawler.

    `component`: the name of the component, for the error; ArgumentError when the project has no TOPIC.
    """
    if (found := _PARTS.get(crawler)) is None:
        with reported_by_scrapy(crawler.settings):
            topic = crawler.settings.get("TOPIC")
            if not topic:
                raise ArgumentError(component, "has no topic", "set TOPIC, as TOPIC = 'finance'")
            settings = Settings()
            settings.setmodule(ours, "default")
            for name in vars(ours):
                if name.startswith("TOPIC_") and name in crawler.settings:
                    settings.set(name, crawler.settings[name])
            found = _PARTS[crawler] = assemble(recipe_of(settings, topic, "naive_bayes"))
    return found


def faults_of(crawler: Crawler) -> FatalFaults:
    """The faults of the crawl that the crawler's spider holds. Only for a spider of ours."""
    faults: FatalFaults = vars(crawler.spider)["faults"]
    return faults
