"""How well a topic learned by the MySpider thesis' weights finds held-out pages, and its own two statistics (docs/papers/myspider.md).

    python benchmarks/thesis_topics.py --documents docs_dev.jsonl [--draws 5] [--all] [--write DIR]

Documents (JSON lines: label, title, text). Each draw takes 50 of a topic's label and 200 others by random.Random(draw); the statistics are
of the first one. `--all` uses all documents instead of draws. `--write` keeps each draw as DIR/TOPIC-DRAW.jsonl and measures nothing, for
`scrapy topics learn TOPIC --positive FILE --negative FILE`. F1 is by cross-validation (relevance.training.example_topic): of the topic with
the weights of occurrences (`--thesis`) and of shares of pages, and of the thesis' own measure, the cosine with the centroid.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.relevance.training.example_topic import THESIS, Examples, Statistics, learn
from topiccrawler.seeding.example_pages import Sources

TOPICS = ("finance", "health", "travel")
POSITIVE, NEGATIVE = 50, 200
T_95 = {1: 0.0, 2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}  # Student's t by number of draws


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=5, choices=sorted(T_95))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.write or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        files = {topic: _files(given, topic, folder) for topic in TOPICS}
        if not given.write:
            _print(files)


def _files(given: argparse.Namespace, topic: str, folder: Path) -> list[Path]:
    """The documents of each draw for a topic, in a file."""
    if given.all:
        return [given.documents]
    lines = given.documents.read_text(encoding="utf-8").splitlines()
    sides: dict[bool, list[str]] = {True: [], False: []}
    for line in lines:
        sides[json.loads(line).get("label") == topic].append(line)
    found = []
    for draw in range(1, given.draws + 1):
        chance = random.Random(draw)
        drawn = chance.sample(sides[True], POSITIVE) + chance.sample(sides[False], NEGATIVE)
        found.append(folder / f"{topic}-{draw}.jsonl")
        found[-1].write_text("\n".join(drawn) + "\n", encoding="utf-8")
    return found


def _print(files: dict[str, list[Path]]) -> None:
    print(f"{'':<10}{'occurrences':>20}{'shares':>20}{'cosine':>20}")
    statistics = []
    for topic, draws in files.items():
        found = [_measured(topic, file) for file in draws]
        rows = [[ours.vsm.f1 for ours, _ in found], [shares.vsm.f1 for _, shares in found]]
        rows.append([ours.cosine.f1 for ours, _ in found])
        print(f"{topic:<10}" + "".join(f"{_with_band(row):>20}" for row in rows), flush=True)
        statistics.append(f"{topic:<10}{_as_text(found[0][0])}")
    print("\n".join(["", *statistics]))


def _measured(topic: str, file: Path) -> tuple[Statistics, Statistics]:
    sources = Sources(frozenset({topic}), fetch=lambda *_: None)
    sides = [list(side.values()) for side in sources.examples([str(file)], [str(file)])]
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
        f"titles with one of the first 30 words: {own.titled_positive} of {own.titled} on topic; the first 30 of 100: "
        f"{own.first_words:.2f} of the weight, {own.first_occurrences:.2f} of the occurrences; cosine {own.cosine.f1:.3f}"
    )


if __name__ == "__main__":
    main()
