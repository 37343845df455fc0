"""`scrapy train TOPIC`: trains the link model of a topic, prints the evaluation table, saves model and report.

Every file may be wrong, which is reported in one line. What is heavy is imported inside `run`, so that other commands
start quickly.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.errors import ArgumentError, LinksFileError, ModelError, file_faults
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.link_model.training.train import Trained, TrainingRecipe

T = TypeVar("T")
FILES: Any = {"action": "append", "default": [], "metavar": "FILE"}


class Command(ReportingCommand):
    """The command's options and its steps."""

    json_help = "print the scores as JSON"
    usage = "TOPIC [--links FILE]... [--headlines FILE]... [--documents FILE]... [options]"
    summary = "Train the link model of a topic and report its scores on held-out links"
    details = (
        "Learns from labelled links (JSON lines), headlines (tab-separated) and documents (JSON lines); from the "
        "topic's keywords alone when no file is given. Prints the evaluation table and saves TOPIC.json and TOPIC.txt. A "
        "model in use is replaced only by one that was measured on held-out rows and does no worse there (or with --force), "
        "and is kept as TOPIC.json.old; else the new one is saved as TOPIC.candidate.json, with exit code 1."
    )

    def options(self, add: Callable[..., argparse.Action]) -> None:
        add("--links", help="labelled links, JSON lines; may be given again", **FILES)
        add("--headlines", help="headlines, tab-separated with header", **FILES)
        add("--documents", help="documents, JSON lines", **FILES)
        add("--lexicon", help="dictionary of the topic, a word a line", **FILES)
        contexts = ("window", "neighbour", "dom")
        context = "context maker of the links (default window; with --paper neighbour)"
        add("--context", choices=contexts, help=context)
        paper = "the published model instead of ours: feature group 1 (anchor) or 2 (default: also context and dictionary), --links alone"
        add("--paper", nargs="?", type=int, choices=(1, 2), const=2, metavar="GROUP", help=paper)
        smoothing = "what --paper adds to each count (default 1)"
        add("--smoothing", type=_above_zero, metavar="A", help=smoothing)
        precision = "set the threshold so that a share P of what is accepted on held-out links is relevant"
        add("--precision", type=_share, metavar="P", help=precision)
        gate = "the link gate lets in a share R of the relevant links on held-out hosts (default 0.98)"
        add("--gate-recall", type=_share, default=0.98, metavar="R", help=gate)
        add("--seed", type=int, default=0, metavar="N", help="of the splits into 7:3")
        add("--out", metavar="DIR", help="where to save (default: TOPIC_LINK_MODELS or models/)")
        force = "replace a model in use by one that does worse or was not measured; the old one is kept as FILE.old"
        add("--force", action="store_true", help=force)

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        add = parser.add_argument_group("a page classifier instead of a link model").add_argument
        add("--page-classifier", metavar="NAME", help="vsm, naive_bayes, svm or detail")
        words = "words and pairs that a page classifier keeps, the weightiest (default 12 000); fewer make a smaller file"
        add("--words", type=int, default=12_000, metavar="N", help=words)
        add("--pages", help="recorded pages (WARC), for detail", **FILES)
        add("--labels", help="kinds of those pages, for detail", **FILES)

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        self.refuse_options(args)
        self.refuse_below_one(opts, "words")
        if len(args) != 1:
            self.refuse(f"give one topic, not {len(args)}")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.page_classifier is not None:
            self._train_page_classifier(args[0], opts)
        else:
            self._train(args[0], opts)

    def interrupted(self, opts: argparse.Namespace) -> str:
        return "nothing was saved"

    def _train(self, name: str, opts: argparse.Namespace) -> None:
        from topiccrawler.link_model.training.promotion import model_file, why_it_stays
        from topiccrawler.link_model.training.train import TrainingRecipe, train
        from topiccrawler.topics.catalogue import load_topic
        from topiccrawler.topics.meaning import unlike

        if opts.pages:
            fault = "is read for a page classifier alone"
            raise ArgumentError("--pages", fault, "give --page-classifier detail")
        if opts.smoothing and not opts.paper:
            raise ArgumentError("--smoothing", "is read for the published model alone", "give --paper")
        topic = load_topic(name)
        recipe = TrainingRecipe(
            topic,
            links=_paths(opts.links),
            headlines=_paths(opts.headlines),
            documents=_paths(opts.documents),
            lexicon=[word for path in _paths(opts.lexicon) for word in _words(path)],
            negative_topics=unlike(topic),
            context=opts.context or ("neighbour" if opts.paper else "window"),
            published=opts.paper,
            smoothing=opts.smoothing or 1.0,
            seed=opts.seed,
            precision=opts.precision,
            gate_recall=opts.gate_recall,
        )
        folder = _folder(opts.out or self.setting("TOPIC_LINK_MODELS"))
        trained = train(recipe, _bar)
        stays = None if opts.force else why_it_stays(trained.model, trained.test, folder)
        place, former = _save(trained, folder, in_use=stays is None)
        _print(recipe, trained, place, former, in_use=stays is None, as_json=opts.json)
        if stays is not None:
            where = f" --models {folder}" if opts.out else ""
            remedy = f"to use the new one all the same: scrapy models promote {place}{where} --force"
            raise ModelError(str(model_file(trained.model.topic, folder)), f"stays in use: {stays}", remedy)

    def _train_page_classifier(self, name: str, opts: argparse.Namespace) -> None:
        from topiccrawler.relevance.training.from_files import TrainingRequest, as_text, check, train_to

        request = TrainingRequest(
            page_classifier=opts.page_classifier,
            topic=name,
            documents=_paths(opts.documents),
            headlines=_paths(opts.headlines),
            pages=_paths(opts.pages),
            labels=_paths(opts.labels),
            precision=opts.precision,
            words=opts.words,
            seed=opts.seed,
            force=opts.force,
        )
        check(request)
        folder = _folder(opts.out or self.setting("TOPIC_PAGE_CLASSIFIER_MODELS"))
        print(as_text(train_to(request, folder, _bar), as_json=opts.json))


