"""Defines the papers' experiments by name, for `scrapy compare --experiment NAME`: topics, strategies, pages and settings of each.

A user's options take precedence over these values. Without `--web` the synthetic web is recorded, and its seed page is used.
docs/papers.md has a section for each paper, with the results on a recorded web.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Protocol

from topiccrawler.errors import ArgumentError
from topiccrawler.lab.recorded_web import label_rows
from topiccrawler.resources import package_table

SYNTHETIC = "synthetic-web"  # folder in OUT
AMONG_DEFAULTS = "spider"  # priority: above the project's settings, below those of the command line


class Settings(Protocol):
    """The part of Scrapy's settings that an experiment writes to."""

    def set(self, name: str, value: str, priority: str) -> None: ...


@dataclass(frozen=True, slots=True)
class PaperExperiment:
    """One experiment of a paper."""

    paper: str  # whose it is
    figures: str  # the figures or tables of the paper that it repeats
    topics: str
    strategies: str
    pages: int
    step: int  # pages between two counts
    concurrency: int = 16
    mixed_seeds: int = 0  # number of hubs used as seeds, two of three on topic, if labels are given
    settings: Mapping[str, str] = field(default_factory=dict)
    live: bool = False  # crawl with the real engine


BY_HAND = "LABELS"  # in a strategy's parameters: placeholder for the first file of labels


EXPERIMENTS = {
    name: PaperExperiment(**{**known, "strategies": ",".join(known["strategies"])})
    for name, known in package_table("lab/experiments.toml").items()
}


def experiment_of(name: str) -> PaperExperiment:
    """The experiment of that name. ArgumentError for an unknown one."""
    if name not in EXPERIMENTS:
        raise ArgumentError(f"--experiment {name}", "is unknown", f"give one of: {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def fill_in(opts: argparse.Namespace, settings: Settings) -> None:
    """Set the experiment's values for options that the user did not give. ArgumentError for an unknown experiment."""
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
    """The strategies with BY_HAND replaced by the first file of labels; without one, strategies that need it are left out."""
    by_hand, specs = f"={BY_HAND}", strategies.split(",")
    if not labels:
        return ",".join(spec for spec in specs if not spec.endswith(by_hand))
    return ",".join(
        f"{spec.removesuffix(by_hand)}={labels[0]}" if spec.endswith(by_hand) else spec for spec in specs
    )


def mixed_seeds(labels: Iterable[Path], topic: str, number: int) -> list[str]:
    """Random hubs of a labelled web, two of three about the topic (fewer if there are not enough), the same for every call."""
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
    """Record the synthetic web in a folder below `out`; return the WARC file, the labels and the seeds."""
    from topiccrawler.lab.demo.crawls import record
    from topiccrawler.lab.demo.plan import Web

    web, folder = Web(), out / SYNTHETIC
    folder.mkdir(parents=True, exist_ok=True)
    warc, labels = record(web, folder)
    return warc, labels, web.seeds
