"""The quality gate: every strategy must reach its floor on the synthetic web, or CI fails.

The conflict: a small change anywhere (tokens, contexts, ties in a heap) can make every crawl worse and break no other test. So
all registered strategies are compared on a web that costs seconds, and what each must reach is pinned in a file. Floors are
entries one after another: a later one that is lower must say why, so that none is lowered silently; a strategy without a
floor fails too. The link model is learned from the topic's keywords alone: the shipped ones are measured elsewhere.

    python -m topiccrawler.evaluation.quality_floors tests/quality_floors.json

prints what was measured beside the floors; exit status 1 when one is missed.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

from topiccrawler.demo.plan import Web
from topiccrawler.errors import ArgumentError
from topiccrawler.evaluation.configurations import ALL, RunConfiguration, named
from topiccrawler.evaluation.experiment import Plan, compare
from topiccrawler.evaluation.results import mean_ratios
from topiccrawler.evaluation.synthetic_web import record
from topiccrawler.files import JsonFile
from topiccrawler.link_model.model_file import save
from topiccrawler.link_model.training.train import Recipe, train
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.seeds import Seeds

SEED = 1  # of the synthetic web
TOPIC = "finance"
PAGES = 600
REMEDY = 'write NAME: [{"floor": 0.5, "why": "…"}]'
MOST_BYTES = 1_000_000

Floors = Mapping[str, list[dict[str, Any]]]


def measured(folder: Path, jobs: int = 1) -> dict[str, float]:
    """Oracle ratios of all strategies that can be built; files lie in `folder` meanwhile."""
    web, topic = Web(SEED), load_topic(TOPIC)
    negative_topics = [load_topic(name) for name, _ in topic_names() if name != TOPIC]
    save(train(Recipe(topic, negative_topics=negative_topics)).model, folder / f"{TOPIC}.json")
    warc, labels = record(web, folder)
    specs = tuple(named(ALL))
    plan = Plan(
        web=(warc,),
        labels=(labels,),
        configurations=(RunConfiguration(TOPIC, models=folder),),
        seeds=(Seeds(web.seeds, []),),
        specs=specs,
        pages=PAGES,
        concurrency=1,  # the order alone, not how late a strategy is told
        jobs=jobs,
    )
    ratios = mean_ratios(compare(plan, folder, _silent).outcomes, PAGES)
    return {name: ratio or 0.0 for name, ratio in ratios.items()}


def read_floors(path: Path) -> Floors:
    """The file, checked for its form."""
    file = JsonFile(path, MOST_BYTES, ArgumentError, "floors", REMEDY)
    floors: Floors = file.values
    good = all(
        isinstance(entries, list)
        and entries
        and all(isinstance(one, dict) and isinstance(one.get("floor"), (int, float)) for one in entries)
        for entries in file.values.values()
    )
    if not good:
        raise file.refused("is no table of floors")
    return floors


def complaints(ratios: Mapping[str, float], floors: Floors) -> list[str]:
    """What is wrong, a line each; empty = the gate is open."""
    found = []
    for name, entries in floors.items():
        lowered = [
            after["floor"]
            for before, after in pairwise(entries)
            if after["floor"] < before["floor"] and not str(after.get("why", "")).strip()
        ]
        found += [f"{name}: its floor was lowered to {floor} and nobody says why" for floor in lowered]
        floor = entries[-1]["floor"]
        if name not in ratios:
            found.append(f"{name}: has a floor of {floor} and did not run")
        elif ratios[name] < floor:
            found.append(f"{name}: oracle ratio {ratios[name]:.3f} is under its floor of {floor}")
    found += [f"{name}: has no floor; measured {ratios[name]:.3f}" for name in ratios if name not in floors]
    return found


def main(arguments: list[str]) -> int:
    """See the module."""
    floors = read_floors(Path(arguments[0]))
    with tempfile.TemporaryDirectory() as folder:
        ratios = measured(Path(folder))
    for name, ratio in sorted(ratios.items(), key=lambda row: -row[1]):
        entries = floors.get(name)
        sys.stdout.write(f"{name:<24}{ratio:.3f}  floor {entries[-1]['floor'] if entries else '-'}\n")
    wrong = complaints(ratios, floors)
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    return 1 if wrong else 0


def _silent(*_: object) -> AbstractContextManager[Callable[[int], None]]:
    return nullcontext(lambda _: None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
