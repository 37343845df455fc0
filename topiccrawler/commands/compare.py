"""`scrapy compare`: runs strategies over a recorded web and compares them.

A comparison takes minutes, so every wrong argument is reported before it begins. The results are for people (table,
report, plots) and for scripts (JSON, CSV).
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Container, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.lab.experiment import Plan
    from topiccrawler.topics.seeds import Seeds

DEFAULTS = {"strategies": "all", "pages": 1000, "concurrency": 16}  # for options that no experiment sets


class Command(ReportingCommand):
    """The command `scrapy compare`: makes a plan from the options, runs it, and writes the results."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        for name in ("out",) if opts.experiment else ("web", "topic", "out"):
            if not getattr(opts, name):
                self.refuse(f"--{name} is missing")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.lab import reporting
        from topiccrawler.lab.experiment import compare

        folder = _folder(opts.out)
        if opts.experiment:
            self._fill_in(opts, folder)
        for name, value in DEFAULTS.items():
            if getattr(opts, name) is None:
                setattr(opts, name, value)
        plan = self._plan(opts)
        comparison = compare(plan, folder, _bar)
        with file_faults(ArgumentError, f"--out {folder}", "cannot be written to", "name another folder"):
            reporting.write(comparison, folder, vars(opts))
        if opts.json:
            found = {outcome.topic: reporting.result(comparison, outcome) for outcome in comparison.outcomes}
            print(reporting.as_json(found if len(found) > 1 else next(iter(found.values()))), end="")
            return
        print("\n".join(reporting.lines(comparison)))
        of_each = "result.json, curves.csv, cost.json, plots of each topic"
        print(f"written to {folder}: report.html, and {of_each}")

    def _fill_in(self, opts: argparse.Namespace, folder: Path) -> None:
        from topiccrawler.lab.paper_experiments import (
            experiment_of,
            fill_in,
            mixed_seeds,
            recorded_synthetic_web,
            with_labels,
        )

        fill_in(opts, self.project)
        generated: list[str] = []
        if not opts.web:
            warc, labels, generated = recorded_synthetic_web(folder)
            opts.web, opts.labels = [str(warc)], [*opts.labels, str(labels)]
        opts.strategies = with_labels(opts.strategies, opts.labels)
        number = experiment_of(opts.experiment).mixed_seeds
        if number and opts.labels and not opts.seeds:
            labelled = [user_path(path) for path in opts.labels]
            for _, name in _topics(opts.topic):
                opts.seeds.append(f"{name}={','.join(mixed_seeds(labelled, name, number))}")
        elif generated:
            opts.seeds = opts.seeds or generated

    def _plan(self, opts: argparse.Namespace) -> Plan:
        from topiccrawler.crawling.recipe import recipe_of
        from topiccrawler.lab.configurations import ALL, named
        from topiccrawler.lab.experiment import Plan
        from topiccrawler.lab.workers import cores
        from topiccrawler.replay.warc import recorded_paths
        from topiccrawler.urls.canonical import canonical

        topics = _topics(opts.topic)
        names = {called for topic in topics for called in topic}
        seeds = [_seeds(opts.seeds, given, name, names) for given, name in topics]
        asked = opts.strategies.split(",")
        specs = named(opts.strategies)
        recipes = []
        for (given, _), own in zip(topics, seeds, strict=True):
            off_topic = tuple(filter(None, map(canonical, own.negative)))
            recipes.append(recipe_of(self.project, given, off_topic=off_topic, prune=opts.prune))
        return Plan(
            web=tuple(recorded_paths(opts.web)),
            labels=tuple(user_path(path) for path in opts.labels),
            recipes=tuple(recipes),
            seeds=tuple(seeds),
            specs=tuple(specs),
            forgiving=tuple(spec for spec in specs if spec not in asked) if ALL in asked else (),
            pages=opts.pages,
            step=opts.step,
            repeat=opts.repeat,
            jobs=opts.jobs or cores(),
            concurrency=opts.concurrency,
            live=opts.live,
        )


def _topics(given: Sequence[str]) -> list[tuple[str, str]]:
    """The topics of the option --topic without repetition: each as the user wrote it, with its name. ArgumentError when there are none."""
    from topiccrawler.topics.catalogue import load_topic

    found: dict[str, str] = {}
    for part in ",".join(given).replace("，", ",").split(","):
        if part.strip():
            found.setdefault(load_topic(part.strip()).name, part.strip())
    if not found:
        raise ArgumentError(
            f"--topic {','.join(given)}", "names none", "give one, for example --topic finance"
        )
    return [(written, name) for name, written in found.items()]


def _seeds(given: Sequence[str], written: str, name: str, names: Container[str]) -> Seeds:
    """The seeds of one topic by the option --seeds: those without a topic's name and those after its name, or after the topic as the user
    wrote it; the topic's own list when there are none. `names`: what any topic of the comparison is called."""
    from topiccrawler.seeding.seed_files import read_seeds
    from topiccrawler.topics.catalogue import load_topic
    from topiccrawler.topics.seeds import Seeds

    parts: list[str | None] = []
    for text in given:
        owner, equals, value = text.partition("=")
        if not equals or owner not in names:
            parts.append(text)
        elif owner in {name, written}:
            parts.append(value)
    found = [read_seeds(part, load_topic(written)) for part in parts or [None]]
    positive = dict.fromkeys(url for one in found for url in one.positive)
    return Seeds([*positive], [*dict.fromkeys(url for one in found for url in one.negative)])


def _folder(given: str) -> Path:
    folder = user_path(given)
    with file_faults(ArgumentError, f"--out {given}", "cannot be made", "name another folder"):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def _bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on a terminal, nothing elsewhere. The block gets a function that advances it by a number of steps."""
    from tqdm import tqdm

    unit = " pages" if what == "reading" else " crawls"
    with tqdm(total=total, desc=what, unit=unit, file=sys.stderr, leave=False, disable=None) as bar:
        yield lambda steps: bar.update(steps) and None
