"""Puts a crawl together: from arguments and settings to the objects that do the work.

The conflict: spider, scheduler, middlewares, pipelines and extensions are each built by Scrapy from the crawler, yet
all need the same topic, frontier and gate. They are built here once, when the spider is, and hang on the spider.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from topiccrawler.crawl.gate import LinkGate
from topiccrawler.crawl.harvest_counter import HarvestCounter
from topiccrawler.crawl.job_files import JobFiles
from topiccrawler.crawl.options import expand_of, thesaurus_of
from topiccrawler.crawl.ordering import Ordering
from topiccrawler.crawl.params import CrawlParams
from topiccrawler.engine.clock import Clock
from topiccrawler.errors import ArgumentError, SeedsError, StateError
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.budgets import Allowance, Budgets
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.frontier.traps import Limits
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.link_model.from_keywords import link_model
from topiccrawler.links.extract import WINDOW_CHARACTERS, ContextMaker
from topiccrawler.model import Link
from topiccrawler.pages.classifier import PageClassifier
from topiccrawler.pages.read import Reader
from topiccrawler.pages.summary import Summariser
from topiccrawler.relevance.choose import make_page_classifier
from topiccrawler.strategies import STRATEGIES, build, parameters_of
from topiccrawler.strategies.base import Knowledge, Strategy
from topiccrawler.topics.catalogue import load_topic, with_site_rules
from topiccrawler.topics.seeds import read_seeds
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import canonical, host_of


@dataclass(slots=True)
class Runtime:
    """One crawl's parts."""

    params: CrawlParams
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
    context: ContextMaker  # the context maker the link model was trained with
    context_characters: int
    dropped_parameters: frozenset[str]


def build_runtime(
    params: CrawlParams, settings: BaseSettings, job: str | None, jobdir: str | None
) -> Runtime:
    """Build a crawl, or raise the CrawlerError that says what is wrong with what the user gave.

    `job`: the name scrapyd gave this run. `jobdir`: where the queue is kept; None = in memory.
    """
    topic = with_site_rules(load_topic(params.topic), params.sites or settings.get("TOPIC_SITES_FILE"))
    if params.keywords:
        topic = topic.model_copy(
            update={"keywords": {**topic.keywords, **dict.fromkeys(params.keywords, 1.0)}}
        )
    strategy = build(params.strategy, _parameters(params, settings))
    gate_settings = settings.getfloat("TOPIC_LINK_THRESHOLD", topic.link_threshold or 0.0)
    threshold = gate_settings if strategy.prunes else 0.0
    scorer = _link_model(topic, settings) if strategy.needs_link_scorer or threshold > 0 else None
    models = settings.get("TOPIC_PAGE_CLASSIFIER_MODELS")
    page_classifier = make_page_classifier(
        topic,
        params.page_classifier or settings.get("TOPIC_PAGE_CLASSIFIER", "vsm"),
        Path(models).expanduser() if models else None,
    )
    strategy.prepare(
        Knowledge(
            page_threshold=page_classifier.threshold,
            link_scorer=scorer,
            seed=settings.getint("TOPIC_SEED"),
            topic=topic,
            thesaurus=thesaurus_of(settings.get("TOPIC_THESAURUS")),
            off_topic=_off_topic(params, topic),
        )
    )
    folder = _writable(Path(jobdir), "JOBDIR") if jobdir else _job_folder(topic, settings, job)
    hosts = Hosts(patience_seconds=settings.getfloat("FRONTIER_PATIENCE_SECONDS"), worth=strategy.worth)
    seeds = _seeds(params, topic)
    frontier = _frontier(settings, hosts, jobdir)
    frontier.notes.put("job", json.dumps(_job(params, settings), ensure_ascii=False))
    return Runtime(
        params=params,
        topic=topic,
        reader=_reader(strategy, page_classifier, topic, models),
        summariser=Summariser(topic.keywords),
        strategy=strategy,
        hosts=hosts,
        frontier=frontier,
        ordering=Ordering(
            strategy,
            frontier,
            _budgets(settings, frontier),
            durable=bool(jobdir),
            expand=expand_of(settings.get("TOPIC_EXPAND")),
        ),
        gate=LinkGate(
            strategy.current_scorer or scorer, threshold, topic.tunnel_probability, topic.tunnel_depth
        ),
        harvest=HarvestCounter(frontier.notes.get(HarvestCounter.NOTE)),
        clock=Clock(),
        files=JobFiles(folder),
        seeds=seeds,
        context=cast("ContextMaker", scorer.context) if scorer is not None else "window",
        context_characters=settings.getint("TOPIC_CONTEXT_CHARACTERS", WINDOW_CHARACTERS),
        dropped_parameters=frozenset(settings.getlist("TOPIC_URL_PARAMETERS_DROPPED")),
    )


