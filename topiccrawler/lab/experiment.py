"""Runs a comparison: reads the recorded web, runs every strategy for every topic, and scores the runs.

All arguments are checked and all strategies built first. Results are reproducible bit by bit, in whatever order the workers finish.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import SeedsError
from topiccrawler.lab.configurations import Configurations, build_all, context_of, strategy_of
from topiccrawler.lab.measures import LABELS, STEP_PAGES, Scored, Truth, checkpoints
from topiccrawler.lab.parsed_pages import ReadingPlan, WebReading, read_web
from topiccrawler.lab.recorded_web import Labels, RecordedPages, oracle_order, read_labels
from topiccrawler.lab.runner import CONCURRENCY, Bar, Crawled, LiveCrawls, Run, replay, run_repeats
from topiccrawler.lab.workers import Workers
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.seeds import Seeds
from topiccrawler.urls.canonical import registered_domain

LIVE_FOLDER = "live"


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a comparison. `recipes` and `seeds` have one entry a topic."""

    web: tuple[Path, ...]
    recipes: tuple[Recipe, ...]  # one a topic
    seeds: tuple[Seeds, ...]
    specs: tuple[str, ...]
    forgiving: tuple[str, ...] = ()  # specs that are left out if they cannot be built
    labels: tuple[Path, ...] = ()
    pages: int = 1000
    step: int | None = None  # pages between two counts; None = STEP_PAGES, and the table has only some
    repeat: int = 1
    jobs: int = 1
    concurrency: int = CONCURRENCY
    live: bool = False

    @property
    def counts(self) -> list[int]:
        """The numbers of pages at which the crawls are measured."""
        return checkpoints(self.pages, self.step or STEP_PAGES)


@dataclass(slots=True)
class Outcome:
    """The results for one topic."""

    topic: str
    truth: Truth
    seeds: list[str]
    oracle: Scored
    oracle_order: list[int]
    built: Configurations
    crawls: dict[str, list[Crawled]] = field(default_factory=dict)
    scored: dict[str, Scored] = field(default_factory=dict)
    display_name: str = ""  # of the topic, for people; `topic` is its name for files and programs


@dataclass(slots=True)
class Comparison:
    """The results of a comparison."""

    plan: Plan
    outcomes: list[Outcome]
    pages: int  # in the recorded web
    links: int  # distinct links between these pages
    links_elsewhere: int  # links to pages that the web does not have; not queued
    labelled: int  # pages of the web with a label
    labels_elsewhere: int  # labels of pages that the web does not have


def compare(plan: Plan, folder: Path, bar: Bar) -> Comparison:
    """Run the plan. Temporary files and those of live crawls are in `folder`. `bar`: makes progress bars."""
    pages = RecordedPages(RecordedWeb(plan.web))
    labels = read_labels(plan.labels, pages) if plan.labels else None
    numbers = [_seed_numbers(seeds, pages) for seeds in plan.seeds]
    topics = [load_topic(recipe.topic) for recipe in plan.recipes]
    if labels is not None:
        for topic in topics:
            labels.of(topic.name)
    built = [build_all(recipe, plan.specs, forgiving=plan.forgiving) for recipe in plan.recipes]
    temporary = tempfile.TemporaryDirectory(prefix=".parsed-pages-", dir=folder)
    with temporary as place, Workers(plan.jobs) as workers:
        parsed = Path(place) / "parsed-pages.sqlite"
        with bar("reading", len(pages)) as tick:
            found = read_web(reading_plan(plan), pages, parsed, workers, tick)
        outcomes = []
        for at, topic in enumerate(topics):
            truth = _truth(at, topic.name, labels, found, numbers[at], pages)
            order = oracle_order(found.links, numbers[at], truth.relevant, plan.pages)
            seeds = [pages.urls[number] for number in numbers[at]]
            best, shown = Scored.of(truth, [order]), topic.display_name
            outcomes.append(Outcome(topic.name, truth, seeds, best, order, built[at], display_name=shown))
        runs = {
            (at, spec): Run(recipe, spec, tuple(numbers[at]), plan.pages, parsed, at, 0, plan.concurrency)
            for at, recipe in enumerate(plan.recipes)
            for spec in built[at].specs
        }
        live = LiveCrawls(plan.web, pages, folder / LIVE_FOLDER, plan.jobs)
        do = live.run if plan.live else partial(workers.run, replay)
        crawls = run_repeats(list(runs.values()), plan.repeat, do, bar, always=plan.live)
    for (at, spec), found_by in zip(runs, crawls, strict=True):
        orders, verdicts = [one.order for one in found_by], [one.verdicts for one in found_by]
        outcomes[at].crawls[spec] = found_by
        outcomes[at].scored[spec] = Scored.of(outcomes[at].truth, orders, verdicts)
    return Comparison(
        plan,
        outcomes,
        pages=len(pages),
        links=found.links.links,
        links_elsewhere=found.elsewhere,
        labelled=labels.pages if labels else 0,
        labels_elsewhere=labels.elsewhere if labels else 0,
    )


def reading_plan(plan: Plan) -> ReadingPlan:
    """The plan of what must be read from the web for all strategies."""
    contexts = dict.fromkeys(context_of(recipe) for recipe in plan.recipes)
    strategies = [strategy_of(spec) for spec in plan.specs]
    contexts |= dict.fromkeys(strategy.context for strategy in strategies if strategy.context)
    details = any(strategy.needs_detail for strategy in strategies)
    return ReadingPlan.of(plan.web, plan.recipes, list(contexts), details=details)


def _seed_numbers(seeds: Seeds, pages: RecordedPages) -> list[int]:
    found = [number for url in seeds.positive if (number := pages.number_of_any(url)) is not None]
    if not found:
        some = ", ".join(seeds.positive[:3])
        raise SeedsError(f"seeds {some}", "the recorded web holds none of them", "give --seeds that it holds")
    return list(dict.fromkeys(found))


def _truth(
    at: int, topic: str, labels: Labels | None, found: WebReading, seeds: Sequence[int], pages: RecordedPages
) -> Truth:
    relevant = frozenset(found.targets[at] if labels is None else labels.of(topic))
    content = frozenset() if labels is None else relevant & labels.content
    reachable = frozenset(found.links.reachable(seeds))
    sites = {page: registered_domain(pages.urls[page]) or pages.hosts[page] for page in relevant}
    counted = frozenset(labels.content) if labels is not None and labels.content else None
    source = "judge" if labels is None else LABELS
    return Truth(source, relevant, content, reachable, sites, counted)
