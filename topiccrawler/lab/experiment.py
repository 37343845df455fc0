"""A comparison from beginning to end: read the web, run every strategy for every topic, score the runs.

All is checked and built before it begins. It repeats to the bit, in whatever order the workers finish.

Runs each strategy of a comparison the configured number of times.

Every strategy runs with a second seed; one that crawls in the same order again depends on no seed and is not run further.

The papers' experiments by name, for `scrapy compare --experiment NAME`: topics, strategies, pages and settings of each.

What a user gives goes before what is written here. Without `--web` the synthetic web is recorded, and its seed page taken.
docs/papers/ has a page a paper, docs/lab/experiments.md the results on a recorded web.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Protocol

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import ArgumentError, SeedsError
from topiccrawler.files import package_table
from topiccrawler.lab.live import LiveCrawls
from topiccrawler.lab.measures import STEP_PAGES, Scored, Truth, checkpoints, oracle_order
from topiccrawler.lab.page_reading import ReadingPlan, WebReading, Workers, read_web
from topiccrawler.lab.recorded_web import Labels, RecordedPages, label_rows, read_labels
from topiccrawler.lab.replayed import (
    CONCURRENCY,
    Configurations,
    Crawled,
    Run,
    build_all,
    contexts_of,
    crawl,
    strategy_of,
)
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.seeds import Seeds
from topiccrawler.urls.canonical import registered_domain

Bar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
# does runs in any order; gives the number of each and what it did
Do = Callable[[Sequence[Run]], Iterable[tuple[int, Crawled]]]


def run_repeats(runs: Sequence[Run], repeat: int, do: Do, bar: Bar, *, always: bool) -> list[list[Crawled]]:
    """For each run its crawls, by seed 0, 1, …; `always`: a run never repeats itself (a live crawl does not)."""
    crawls = _repeat(runs, [0], do, bar)
    if repeat > 1:
        for first, second in zip(crawls, _repeat(runs, [1], do, bar), strict=True):
            if always or second[0].order != first[0].order:
                first.extend(second)
    if repeat > 2:
        again = [number for number, found in enumerate(crawls) if len(found) > 1]
        more = _repeat([runs[number] for number in again], range(2, repeat), do, bar)
        for number, found in zip(again, more, strict=True):
            crawls[number].extend(found)
    return crawls


def _repeat(runs: Sequence[Run], seeds: Sequence[int], do: Do, bar: Bar) -> list[list[Crawled]]:
    """For each run its crawls by these seeds."""
    todo = [replace(run, seed=seed) for run in runs for seed in seeds]
    done: dict[int, Crawled] = {}
    with bar("crawling", len(todo)) as tick:
        for number, crawled in do(todo):
            done[number] = crawled
            tick(1)
    ordered = [done[number] for number in range(len(todo))]
    return [ordered[at : at + len(seeds)] for at in range(0, len(ordered), len(seeds))]


SYNTHETIC = "synthetic-web"  # folder in OUT
AMONG_DEFAULTS = "spider"  # priority: above the project's settings, below the command line's


class Settings(Protocol):
    """What is written to Scrapy's settings."""

    def set(self, name: str, value: str, priority: str) -> None: ...


@dataclass(frozen=True, slots=True)
class PaperExperiment:
    """What a paper compared, and how."""

    paper: str  # its page in docs/papers
    figures: str  # which figures or tables
    topics: str
    strategies: str
    pages: int
    step: int  # pages between two counts
    concurrency: int = 16
    mixed_seeds: int = 0  # so many hubs, two of three on topic, for seeds where labels tell them
    settings: Mapping[str, str] = field(default_factory=dict)
    live: bool = False  # by the real engine


BY_HAND = "LABELS"  # in a strategy: the first file of labels


EXPERIMENTS = {
    name: PaperExperiment(**{**known, "strategies": ",".join(known["strategies"])})
    for name, known in package_table("lab/experiments.toml").items()
}