def _parameters(params: CrawlParams, settings: BaseSettings) -> dict[str, str]:
    """TOPIC_LEARN is the default of `-a strategy_learn=`, for strategies that have it."""
    given = dict(params.parameters)
    strategy = STRATEGIES.get(params.strategy)
    learns = strategy is not None and "learn" in parameters_of(strategy)
    if learns and settings.get("TOPIC_LEARN") is not None:
        given.setdefault("learn", str(settings.getbool("TOPIC_LEARN")))
    return given


def _reader(strategy: Strategy, page_classifier: PageClassifier, topic: Topic, models: str | None) -> Reader:
    if not strategy.needs_detail:
        return Reader(page_classifier, sites=topic.sites)
    from topiccrawler.relevance.detail_reading import DetailReader, detail_svm

    svm = detail_svm(Path(models).expanduser() if models else None)
    return DetailReader(page_classifier, svm, sites=topic.sites)


def _job(params: CrawlParams, settings: BaseSettings) -> dict[str, object]:
    """What `scrapy frontier` and `scrapy explain` must know to score links as this crawl did."""
    begun: dict[str, object] = {"topic": params.topic, "strategy": params.strategy}
    if models := settings.get("TOPIC_LINK_MODELS"):
        begun["link_models"] = models
    if params.keywords:
        begun["keywords"] = list(params.keywords)
    return begun


def _link_model(topic: Topic, settings: BaseSettings) -> LinkClassifier:
    return link_model(topic, settings.get("TOPIC_LINK_MODELS"))


def _frontier(settings: BaseSettings, hosts: Hosts, jobdir: str | None) -> Frontier:
    if not jobdir:
        return MemoryFrontier(hosts, lease_seconds=settings.getfloat("FRONTIER_LEASE_SECONDS"))
    Path(jobdir).mkdir(parents=True, exist_ok=True)
    return SqliteFrontier(
        Path(jobdir) / "frontier.sqlite",
        hosts,
        lease_seconds=settings.getfloat("FRONTIER_LEASE_SECONDS"),
        memory_urls=settings.getint("FRONTIER_MEMORY_URLS"),
        acknowledgements_per_commit=sys.maxsize,  # the scheduler commits, when all a page's parts are in
    )


def _budgets(settings: BaseSettings, frontier: Frontier) -> Budgets:
    return Budgets(
        frontier,
        Allowance(
            host_pages=settings.getint("FRONTIER_HOST_PAGES"),
            domain_pages=settings.getint("FRONTIER_DOMAIN_PAGES"),
            host_unproductive_pages=settings.getint("FRONTIER_HOST_UNPRODUCTIVE_PAGES"),
            shape_unproductive_pages=settings.getint("FRONTIER_SHAPE_UNPRODUCTIVE_PAGES"),
            limits=Limits(
                path_segments=settings.getint("FRONTIER_PATH_SEGMENTS_MAX"),
                segment_repeats=settings.getint("FRONTIER_SEGMENT_REPEATS_MAX"),
                query_parameters=settings.getint("FRONTIER_QUERY_PARAMETERS_MAX"),
                calendar_years=settings.getint("FRONTIER_CALENDAR_YEARS_MAX"),
            ),
        ),
    )


def _seeds(params: CrawlParams, topic: Topic) -> list[Link]:
    links = []
    for url in read_seeds(params.seeds, topic).positive:
        clean = canonical(url)
        if clean is None:
            raise SeedsError(f"seed {url!r}", "is no http(s) URL", "write it as http://host/path")
        links.append(Link(clean, host_of(clean)))
    if not links:
        raise SeedsError(
            f"seeds of topic {topic.name!r}", "there are none", "give some: -a seeds=FILE or -a seeds=URL,URL"
        )
    return links


def _off_topic(params: CrawlParams, topic: Topic) -> tuple[str, ...]:
    """Seed lines that begin with `-`."""
    given = (canonical(url) for url in read_seeds(params.seeds, topic).negative)
    return tuple(url for url in given if url is not None)


def _job_folder(topic: Topic, settings: BaseSettings, job: str | None) -> Path:
    name = settings.get("TOPIC_JOB") or job or f"{topic.name}-{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}"  # noqa: DTZ005 local time is what a person looks for
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
