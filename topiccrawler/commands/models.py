"""`scrapy models`: lists, shows, tests and compares link models.

A model decides a whole crawl, so it can be measured on the user's own links.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError, CrawlerError, ModelError
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from topiccrawler.link_model.classifier import LinkClassifier
    from topiccrawler.link_model.training.evaluation import Row

# the least and the greatest number of names after a step
NONE, ONE, SEVERAL = (0, 0), (1, 1), (2, 99)


class Command(ReportingCommand):
    """The command `scrapy models`."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        step, *names = args or ["list"]
        _, (least, most) = self.steps.get(step, (None, NONE))
        if step not in self.steps or not least <= len(names) <= most:
            self.refuse(f"cannot do {' '.join(args)!r}")
        if opts.threshold is not None and not isfinite(opts.threshold):
            self.refuse(f"--threshold {opts.threshold:g}: give a number")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        step, *names = args or ["list"]
        self.steps[step][0](self, names, opts)

    def _folder(self, opts: argparse.Namespace) -> Path:
        from topiccrawler.resources import folder

        given = opts.models or self.setting("TOPIC_LINK_MODELS")
        place = user_path(given) if given else folder("models")
        if not isinstance(place, Path) or not place.is_dir():
            raise ArgumentError(str(place), "is no folder", "name one by --models DIR")
        return place

    def _model(self, name: str, opts: argparse.Namespace) -> LinkClassifier:
        from topiccrawler.link_model.model_file import SUFFIX, load, load_model, model_file
        from topiccrawler.topics.catalogue import load_topic

        path = user_path(name)
        if path.name.endswith(SUFFIX) or path.is_file():
            return load(path)
        folder = self._folder(opts)
        return load_model(name if model_file(name, folder).is_file() else load_topic(name).name, folder)

    def _list(self, names: Sequence[str], opts: argparse.Namespace) -> None:
        from topiccrawler.link_model.model_file import SUFFIX, load
        from topiccrawler.link_model.training.promotion import held_out

        found = []
        for place in sorted(self._folder(opts).glob(f"*{SUFFIX}")):
            line: dict[str, Any] = {"file": place.name, "bytes": place.stat().st_size}
            try:
                model = load(place)
            except ModelError as failure:
                line["refused"] = str(failure)
            else:
                line |= {"topic": model.topic, "context": model.context}
                line |= {"threshold": model.threshold, "samples": model.training.get("samples", {})}
                line["f1"] = measured[1] if (measured := held_out(model.scores)) else None
            found.append(line)
        self.report(opts, found, self.text("models", {"models": found}))

    def _show(self, names: Sequence[str], opts: argparse.Namespace) -> None:
        from topiccrawler.link_model.training.promotion import report

        model = self._model(names[0], opts)
        shown = ("topic", "context", "prior", "trust", "threshold", "training", "scores")
        rows = "\n".join(f"{name}: {scores}" for name, scores in model.scores.items())
        found = {name: getattr(model, name) for name in shown}
        self.report(opts, found, f"{report(model, (), {})}{rows}".rstrip("\n"))

    def _test(self, names: Sequence[str], opts: argparse.Namespace) -> None:
        found, row = self._measured(names[0], opts)
        self.report(opts, found, self._table([row]))

    def _compare(self, names: Sequence[str], opts: argparse.Namespace) -> None:
        measured = [self._measured(name, opts) for name in names]
        found = [{"model": name, **one} for name, (one, _) in zip(names, measured, strict=True)]
        self.report(opts, found, self._table([row for _, row in measured]))

    # step -> what does it, and how many names may be after it
    steps: ClassVar[dict[str, tuple[Callable[..., None], tuple[int, int]]]] = {
        "list": (_list, NONE),
        "show": (_show, ONE),
        "test": (_test, ONE),
        "compare": (_compare, SEVERAL),
    }

    def _measured(self, name: str, opts: argparse.Namespace) -> tuple[dict[str, float], Row]:
        """The scores of a model on the labelled links, at the threshold of the option or its own: as a dict, and as a table row."""
        model = self._model(name, opts)
        row = _row(model, opts, opts.threshold, name)
        found = {key: round(getattr(row, key), 6) for key in ("precision", "recall", "f1")}
        threshold = model.threshold if opts.threshold is None else opts.threshold
        return {**found, "threshold": threshold, "links": row.samples}, row

    def _table(self, rows: Sequence[Row]) -> str:
        from topiccrawler.link_model.training.promotion import table

        return table(rows, "model")


def _row(
    model: LinkClassifier, opts: argparse.Namespace, threshold: float | None = None, name: str = ""
) -> Row:
    """The scores of a model on the labelled links, whose texts are segmented into words by the segmenter of the model's topic."""
    from topiccrawler.link_model.training.promotion import labelled, measure
    from topiccrawler.topics.catalogue import load_topic
    from topiccrawler.topics.topic import make_topic

    if not opts.links:
        raise ArgumentError("--links", "is missing", "name a file of labelled links (JSON lines)")
    try:
        topic = load_topic(model.topic)
    except CrawlerError:  # the model is of a user's own topic; its links have the labels 1 and 0, or its name
        topic = make_topic({"name": model.topic, "keywords": [model.topic]}, model.topic)
    links = labelled(_files(opts), topic, model.context)
    return measure(model.cut_by(topic.segmenter), links, threshold, name)


def _files(opts: argparse.Namespace) -> list[Path]:
    return [user_path(path) for path in opts.links]
