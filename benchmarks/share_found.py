"""How far the estimated share of relevant pages found (`scrapy pages JOB found`) is from the true one, on recorded webs.

    python benchmarks/share_found.py [WEB:TOPIC …] [--pages 500,1000,2000]

WEB is a folder below TOPICCRAWLER_SHARED with pages.warc.gz and labels.tsv. Three crawls of each topic are replayed: other seeds (five
random pages about the topic each), other strategies. The truth is the pages labelled with the topic that links lead to from any of the seeds; a crawl
has found those that it has fetched. Estimates of crawls that are apart are none.
"""

from __future__ import annotations

import argparse
import os
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.configurations import context_of
from topiccrawler.lab.parsed_pages import parsed_web
from topiccrawler.lab.recorded_web import RecordedPages, reachable, read_labels
from topiccrawler.lab.runner import Run, replay
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.results.share_found import share_found

CASES = ("friends:programming", "friends:finance", "blogs:finance", "blogs:health", "blogs:travel", "portal:finance", "portal:auto")  # fmt: skip
STRATEGIES = ("adaptive", "best_first", "breadth_first")
SEEDS = 5  # of each crawl


class Crawls(NamedTuple):
    """The crawls of one topic: the pages fetched by each, in order, and the relevant pages that could be reached."""

    name: str
    orders: list[list[int]]
    truth: frozenset[int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", default=CASES, metavar="WEB:TOPIC")
    parser.add_argument("--pages", default="500,1000,2000", help="lengths of the crawls")
    given = parser.parse_args()
    shared = os.environ.get("TOPICCRAWLER_SHARED")
    if not shared:
        print("share_found: TOPICCRAWLER_SHARED is not set; nothing to measure")
        return
    lengths = [int(text) for text in given.pages.split(",")]
    webs = defaultdict[str, list[str]](list)
    for case in given.cases:
        web, topic = case.split(":")
        webs[web].append(topic)
    print(
        "| web: topic | pages a crawl | relevant, reachable | found by two | estimated | found by three | estimated |"
    )
    print("|---|---|---|---|---|---|---|")
    errors = defaultdict[int, list[float]](list)
    for web, topics in webs.items():
        for crawls in crawled(Path(shared) / web, topics, max(lengths)):
            for length in lengths:
                sets = [
                    {str(page) for page in order[:length] if page in crawls.truth} for order in crawls.orders
                ]
                cells = []
                for count in (2, 3):
                    estimate = share_found(sets[:count])
                    true = estimate.found / len(crawls.truth)
                    low, high = estimate.interval
                    cells += [
                        f"{true:.2f}",
                        "apart" if estimate.apart else f"{estimate.share:.2f} ({low:.2f}–{high:.2f})",
                    ]
                    if not estimate.apart:
                        errors[count].append(estimate.share - true)
                print(f"| {crawls.name} | {length} | {len(crawls.truth)} | {' | '.join(cells)} |", flush=True)
    for count, found in errors.items():
        mean = sum(map(abs, found)) / len(found)
        print(
            f"{count} crawls: mean error {mean:.3f}, mean bias {sum(found) / len(found):+.3f}, of {len(found)}"
        )


def crawled(web: Path, topics: list[str], length: int) -> Iterator[Crawls]:
    """Replay the crawls of each topic."""
    pages = RecordedPages(RecordedWeb([web / "pages.warc.gz"]))
    labels = read_labels([web / "labels.tsv"], pages)
    recipes = [Recipe(topic, STRATEGIES[0]) for topic in topics]
    with parsed_web(pages, recipes, list(dict.fromkeys(map(context_of, recipes)))) as parsed:
        for at, topic in enumerate(topics):
            relevant, draw = sorted(labels.of(topic)), random.Random(topic)
            seeds = [tuple(draw.sample(relevant, SEEDS)) for _ in STRATEGIES]
            can_be_found = reachable(parsed.graph, {page for drawn in seeds for page in drawn})
            orders = [
                replay(Run(recipes[at], strategy, drawn, length, parsed.path, at)).order
                for strategy, drawn in zip(STRATEGIES, seeds, strict=True)
            ]
            yield Crawls(f"{web.name}: {topic}", orders, can_be_found.intersection(relevant))


if __name__ == "__main__":
    main()
