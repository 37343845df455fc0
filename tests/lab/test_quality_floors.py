"""The quality gate: every strategy must reach its floor on the synthetic web.

A small change anywhere (tokens, contexts, ties in a heap) can make every crawl worse and break no other test. So all
registered strategies are compared on a web that costs seconds, and what each must reach is pinned in a file. Floors are
entries one after another: a later one that is lower must say why, so that none is lowered silently; a strategy without a
floor fails too. The link model is learned from the topic's keywords alone: the shipped ones are measured elsewhere.
"""

import json
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.configurations import ALL, named
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.experiment import Plan, compare
from topiccrawler.lab.parsed_pages import no_bar
from topiccrawler.lab.reporting import mean_ratios
from topiccrawler.link_model.model_file import model_file, save
from topiccrawler.link_model.training.train import TrainingRecipe, train
from topiccrawler.strategies import STRATEGIES
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.contrasts import unlike
from topiccrawler.topics.seeds import Seeds

pytestmark = pytest.mark.slow

FLOORS = json.loads((Path(__file__).parents[1] / "quality_floors.json").read_text(encoding="utf-8"))
TOPIC = "finance"
PAGES = 140

Floors = Mapping[str, list[dict[str, Any]]]


def measured(recording: tuple[Path, Path], folder: Path) -> dict[str, float]:
    """Oracle ratios of all strategies that can be built."""
    web = Web(seed=1)
    topic = load_topic(TOPIC)
    save(train(TrainingRecipe(topic, negative_topics=unlike(topic))).model, model_file(TOPIC, folder))
    warc, labels = recording
    plan = Plan(
        web=(warc,),
        labels=(labels,),
        recipes=(Recipe(TOPIC, prune=False, link_models=str(folder)),),
        seeds=(Seeds(web.seeds, []),),
        specs=tuple(named(ALL)),
        pages=PAGES,
        concurrency=1,  # the order alone, not how late a strategy learns
    )
    outcomes = compare(plan, folder, no_bar).outcomes
    return {name: ratio or 0.0 for name, ratio in mean_ratios(outcomes, PAGES).items()}


def complaints(ratios: Mapping[str, float], floors: Floors) -> list[str]:
    """What is wrong, a line each; empty = the gate is open."""
    found = []
    for name, entries in floors.items():
        for before, after in pairwise(entries):
            if after["floor"] < before["floor"] and not str(after.get("why", "")).strip():
                found.append(f"{name}: its floor was lowered to {after['floor']} and nobody says why")
        floor = entries[-1]["floor"]
        if name not in ratios:
            found.append(f"{name}: has a floor of {floor} and did not run")
        elif ratios[name] < floor:
            found.append(f"{name}: oracle ratio {ratios[name]:.3f} is under its floor of {floor}")
    found += [f"{name}: has no floor; measured {ratios[name]:.3f}" for name in ratios if name not in floors]
    return found


def test_every_strategy_reaches_its_floor_on_the_synthetic_web(
    synthetic_web: tuple[Path, Path], tmp_path: Path
) -> None:
    ratios = measured(synthetic_web, tmp_path)
    for name, ratio in sorted(ratios.items(), key=lambda row: -row[1]):
        floor = FLOORS[name][-1]["floor"] if name in FLOORS else "-"
        sys.stdout.write(f"{name:<24}{ratio:.3f}  floor {floor}\n")
    assert set(ratios) == set(STRATEGIES)
    assert complaints(ratios, FLOORS) == []