def experiment_of(name: str) -> PaperExperiment:
    """By its name."""
    if name not in EXPERIMENTS:
        raise ArgumentError(f"--experiment {name}", "is unknown", f"give one of: {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def fill_in(opts: argparse.Namespace, settings: Settings) -> None:
    """Set the experiment's values where the user gave none. ArgumentError for an unknown one."""
    chosen = experiment_of(opts.experiment)
    opts.topic = opts.topic or [chosen.topics]
    for option in ("strategies", "pages", "step", "concurrency"):
        if getattr(opts, option) is None:
            setattr(opts, option, getattr(chosen, option))
    if chosen.live:
        opts.live = True
    for name, value in chosen.settings.items():
        settings.set(name, value, AMONG_DEFAULTS)


def with_labels(strategies: str, labels: Sequence[str]) -> str:
    """The strategies, BY_HAND in them replaced by the first file of labels; without one, those that need it left out."""
    by_hand, specs = f"={BY_HAND}", strategies.split(",")
    if not labels:
        return ",".join(spec for spec in specs if not spec.endswith(by_hand))
    return ",".join(
        f"{spec.removesuffix(by_hand)}={labels[0]}" if spec.endswith(by_hand) else spec for spec in specs
    )


def mixed_seeds(labels: Iterable[Path], topic: str, number: int) -> list[str]:
    """Hubs of a labelled web, two of three about the topic (all there are, when they are fewer), drawn by lot, the same each time."""
    hubs: dict[bool, list[str]] = {True: [], False: []}
    for path in labels:
        for url, topics, _, kind in (row[:4] for row in label_rows(path) if len(row) > 3):
            if kind in {"hub", "home"} and "," not in url:
                hubs[topic in topics.split(",")].append(url)
    wanted = {True: number - number // 3, False: number // 3}
    chance = Random(0)
    drawn = (chance.sample(sorted(urls), min(len(urls), wanted[on])) for on, urls in hubs.items())
    return [url for urls in drawn for url in urls]


def recorded_synthetic_web(out: Path) -> tuple[Path, Path, list[str]]:
    """The synthetic web's recording in that folder, made when it is not there: WARC file, labels and seeds."""
    from topiccrawler.lab.demo.crawls import record
    from topiccrawler.lab.demo.plan import Web

    web, folder = Web(), out / SYNTHETIC
    folder.mkdir(parents=True, exist_ok=True)
    warc, labels = record(web, folder)
    return warc, labels, web.seeds


LIVE_FOLDER = "live"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compare. `topics` and `seeds` go side by side."""

    web: tuple[Path, ...]
    recipes: tuple[Recipe, ...]  # one a topic
    seeds: tuple[Seeds, ...]
    specs: tuple[str, ...]
    forgiving: tuple[str, ...] = ()  # of these, what cannot be built is left out
    labels: tuple[Path, ...] = ()
    pages: int = 1000
    step: int | None = None  # pages between two counts; None = STEP_PAGES, of which the table shows some
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
    """What came of one topic."""

    topic: str
    truth: Truth
    seeds: list[str]
    oracle: Scored
    oracle_order: list[int]
    built: Configurations
    crawls: dict[str, list[Crawled]] = field(default_factory=dict)
    scored: dict[str, Scored] = field(default_factory=dict)
    display_name: str = ""  # of the topic; `topic` is its name for files and programs

    def __post_init__(self) -> None:
        self.display_name = self.display_name or self.topic


@dataclass(slots=True)
class Comparison:
    """What came of all."""

    plan: Plan
    outcomes: list[Outcome]
    pages: int  # of the web
    links: int  # distinct ones between them
    links_elsewhere: int  # to pages the web does not hold; not queued
    labelled: int
    labels_elsewhere: int


def compare(plan: Plan, folder: Path, bar: Bar) -> Comparison:
    """Run the plan; temporary files, and those of live crawls, lie in `folder`."""
    pages = RecordedPages(RecordedWeb(plan.web))
    labels = read_labels(plan.labels, pages) if plan.labels else None
    numbers = [_seed_numbers(seeds, pages) for seeds in plan.seeds]
    topics = [load_topic(recipe.topic) for recipe in plan.recipes]
    names = [topic.name for topic in topics]
    if labels is not None:
        for name in names:
            labels.of(name)
    built = [build_all(recipe, plan.specs, forgiving=plan.forgiving) for recipe in plan.recipes]
    temporary = tempfile.TemporaryDirectory(prefix=".parsed-pages-", dir=folder)
    with temporary as place, Workers(plan.jobs) as workers:
        parsed = Path(place) / "parsed-pages.sqlite"
        with bar("reading", len(pages)) as tick:
            found = read_web(reading_plan(plan), pages, parsed, workers, tick)
        outcomes = []
        for at, name in enumerate(names):
            truth = _truth(at, name, labels, found, numbers[at], pages)
            order = oracle_order(found.links, numbers[at], truth.relevant, plan.pages)
            seeds = [pages.urls[number] for number in numbers[at]]
            shown = topics[at].display_name
            best = Scored.of(truth, [order])
            outcomes.append(Outcome(name, truth, seeds, best, order, built[at], display_name=shown))
        runs = {
            (at, spec): Run(recipe, spec, tuple(numbers[at]), plan.pages, parsed, at, 0, plan.concurrency)
            for at, recipe in enumerate(plan.recipes)
            for spec in built[at].specs
        }
        live = LiveCrawls(plan.web, pages, folder / LIVE_FOLDER, plan.jobs)
        do = live.run if plan.live else partial(workers.run, crawl)
        crawls = run_repeats(list(runs.values()), plan.repeat, do, bar, always=plan.live)
    for (at, spec), found_by in zip(runs, crawls, strict=True):
        outcome = outcomes[at]
        outcome.crawls[spec] = found_by
        orders, verdicts = [one.order for one in found_by], [one.verdicts for one in found_by]
        outcome.scored[spec] = Scored.of(outcome.truth, orders, verdicts)
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
    """What must be read of the web for all its strategies."""
    contexts = dict.fromkeys(context for recipe in plan.recipes for context in contexts_of(recipe))
    details = any(strategy_of(spec).needs_detail for spec in plan.specs)
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
    source = "judge" if labels is None else "labels"
    return Truth(source, relevant, content, reachable, sites, counted)
