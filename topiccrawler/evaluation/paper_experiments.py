"""The papers' experiments by name, for `scrapy compare --experiment NAME`: topics, strategies, pages and settings of each.

What a user gives goes before what is written here. Without `--web` the synthetic web is recorded, and its seed page taken.
docs/papers/ has a page a paper, docs/lab/experiments.md the results on a recorded web.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Protocol

from topiccrawler.errors import ArgumentError, file_faults

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


EXPERIMENTS: Mapping[str, PaperExperiment] = {
    "skyreach": PaperExperiment(
        "skyreach",
        "fig. 3",
        "travel",
        "breadth_first,pagerank,ipagerank,relevance_weighting,ipagerank:c=1",
        pages=4000,
        step=500,
    ),
    "skyreach-performance": PaperExperiment(
        "skyreach",
        "fig. 4: ten threads, the memory in cost.json",
        "travel",
        "ipagerank",
        4000,
        500,
        concurrency=10,
    ),
    "link-model": PaperExperiment(
        "link-model",
        "fig. 2 and 3",
        "tech",
        "best_first,shark_search:gamma=0.8,link_model:linking=0:graded=false:seeds_only=true,link_model",
        pages=4000,
        step=500,
        mixed_seeds=30,
    ),
    "jlse": PaperExperiment(
        "jlse",
        "fig. 3 and 4",
        "finance,health,travel",
        "breadth_first,anchor_text,context_graph,opie,jlse,jlse:detail=true:terminal=true",
        pages=2000,
        step=250,
        settings={"TOPIC_PAGE_CLASSIFIER": "naive_bayes"},
    ),
    "jlse-cf": PaperExperiment(
        "jlse",
        "fig. 5",
        "finance,health,travel",
        "anchor_text,jlse:cf=50,jlse:cf=100,jlse:cf=150,jlse:cf=200",
        pages=2000,
        step=250,
        settings={"TOPIC_PAGE_CLASSIFIER": "naive_bayes"},
    ),
    "nb-guided": PaperExperiment(
        "nb-guided", "4.3: the crawl", "finance", "breadth_first,best_first,naive_bayes", pages=4000, step=500
    ),
    "myspider": PaperExperiment(
        "myspider",
        "1.3, 2.2 and 3.2: the search strategies it describes",
        "finance,health,travel",
        "breadth_first,depth_first,backlink,pagerank,opic,hits,fish_search,shark_search,best_first,seed_selector,"
        "seed_selector:stages=true",
        pages=2000,
        step=250,
    ),
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
    for name, value in chosen.settings.items():
        settings.set(name, value, AMONG_DEFAULTS)


def mixed_seeds(labels: Iterable[Path], topic: str, number: int) -> list[str]:
    """Hubs of a labelled web, two of three about the topic (all there are, when they are fewer), drawn by lot, the same each time."""
    hubs: dict[bool, list[str]] = {True: [], False: []}
    for path in labels:
        with file_faults(
            ArgumentError, path, "cannot be read", "give a file of labels: url, topics, how, kind"
        ):
            lines = path.read_text(encoding="utf-8").splitlines()
        for url, topics, _, kind in (line.split("\t")[:4] for line in lines if line.count("\t") >= 3):
            if kind in {"hub", "home"} and "," not in url and not url.startswith("#"):
                hubs[topic in topics.split(",")].append(url)
    wanted = {True: number - number // 3, False: number // 3}
    chance = Random(0)
    return [
        url for on, urls in hubs.items() for url in chance.sample(sorted(urls), min(len(urls), wanted[on]))
    ]


def recorded_synthetic_web(out: Path) -> tuple[Path, Path, list[str]]:
    """The synthetic web's recording in that folder, made when it is not there: WARC file, labels and seeds."""
    from topiccrawler.demo.plan import Web
    from topiccrawler.demo.recording import record

    web, folder = Web(), out / SYNTHETIC
    folder.mkdir(parents=True, exist_ok=True)
    warc, labels = record(web, folder)
    return warc, labels, web.seeds
