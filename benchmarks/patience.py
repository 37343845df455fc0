"""Relevant pages an hour and per page fetched, by what a slot waits for, on a recorded web under a simulated clock.

    python benchmarks/patience.py --web WEB.warc.gz --labels LABELS.tsv --topic finance --seeds URL
        [--delays 0.25,1] [--response 0.8] [--slots 16] [--seconds 100] [--repeat 3] [--json]

Each host is asked once in `--delay` seconds, an answer takes `--response` seconds (half to one and a half of it, drawn), the
crawler reads a hundred pages a second, and the crawl ends after `--seconds` on that clock. Frontier, budgets and fair shares are
the crawl's own. Rows: `adaptive` by objective (time and fetches, as `-a objective=` gives them) and without patience, and
breadth-first. Figures are means of `--repeat` crawls; compare them in a web much larger than what is fetched in that time.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from contextlib import closing
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from pathlib import Path
from statistics import fmean

from topiccrawler import settings
from topiccrawler.crawl.ordering import Ordering
from topiccrawler.crawl.recipe import Recipe
from topiccrawler.evaluation.configurations import parts_of
from topiccrawler.evaluation.experiment import Plan, reading_plan
from topiccrawler.evaluation.labels import read_labels
from topiccrawler.evaluation.page_reading import read_web
from topiccrawler.evaluation.parsed_pages import ParsedPages
from topiccrawler.evaluation.recorded_pages import RecordedPages
from topiccrawler.evaluation.workers import Workers, cores
from topiccrawler.frontier.base import Leased, State
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.frontier.fair_shares import FairShares
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Via
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.seeds import read_seeds

READING_SECONDS = 0.01  # of a page, one at a time
START = 1.75e9  # the clock's first second since the epoch: traps know dates
ROWS = {  # strategy, seconds of patience in delays, share of the slots that may wait
    "time": ("adaptive", 2.0, settings.FRONTIER_IDLE_SHARE),
    "time, half may wait": ("adaptive", 2.0, 0.5),
    "fetches": ("adaptive", 2.0, 1.0),
    "no patience": ("adaptive", 0.0, 0.0),
    "breadth-first": ("breadth_first", 0.0, 0.0),
}


@dataclass(frozen=True, slots=True)
class Crawl:
    """One crawl to do."""

    topic: str
    strategy: str
    parsed: Path
    seeds: tuple[int, ...]  # page numbers
    relevant: frozenset[int]
    delay: float  # seconds
    response: float
    slots: int
    seconds: float
    patience: float
    idle_share: float
    seed: int


@dataclass
class Clock:
    """What is under way, and the time. A heap: when an answer comes, its number, its lease."""

    now: float = START
    reader_free: float = START
    under_way: list[tuple[float, int, Leased]] = field(default_factory=list)


def crawl(run: Crawl) -> tuple[int, int]:
    """Pages fetched and relevant ones among them until the time is up."""
    parts = parts_of(Recipe(run.topic), run.strategy)
    hosts = Hosts(
        run.delay,
        patience_seconds=run.patience,
        worth=parts.strategy.worth,
        idle_share=run.idle_share,
        slots=run.slots,
    )
    frontier = MemoryFrontier(hosts)
    budgets = Budgets(frontier)
    hosts.shares = FairShares(budgets.sites.proofs)
    ordering = Ordering(parts.strategy, frontier, budgets, expand=parts.expand)
    draw, clock, fetched = random.Random(run.seed), Clock(), []
    with closing(ParsedPages(run.parsed)) as pages:
        ordering.seed([pages.seed(number) for number in run.seeds], clock.now)
        while clock.now < START + run.seconds:
            while len(clock.under_way) < run.slots and (leased := ordering.lease(clock.now)) is not None:
                number = pages.numbers[leased.link.url]
                fetched.append(number)
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
            _read(ordering, pages, leased, parts.context, clock.now)
    return len(fetched), sum(number in run.relevant for number in fetched)


def _read(ordering: Ordering, pages: ParsedPages, leased: Leased, context: str, now: float) -> None:
    url = leased.link.url
    number = pages.numbers[url]
    reading = pages.read(number)
    if reading is None:
        ordering.acknowledge(url, State.DISCARDED, "no page to read", now)
        return
    page = pages.page(number, reading, 0, Via(leased.link, leased.score, leased.carry))
    ordering.visit(page, pages.links(reading, page, context), now)
    ordering.acknowledge(url, State.COMPLETED if page.is_target else State.DISCARDED, "", now)


def main() -> None:
    """Read the web, crawl it, print the table."""
    parser = argparse.ArgumentParser(description="Relevant pages an hour and per fetch, by patience.")
    for name in ("web", "labels", "topic", "seeds"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--delays", default="0.25,1")
    parser.add_argument("--response", type=float, default=0.8)
    parser.add_argument("--slots", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=100.0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="a JSON object on the last line")
    given = parser.parse_args()
    web = (Path(given.web),)
    pages = RecordedPages(RecordedWeb(web))
    topic = load_topic(given.topic)
    relevant = read_labels([Path(given.labels)], pages).of(topic.name)
    seeds = tuple(
        number
        for url in read_seeds(given.seeds, topic).positive
        if (number := pages.number_of_any(url)) is not None
    )
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder, Workers(cores()) as workers:
        parsed = Path(folder) / "pages.sqlite"
        plan = Plan(web=web, recipes=(Recipe(topic.name),), seeds=(), specs=("adaptive", "breadth_first"))
        read_web(reading_plan(plan), pages, parsed, workers, lambda _: None)
        for delay in map(float, given.delays.split(",")):
            runs = [
                Crawl(
                    topic.name, strategy, parsed, seeds, relevant, delay, given.response, given.slots,
                    given.seconds, patience * delay, idle_share, seed,
                )
                for strategy, patience, idle_share in ROWS.values()
                for seed in range(given.repeat)
            ]  # fmt: skip
            done = dict(workers.run(crawl, runs))
            for at, row in enumerate(ROWS):
                crawls = [done[at * given.repeat + seed] for seed in range(given.repeat)]
                hourly = fmean(hits for _, hits in crawls) * 3600 / given.seconds
                harvest = fmean(hits / max(1, fetched) for fetched, hits in crawls)
                found[f"{row}, {delay:g} s"] = {
                    "relevant_an_hour": round(hourly), "harvest_rate": round(harvest, 3),
                }  # fmt: skip
    print(f"{topic.name:>30}{'relevant/h':>12}{'harvest rate':>14}")
    for name, row_found in found.items():
        print(f"{name:>30}{row_found['relevant_an_hour']:>12.0f}{row_found['harvest_rate']:>14.3f}")
    if given.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
