"""The papers' experiments by name, for `scrapy compare --experiment NAME`: topics, strategies, pages and settings of each.

What a user gives goes before what is written here. Without `--web` the synthetic web is recorded, and its seed page taken.
docs/papers/ has a page a paper, docs/lab/experiments.md the results on a recorded web.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Protocol

from topiccrawler.errors import ArgumentError
from topiccrawler.lab.labels import label_rows
from topiccrawler.resources import package_table

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
