"""Runs a comparison: reads the recorded web, runs every strategy for every topic, and scores the runs.

All arguments are checked and all strategies built first. Results are reproducible bit by bit, in whatever order the workers finish.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import SeedsError
from topiccrawler.lab.configurations import Configurations, build_all, context_of, strategy_of
from topiccrawler.lab.measures import LABELS, STEP_PAGES, Curve, Measured, Truth, checkpoints
from topiccrawler.lab.parsed_pages import Bar, parsed_web
from topiccrawler.lab.recorded_web import RecordedPages, oracle_order, reachable, read_labels
from topiccrawler.lab.runner import CONCURRENCY, Crawled, LiveCrawls, Run, replay, run_repeats
from topiccrawler.links.extract import ContextMaker
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
    oracle: Measured
    oracle_order: list[int]
    built: Configurations
    crawls: dict[str, list[Crawled]] = field(default_factory=dict)
    scored: dict[str, list[Measured]] = field(default_factory=dict)
    display_name: str = ""  # of the topic, for people; `topic` is its name for files and programs

    @property
    def best(self) -> Curve:
        """The curve of the oracle."""
        return self.oracle.curve


@dataclass(slots=True)
class Comparison:
    """The results of a comparison."""

    plan: Plan
    outcomes: list[Outcome]
    recorded: dict[str, int]  # counts of the recorded web, as in result.json


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
    contexts, details = what_is_read(plan)
    with parsed_web(
        pages, plan.recipes, contexts, details=details, jobs=plan.jobs, folder=folder, bar=bar
    ) as web:
        outcomes = []
        for topic, found, seeds, parts in zip(topics, web.targets, numbers, built, strict=True):
            relevant = frozenset(found if labels is None else labels.of(topic.name))
            truth = Truth(
                source="judge" if labels is None else LABELS,
                relevant=relevant,
                content=frozenset() if labels is None else relevant & labels.content,
                reachable=reachable(web.graph, seeds),
                sites={page: registered_domain(pages.urls[page]) or pages.hosts[page] for page in relevant},
                counted=frozenset(labels.content) if labels is not None and labels.content else None,
            )
            order = oracle_order(web.graph, seeds, relevant, plan.pages)
            urls, name = [pages.urls[number] for number in seeds], topic.display_name
            best = truth.measured(order)
            outcomes.append(Outcome(topic.name, truth, urls, best, order, parts, display_name=name))
        runs = {
            (at, spec): Run(recipe, spec, tuple(numbers[at]), plan.pages, web.path, at, 0, plan.concurrency)
            for at, recipe in enumerate(plan.recipes)
            for spec in built[at].specs
        }
        live = LiveCrawls(plan.web, pages, folder / LIVE_FOLDER, plan.jobs)
        do = live.run if plan.live else partial(web.workers.run, replay)
        crawls = run_repeats(list(runs.values()), plan.repeat, do, bar, always=plan.live)
    for (at, spec), found_by in zip(runs, crawls, strict=True):
        outcome = outcomes[at]
        outcome.crawls[spec] = found_by
        outcome.scored[spec] = [outcome.truth.measured(one.order, one.verdicts) for one in found_by]
    recorded = {"pages": len(pages), "links": web.graph.nnz, "links_not_recorded": web.elsewhere}
    recorded["labelled"] = labels.pages if labels else 0
    recorded["labels_not_recorded"] = labels.elsewhere if labels else 0
    return Comparison(plan, outcomes, recorded)


def what_is_read(plan: Plan) -> tuple[list[ContextMaker], bool]:
    """The context makers of all strategies, and whether one of them needs to know detail pages."""
    contexts = dict.fromkeys(context_of(recipe) for recipe in plan.recipes)
    strategies = [strategy_of(spec) for spec in plan.specs]
    contexts |= dict.fromkeys(strategy.context for strategy in strategies if strategy.context)
    return list(contexts), any(strategy.needs_detail for strategy in strategies)


def _seed_numbers(seeds: Seeds, pages: RecordedPages) -> list[int]:
    found = [number for url in seeds.positive if (number := pages.number_of_any(url)) is not None]
    if not found:
        some = ", ".join(seeds.positive[:3])
        raise SeedsError(f"seeds {some}", "the recorded web holds none of them", "give --seeds that it holds")
    return list(dict.fromkeys(found))
