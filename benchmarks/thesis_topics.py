"""How well a topic learned by the MySpider thesis' weights finds held-out pages, and its own two statistics (docs/papers/myspider.md).

    python benchmarks/thesis_topics.py --documents docs_dev.jsonl [--draws 5] [--all]

Documents (JSON lines: label, title, text). Each draw takes 50 of a topic's label and 200 others by random.Random(draw); the draw of number
1 is also the one of the statistics. `--all` uses all documents instead of draws. F1 is by cross-validation (relevance.training.example_topic):
of the topic with the weights of occurrences (`--thesis`) and of shares of pages, and of the thesis' own measure, the cosine with the
centroid.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.training.example_topic import THESIS, Examples, Statistics, learn
from topiccrawler.seeding.example_pages import Sources

TOPICS = ("finance", "health", "travel")
POSITIVE, NEGATIVE = 50, 200
T_95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}  # Student's t by number of draws


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", required=True)
    parser.add_argument("--draws", type=int, default=5, choices=sorted(T_95))
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    print(f"{'':<10}{'occurrences':>20}{'shares':>20}{'cosine':>20}")
    told = []
    for topic in TOPICS:
        sides = _documents(given.documents, topic)
        draws = [sides] if given.all else [_drawn(sides, draw) for draw in range(1, given.draws + 1)]
        found = [_measured(topic, draw) for draw in draws]
        rows = [[ours.vsm.f1 for ours, _ in found], [shares.vsm.f1 for _, shares in found]]
        rows.append([ours.cosine.f1 for ours, _ in found])
        print(f"{topic:<10}" + "".join(f"{_with_band(row):>20}" for row in rows), flush=True)
        told.append(f"{topic:<10}{_as_text(found[0][0])}")
    print("\n".join(["", *told]))


def _documents(path: str, topic: str) -> tuple[list[PageWords], list[PageWords]]:
    sources = Sources(frozenset({topic}), fetch=lambda _: [])
    positive, negative = (
        [one.words for one in sources.examples([str(Path(path))], positive=side)] for side in (True, False)
    )
    return positive, negative


def _drawn(
    sides: tuple[Sequence[PageWords], Sequence[PageWords]], draw: int
) -> tuple[list[PageWords], list[PageWords]]:
    chance = random.Random(draw)
    return chance.sample(sides[0], POSITIVE), chance.sample(sides[1], NEGATIVE)


def _measured(
    topic: str, sides: tuple[Sequence[PageWords], Sequence[PageWords]]
) -> tuple[Statistics, Statistics]:
    methods = (THESIS, replace(THESIS, by_occurrences=False))
    ours, shares = (learn(topic, Examples(*sides), method).statistics for method in methods)
    if ours is None or shares is None:
        raise SystemExit(f"{topic}: too few documents")
    return ours, shares


def _with_band(values: Sequence[float]) -> str:
    middle = mean(values)
    if len(values) < 2:
        return f"{middle:.3f}"
    half = T_95[len(values)] * stdev(values) / len(values) ** 0.5
    return f"{middle:.3f} ({middle - half:.3f}-{middle + half:.3f})"


def _as_text(own: Statistics) -> str:
    return (
        f"titles with one of the first 30 words: {own.titled_positive} of {own.titled} on topic; "
        f"the first 30 of 100: {own.first_words:.2f} of the weight, {own.first_occurrences:.2f} of the occurrences"
    )


if __name__ == "__main__":
    main()
