"""Relevant pages an hour and per page fetched, by what a slot waits for, on a recorded web under a simulated clock.

    python benchmarks/patience.py --web WEB.warc.gz --labels LABELS.tsv --topics finance,travel --seeds URL
        [--steps 0.1:0.25,0.25:0.5:1] [--delays 0.25,1] [--seconds 100,300] [--response 0.8] [--slots 16] [--repeat 3]
        [--jobs N] [--json]

Each host is asked once in `--delays` seconds, an answer takes `--response` seconds (half to one and a half of it, drawn), the
crawler reads a hundred pages a second, and figures are told after each of `--seconds` on that clock. Frontier, budgets and fair
shares are the crawl's own. Rows: `adaptive` by objective (time and fetches, as `-a objective=` gives them), without patience, by
each of `--steps` (share of the slots that may wait, margin in worth, seconds of patience), breadth-first, and `all known`: what the
hosts' clocks and the slots allow to one who knows every relevant page from the start, and asks for no other. Figures are means of
`--repeat` crawls; `of best` is the share of the best row's relevant pages, `breadth-first` how many times that row's. The last
lines are means over the topics. Compare in a web much larger than what is fetched in that time.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, astuple, dataclass, field
from heapq import heappop, heappush
from math import inf
from pathlib import Path
from statistics import fmean

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.reading_processes import cores
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.engine.opening import IDLE_SHARE, PATIENCE_SECONDS
from topiccrawler.frontier.base import Leased, State
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.frontier.host_ranking import FairShares
from topiccrawler.frontier.hosts import PATIENCE_MARGIN, Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.lab.configurations import parts_of
from topiccrawler.lab.experiment import Plan, reading_plan
from topiccrawler.lab.labels import read_labels
from topiccrawler.lab.page_reading import read_web
from topiccrawler.lab.parsed_pages import ParsedPages
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.lab.workers import Workers
from topiccrawler.model import Via
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.topic import Topic

READING_SECONDS = 0.01  # of a page, one at a time
START = 1.75e9  # the clock's first second since the epoch: traps know dates
BREADTH_FIRST = "breadth-first"
ALL_KNOWN = "all known"  # not a strategy: the most that politeness allows


@dataclass(frozen=True, slots=True)
class Row:
    """What a slot waits for."""

    strategy: str = "adaptive"
    idle_share: float = IDLE_SHARE
    margin: float = PATIENCE_MARGIN
    patience: float = PATIENCE_SECONDS

    @classmethod
    def of(cls, step: str) -> Row:
        """`idle_share:margin[:patience]`."""
        return cls("adaptive", *map(float, step.split(":")))


ROWS = {
    "no patience": Row(patience=0.0),
    "time": Row(),
    "fetches": Row(idle_share=1.0),
    BREADTH_FIRST: Row("breadth_first", patience=0.0),
    ALL_KNOWN: Row(ALL_KNOWN),
}


@dataclass(frozen=True, slots=True)
class Crawl:
    """One crawl to do."""

    topic: str
    at: int  # number of the topic in the file of parsed pages
    row: Row
    parsed: Path
    seeds: tuple[int, ...]  # page numbers
    relevant: frozenset[int]
    delay: float  # seconds
    response: float
    slots: int
    seconds: tuple[float, ...]
    seed: int


@dataclass
class Clock:
    """What is under way, and the time. A heap: when an answer comes, its number, its lease."""

    now: float = START
    reader_free: float = START
    under_way: list[tuple[float, int, Leased]] = field(default_factory=list)


def crawl(run: Crawl) -> list[tuple[int, int]]:
    """Pages fetched and relevant ones among them after each of its times."""
    if run.row.strategy == ALL_KNOWN:
        return all_known(run)
    parts = parts_of(Recipe(run.topic), run.row.strategy)
    hosts = Hosts(
        run.delay,
        patience_seconds=run.row.patience,
        patience_margin=run.row.margin,
        worth=parts.strategy.worth,
        idle_share=run.row.idle_share,
        slots=run.slots,
    )
    frontier = MemoryFrontier(hosts)
    budgets = Budgets(frontier)
    hosts.shares = FairShares(budgets.sites.proofs)
    ordering = Ordering(parts.strategy, frontier, budgets, expand=parts.expand)
    draw, clock = random.Random(run.seed), Clock()
    fetched: list[tuple[float, bool]] = []  # when, and whether it is relevant
    with closing(ParsedPages(run.parsed)) as pages:
        ordering.seed([pages.seed(number) for number in run.seeds], clock.now)
        while clock.now < START + max(run.seconds):
            while len(clock.under_way) < run.slots and (leased := ordering.lease(clock.now)) is not None:
                fetched.append((clock.now, pages.numbers[leased.link.url] in run.relevant))
                back = clock.now + run.response * draw.uniform(0.5, 1.5)
                heappush(clock.under_way, (back, len(fetched), leased))
            wakes = hosts.next_ready(clock.now) if len(clock.under_way) < run.slots else None
            answer = clock.under_way[0][0] if clock.under_way else inf
            if wakes is None and answer == inf:
                break
            if wakes is not None and wakes < answer:
                clock.now = max(clock.now + 1e-6, wakes)
                continue
            leased = heappop(clock.under_way)[2]
            clock.now = max(clock.now, answer, clock.reader_free)
            clock.reader_free = clock.now + READING_SECONDS
            _read(ordering, pages, leased, parts.context, clock.now, run.at)
    until = ([hit for when, hit in fetched if when < START + seconds] for seconds in run.seconds)
    return [(len(hits), sum(hits)) for hits in until]


def all_known(run: Crawl) -> list[tuple[int, int]]:
    """The same counts for relevant pages alone, all known at the start: a free slot takes the ready host that has most left."""
    with closing(ParsedPages(run.parsed)) as pages:
        left = Counter(pages.hosts[number] for number in run.relevant)
    draw, now = random.Random(run.seed), 0.0
    free, may_ask = [0.0] * run.slots, dict.fromkeys(left, 0.0)  # when each slot and each host is ready
    begun: list[float] = []
    while left:
        now = max(now, heappop(free), min(may_ask.values()))
        host = max((one for one, when in may_ask.items() if when <= now), key=left.__getitem__)
        begun.append(now)
        back = now + run.response * draw.uniform(0.5, 1.5)
        heappush(free, back)
        may_ask[host] = max(now + run.delay, back)
        left[host] -= 1
        if not left[host]:
            del left[host], may_ask[host]
    return [(count, count) for count in (sum(when < seconds for when in begun) for seconds in run.seconds)]


def _read(
    ordering: Ordering, pages: ParsedPages, leased: Leased, context: str, now: float, topic: int
) -> None:
    url = leased.link.url
    number = pages.numbers[url]
    reading = pages.read(number)
    if reading is None:
        ordering.end(url, State.DISCARDED, "no page to read", now)
        return
    page = pages.page(number, reading, topic, Via(leased.link, leased.score, leased.carry))
    ordering.visit(page, pages.links(reading, page, context), now)
    ordering.end(url, State.COMPLETED if page.is_target else State.DISCARDED, "", now)


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one row: means."""

    hourly: float  # relevant pages
    harvest: float
    of_best: float  # 0..1, of the best row's hourly
    times: float  # breadth-first's hourly

    def line(self, name: str) -> str:
        """In the table."""
        return f"{name:>24}{self.hourly:>12.0f}{self.harvest:>9.3f}{self.of_best:>9.2f}{self.times:>15.2f}"


