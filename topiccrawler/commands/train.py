"""`scrapy train TOPIC`: trains the link model of a topic, prints the evaluation table, saves model and report.

Every file may be wrong, which is reported in one line. What is heavy is imported inside `run`, so that other commands
start quickly.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError, LinksFileError, ModelError, file_faults
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.link_model.training.train import Trained
    from topiccrawler.topics.labelled_texts import LabelledText

T = TypeVar("T")


class Command(ReportingCommand):
    """The command `scrapy train`: trains a link model, or with --page-classifier a page classifier."""

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.page_classifier is not None:
            if opts.test:
                raise ArgumentError("--test", "measures link models alone", "leave it out")
            self._train_page_classifier(args[0], opts)
        else:
            self._train(args[0], opts)

    def interrupted(self, opts: argparse.Namespace) -> str:
        return "nothing was saved"

    def _train(self, name: str, opts: argparse.Namespace) -> None:
        from topiccrawler.link_model.model_file import model_file
        from topiccrawler.link_model.training import promotion
        from topiccrawler.link_model.training.train import TrainingRecipe, train
        from topiccrawler.topics.catalogue import load_topic
        from topiccrawler.topics.contrasts import unlike

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
        test_files = _paths(opts.test)
        if again := promotion.seen(test_files, [*recipe.links, *recipe.headlines, *recipe.documents]):
            fault = "is trained on too, so it cannot measure the model"
            raise ArgumentError(f"--test {again[0]}", fault, "give links that are in no other file")
        test_links = promotion.labelled(test_files, topic, recipe.context) if test_files else ()
        trained = train(recipe, _bar)
        model, rows = trained.model, list(trained.rows)
        if test_links:
            tested, stays = promotion.tested(model, test_links, folder)
            rows += tested
            model.scores = {**model.scores, tested[0].name: tested[0].scores()}
        else:
            stays = promotion.why_it_stays(model, trained.test, folder)
        trained = replace(trained, rows=rows)
        is_saved = stays is None or opts.force
        place, former = _save(trained, folder) if is_saved else (None, None)
        found = {"topic": topic.name, "model": None if place is None else str(place), "in_use": is_saved}
        found |= {"former": None if former is None else str(former)}
        found |= {"threshold": model.threshold, "gate_threshold": model.gate_threshold}
        found |= {"scores": {row.name: row.scores() for row in rows}, "training": model.training}
        found |= {"learning_curve": {row.name: row.scores() for row in trained.curve}}
        found |= {"divergences_nats": trained.divergences}
        known = {"trained": trained, "place": place, "former": former}
        self.report(opts, found, self.text("train", {**known, "as_text": promotion}))
        if not is_saved:
            what = str(model_file(model.topic, folder))
            remedy = "save the new one elsewhere by --out DIR, or insist with --force"
            raise ModelError(what, f"stays in use: {stays}", remedy)

    def _train_page_classifier(self, name: str, opts: argparse.Namespace) -> None:
        from topiccrawler.relevance.base import PUBLISHED
        from topiccrawler.relevance.training.from_files import TrainingRequest, as_text, check, train_to

        request = TrainingRequest(
            anchors=_anchors(name, _paths(opts.links)) if opts.page_classifier == PUBLISHED else (),
            page_classifier=opts.page_classifier,
            topic=name,
            documents=_paths(opts.documents),
            headlines=_paths(opts.headlines),
            precision=opts.precision,
            words=opts.words,
            seed=opts.seed,
            force=opts.force,
        )
        check(request)
        folder = _folder(opts.out or self.setting("TOPIC_PAGE_CLASSIFIER_MODELS"))
        print(as_text(train_to(request, folder, _bar), as_json=opts.json))


def _anchors(name: str, files: Sequence[Path]) -> list[LabelledText]:
    """The anchors of sample pages: of each target of labelled links, the first anchor that has a text."""
    from topiccrawler.link_model.training.link_files import read_links
    from topiccrawler.topics.catalogue import load_topic
    from topiccrawler.topics.labelled_texts import LabelledText

    topic = load_topic(name)
    found: dict[str, LabelledText] = {}
    for path in files:
        for one in read_links(path, topic, None):
            anchor = (one.link.anchor or one.link.title).strip()
            if anchor and one.link.url not in found:
                found[one.link.url] = LabelledText(anchor, "", one.positive, one.label, one.link.host)
    return list(found.values())


def _paths(given: Sequence[str]) -> list[Path]:
    return [user_path(path) for path in given]


def _words(path: Path) -> list[str]:
    """The words in the first column of a tab-separated dictionary file; LinksFileError if there are none."""
    with file_faults(LinksFileError, path, "cannot be read", "give a UTF-8 file, a word a line"):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    words = [line.split("\t")[0].strip() for line in lines]
    if not any(words):
        raise LinksFileError(str(path), "holds no word", "give a word a line")
    return [word for word in words if word]


def _folder(given: str | None) -> Path:
    from topiccrawler.resources import own_folder

    place = user_path(given) if given else own_folder("models")
    if place is None:
        raise ArgumentError("the models of the package", "are not written to", "name a folder by --out DIR")
    with file_faults(ArgumentError, place, "cannot be written to", "name another folder by --out DIR"):
        place.mkdir(parents=True, exist_ok=True)
    return place


def _save(trained: Trained, folder: Path) -> tuple[Path, Path | None]:
    """Save a model and its report. Return the path of the model, and that of the former model if there was one."""
    from topiccrawler.files import keep_former
    from topiccrawler.link_model.model_file import load, model_file, save
    from topiccrawler.link_model.training.promotion import report

    place = model_file(trained.model.topic, folder)
    with file_faults(ArgumentError, folder, "cannot be written to", "name another folder by --out DIR"):
        former = keep_former(place)
        save(trained.model, place)
        card = folder / f"{trained.model.topic}.txt"
        keep_former(card)
        read = load(place)  # the saved model has rounded counts
        text = report(read, trained.rows, trained.divergences, trained.curve)
        card.write_text(text, encoding="utf-8")
    return place, former


def _bar(items: Sequence[T], what: str) -> Iterable[T]:
    from tqdm import tqdm

    bar: Iterable[T] = tqdm(items, desc=what, file=sys.stderr, leave=False, disable=None)
    return bar
