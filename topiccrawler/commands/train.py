"""`scrapy train TOPIC`: trains the link model of a topic, prints the offline table, saves model and report.

The conflict: training is a user's first contact with data of their own, so every file may be wrong; it must say so in
one line, and it must not cost the other commands their start-up time: what is heavy is imported inside `run`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from topiccrawler.errors import ArgumentError, CrawlerError, LinksFileError

if TYPE_CHECKING:
    from topiccrawler.links.training import Recipe, Trained

T = TypeVar("T")


class Command(ScrapyCommand):
    """The command's options and its steps."""

    requires_crawler_process = False

    def syntax(self) -> str:
        return "TOPIC [--links FILE]... [--headlines FILE]... [--documents FILE]... [options]"

    def short_desc(self) -> str:
        return "Train the link model of a topic and report what it is worth on links kept aside"

    def long_desc(self) -> str:
        return (
            "Learns from labelled links (JSON lines), headlines (tab-separated) and documents (JSON lines); from the "
            "topic's keywords alone when no file is given. Prints the offline table and saves TOPIC.json and TOPIC.txt."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        files = {"action": "append", "default": [], "metavar": "FILE"}
        parser.add_argument("--links", help="labelled links, JSON lines; may be given again", **files)  # type: ignore[arg-type]
        parser.add_argument("--headlines", help="headlines, tab-separated with header", **files)  # type: ignore[arg-type]
        parser.add_argument("--documents", help="documents, JSON lines", **files)  # type: ignore[arg-type]
        parser.add_argument("--lexicon", help="dictionary of the topic, a word a line", **files)  # type: ignore[arg-type]
        parser.add_argument(
            "--context",
            choices=("window", "neighbour", "dom"),
            default="window",
            help="context maker of the links",
        )
        parser.add_argument(
            "--event", choices=("bernoulli", "multinomial"), default="bernoulli", help="event model"
        )
        parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the splits into 7:3")
        parser.add_argument(
            "--out", metavar="DIR", help="where to save (default: TOPIC_LINK_MODELS or models/)"
        )
        parser.add_argument("--json", action="store_true", help="print the scores as JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1 or args[0].startswith("-"):
            wrong = next((arg for arg in args if arg.startswith("-")), None)
            fault = f"unknown option {wrong}" if wrong else f"give one topic, not {len(args)}"
            raise UsageError(f"scrapy train: {fault}; usage: scrapy train {self.syntax()}", print_help=False)
        try:
            self._train(args[0], opts)
        except CrawlerError as failure:
            print(failure, file=sys.stderr)
            self.exitcode = 1
        except KeyboardInterrupt:
            print("train: interrupted; nothing was saved", file=sys.stderr)
            self.exitcode = 1

    def _train(self, name: str, opts: argparse.Namespace) -> None:
        from topiccrawler.links.training import Recipe, train
        from topiccrawler.topics.catalogue import load_topic, topic_names

        topic = load_topic(name)
        recipe = Recipe(
            topic,
            links=_paths(opts.links),
            headlines=_paths(opts.headlines),
            documents=_paths(opts.documents),
            lexicon=[word for path in _paths(opts.lexicon) for word in _words(path)],
            rivals=[load_topic(other) for other, _ in topic_names() if other != topic.name],
            context=opts.context,
            event=opts.event,
            seed=opts.seed,
        )
        folder = _folder(opts.out or (self.settings.get("TOPIC_LINK_MODELS") if self.settings else None))
        trained = train(recipe, _bar)
        _save(trained, folder)
        _print(recipe, trained, folder, as_json=opts.json)


def _paths(given: Sequence[str]) -> list[Path]:
    return [Path(path).expanduser() for path in given]


def _words(path: Path) -> list[str]:
    """The first column of a dictionary."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as failure:
        raise LinksFileError(
            str(path), f"cannot be read: {failure}", "give a UTF-8 file, a word a line"
        ) from None
    words = [line.split("\t")[0].strip() for line in lines]
    if not any(words):
        raise LinksFileError(str(path), "holds no word", "give a word a line")
    return [word for word in words if word]


def _folder(given: str | None) -> Path:
    from topiccrawler.resources import folder

    place = Path(given).expanduser() if given else folder("models")
    if not isinstance(place, Path):
        raise ArgumentError(str(place), "lies in an archive", "name a folder by --out DIR")
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise ArgumentError(
            str(place), f"cannot be written to: {failure}", "name another folder by --out DIR"
        ) from None
    return place


def _save(trained: Trained, folder: Path) -> None:
    from topiccrawler.links.modelfile import save
    from topiccrawler.links.report import report

    model = trained.model
    try:
        save(model, folder / f"{model.topic}.json")
        text = report(model, trained.rows, trained.divergences)
        (folder / f"{model.topic}.txt").write_text(text, encoding="utf-8")
    except OSError as failure:
        raise ArgumentError(
            str(folder), f"cannot be written to: {failure}", "name another folder by --out DIR"
        ) from None


def _print(recipe: Recipe, trained: Trained, folder: Path, *, as_json: bool) -> None:
    from topiccrawler.links.report import divergence_lines, table

    place = folder / f"{recipe.topic.name}.json"
    if as_json:
        found = {
            "topic": recipe.topic.name,
            "model": str(place),
            "scores": trained.model.scores,
            "divergences_nats": trained.divergences,
            "training": trained.model.training,
        }
        print(json.dumps(found, ensure_ascii=False))
        return
    if trained.rows:
        print(table(trained.rows))
    else:
        print("nothing was kept aside to measure on: give --links or --headlines")
    if trained.divergences:
        print(divergence_lines(trained.divergences))
    print(f"model {place}, report {place.with_suffix('.txt')}")


def _bar(items: Sequence[T], what: str) -> Iterable[T]:
    from tqdm import tqdm

    bar: Iterable[T] = tqdm(items, desc=what, file=sys.stderr, leave=False, disable=None)
    return bar