def table(found: dict[str, list[list[tuple[int, int]]]], at: int, seconds: float) -> dict[str, Figures]:
    """Of each row's crawls, after the time of that number."""
    hourly = {row: fmean(one[at][1] for one in crawls) * 3600 / seconds for row, crawls in found.items()}
    best, breadth_first = (
        max(value for row, value in hourly.items() if row != ALL_KNOWN),
        hourly[BREADTH_FIRST],
    )
    return {
        row: Figures(
            hourly[row],
            fmean(hits / max(1, fetched) for fetched, hits in (one[at] for one in crawls)),
            hourly[row] / max(1, best),
            hourly[row] / max(1, breadth_first),
        )
        for row, crawls in found.items()
    }


def mean(tables: Sequence[dict[str, Figures]]) -> dict[str, Figures]:
    """Of the same rows, over the topics."""
    return {
        row: Figures(*map(fmean, zip(*(astuple(one[row]) for one in tables), strict=True)))
        for row in tables[0]
    }


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description="Relevant pages an hour and per fetch, by patience.")
    for name in ("web", "labels", "topics", "seeds"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--steps", default="", help="idle_share:margin[:patience],…")
    parser.add_argument("--delays", default="0.25,1")
    parser.add_argument("--seconds", default="100")
    parser.add_argument("--response", type=float, default=0.8)
    parser.add_argument("--slots", type=int, default=16)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=cores())
    parser.add_argument("--json", action="store_true", help="a JSON object on the last line")
    return parser.parse_args()