def _paths(given: Sequence[str]) -> list[Path]:
    return [user_path(path) for path in given]


def _words(path: Path) -> list[str]:
    """The first column of a dictionary."""
    with file_faults(LinksFileError, path, "cannot be read", "give a UTF-8 file, a word a line"):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    words = [line.split("\t")[0].strip() for line in lines]
    if not any(words):
        raise LinksFileError(str(path), "holds no word", "give a word a line")
    return [word for word in words if word]


def _folder(given: str | None) -> Path:
    from topiccrawler.files import own_folder

    place = user_path(given) if given else own_folder("models")
    if place is None:
        raise ArgumentError("the models of the package", "are not written to", "name a folder by --out DIR")
    with file_faults(ArgumentError, place, "cannot be written to", "name another folder by --out DIR"):
        place.mkdir(parents=True, exist_ok=True)
    return place


def _save(trained: Trained, folder: Path, *, in_use: bool) -> tuple[Path, Path | None]:
    """Save model and report, as the topic's own or as a candidate; where they are, and where the former model is kept."""
    from topiccrawler.files import keep_former
    from topiccrawler.link_model.model_file import load, save
    from topiccrawler.link_model.training.promotion import CANDIDATE, model_file, put_to_use, report

    model, former = trained.model, None
    place = model_file(model.topic, folder) if in_use else folder / f"{model.topic}{CANDIDATE}"
    with file_faults(ArgumentError, folder, "cannot be written to", "name another folder by --out DIR"):
        if in_use:
            former = put_to_use(model, folder)
            keep_former(place.with_suffix(".txt"))
        else:
            save(model, place)
        read = load(place)  # whose counts are rounded
        text = report(read, trained.rows, trained.divergences, trained.curve)
        place.with_suffix(".txt").write_text(text, encoding="utf-8")
    return place, former


def _print(
    recipe: TrainingRecipe, trained: Trained, place: Path, former: Path | None, *, in_use: bool, as_json: bool
) -> None:
    from topiccrawler.link_model.training.promotion import divergence_lines, table, thresholds

    if as_json:
        found = {
            "topic": recipe.topic.name,
            "model": str(place),
            "in_use": in_use,
            "former": None if former is None else str(former),
            "threshold": trained.model.threshold,
            "gate_threshold": trained.model.gate_threshold,
            "scores": trained.model.scores,
            "learning_curve": {row.name: row.scores() for row in trained.curve},
            "divergences_nats": trained.divergences,
            "training": trained.model.training,
        }
        print(json.dumps(found, ensure_ascii=False))
    else:
        nothing = "nothing was held out to measure on: give --links or --headlines"
        print(table(trained.rows) if trained.rows else nothing)
        if trained.curve:
            print(table(trained.curve, "learning curve (hosts)"))
        if trained.divergences:
            print(divergence_lines(trained.divergences))
        print(thresholds(trained.model))
        kept = "" if former is None else f", the former model {former}"
        print(f"model {place}, report {place.with_suffix('.txt')}{kept}")


def _share(given: str) -> float:
    try:
        value = float(given)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{given!r} is no number above 0 and at most 1")
    return value


def _above_zero(given: str) -> float:
    try:
        value = float(given)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1e6:
        raise argparse.ArgumentTypeError(f"{given!r} is no number above 0")
    return value


def _bar(items: Sequence[T], what: str) -> Iterable[T]:
    from tqdm import tqdm

    bar: Iterable[T] = tqdm(items, desc=what, file=sys.stderr, leave=False, disable=None)
    return bar