def main() -> None:
    """Read the web, crawl it, print the tables."""
    given = arguments()
    web = (Path(given.web),)
    pages = RecordedPages(RecordedWeb(web))
    recipes = tuple(Recipe(name) for name in given.topics.split(","))
    topics = [load_topic(recipe.topic) for recipe in recipes]
    labels = read_labels([Path(given.labels)], pages)
    rows = ROWS | {step: Row.of(step) for step in given.steps.split(",") if step}
    delays, times = (tuple(map(float, text.split(","))) for text in (given.delays, given.seconds))
    plan = Plan(web=web, recipes=recipes, seeds=(), specs=("adaptive", "breadth_first"))
    with tempfile.TemporaryDirectory() as folder, Workers(given.jobs) as workers:
        parsed = Path(folder) / "pages.sqlite"
        read_web(reading_plan(plan), pages, parsed, workers, lambda _: None)
        runs = {
            (topic.name, delay, row, seed): Crawl(
                recipes[at].topic, at, rows[row], parsed, seeds_of(given.seeds, topic, pages),
                frozenset(labels.of(topic.name)), delay, given.response, given.slots, times, seed,
            )
            for at, topic in enumerate(topics)
            for delay in delays
            for row in rows
            for seed in range(given.repeat)
        }  # fmt: skip
        keys = list(runs)
        done = {keys[number]: found for number, found in workers.run(crawl, list(runs.values()))}
    told: dict[str, dict[str, Figures]] = {}
    for delay in delays:
        for number, seconds in enumerate(times):
            tables = {
                topic.name: table(
                    {
                        row: [done[topic.name, delay, row, seed] for seed in range(given.repeat)]
                        for row in rows
                    },
                    number,
                    seconds,
                )
                for topic in topics
            }
            if len(topics) > 1:
                tables["mean"] = mean(list(tables.values()))
            told |= {f"{name}, {delay:g} s a host, {seconds:g} s": one for name, one in tables.items()}
    for name, one in told.items():
        print(f"{name}\n{'':>24}{'relevant/h':>12}{'harvest':>9}{'of best':>9}{BREADTH_FIRST:>15}")
        print("\n".join(figures.line(row) for row, figures in one.items()))
    if given.json:
        print(json.dumps({name: {row: asdict(f) for row, f in one.items()} for name, one in told.items()}))


def seeds_of(given: str, topic: Topic, pages: RecordedPages) -> tuple[int, ...]:
    """Numbers of the seeds that the web holds."""
    numbers = (pages.number_of_any(url) for url in read_seeds(given, topic).positive)
    return tuple(number for number in numbers if number is not None)


if __name__ == "__main__":
    main()
