"""A trained page classifier on disk: readable JSON, checked before it is used.

A file that is truncated, huge, of another version or tokenizer, or full of NaN is refused in one line before it
decides a crawl. JSON is parsed, never executed.
Values are whole multiples of `unit_value`: a quarter of the size of decimals, and precise enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np

from topiccrawler.errors import ModelError
from topiccrawler.files import JsonFile, compact, replace_file
from topiccrawler.relevance.base import TRAINED
from topiccrawler.relevance.features import FEATURES, Lists
from topiccrawler.relevance.linear import LinearClassifier
from topiccrawler.relevance.vsm import LEAST_WEIGHT, VsmClassifier
from topiccrawler.text.tokenise import TOKENIZER
from topiccrawler.topics.topic import Topic, make_topic

FORMAT = "topiccrawler page classifier"
VERSION = 1
LARGEST_BYTES = 16_000_000
MOST_CLASSES = 100
LARGEST = 1e9
STEPS = 2_000  # the largest value is this many units


def save(page_classifier: LinearClassifier, place: Path) -> None:
    """Write a page classifier; the same one gives the same bytes. A reader never sees half a file."""
    unit = max(float(np.abs(page_classifier.values).max(initial=0.0)), 1e-9) / STEPS
    head = {
        "threshold": round(page_classifier.similarity_threshold, 6),
        "slope": page_classifier.slope,
        "offset": page_classifier.offset,
        "classes": list(page_classifier.classes),
        "biases": page_classifier.biases.tolist(),
        "lists": page_classifier.lists.lists,
        "unit_value": unit,
        "training": dict(page_classifier.training),
        "scores": dict(page_classifier.scores),
    }
    whole = np.rint(page_classifier.values / unit).astype(int)
    rows = {
        word: [round(float(page_classifier.factors[row]), 3), *whole[row].tolist()]
        for word, row in sorted(page_classifier.words.items())
    }
    _write(place, page_classifier.name, page_classifier.topic, head, rows)


def save_vectors(
    page_classifier: VsmClassifier, training: Mapping[str, object], scores: Mapping[str, object], place: Path
) -> None:
    """Write a trained VSM classifier: the topic's keywords and threshold, and the vectors of its negative topics."""
    head = {
        "threshold": page_classifier.similarity_threshold,
        "training": dict(training),
        "scores": dict(scores),
        "negative_topics": page_classifier.negative_topics,
    }
    _write(place, "vsm", page_classifier.topic.name, head, page_classifier.topic.keywords)


def load(place: Path | Traversable, name: str) -> LinearClassifier:
    """The page classifier of a file; ModelError when it cannot be trusted."""
    return _page_classifier(_read(place, name), name)


def load_vectors(place: Path | Traversable, topic: Topic) -> VsmClassifier:
    """The VSM classifier of a file; words that only the topic has stay, for its user added them."""
    file = _read(place, "vsm")
    keywords = {**topic.keywords, **file.mapping("words")}
    threshold = file.number("threshold", 0.0, 1.0)
    fields = {**topic.model_dump(), "keywords": keywords, "page_threshold": threshold}
    negative_topics = _vectors(file, "negative_topics")
    return VsmClassifier(make_topic(fields, f"page classifier {place}"), negative_topics=negative_topics)


def _write(
    place: Path, name: str, topic: str, head: Mapping[str, object], words: Mapping[str, object]
) -> None:
    first = {
        "format": FORMAT,
        "version": VERSION,
        "page_classifier": name,
        "topic": topic,
        "tokenizer": TOKENIZER,
        "features": FEATURES,
    }
    lines = [f"{compact(key)}: {compact(value)}" for key, value in {**first, **head}.items()]
    rows = ",\n".join(f"{compact(word)}:{compact(row)}" for word, row in words.items())
    replace_file(place, "{" + ",\n".join(lines) + ',\n"words": {\n' + rows + "\n}}\n")


def _read(place: Path | Traversable, name: str) -> JsonFile:
    remedy = "train it again: scrapy train TOPIC --page-classifier NAME --documents FILE"
    file = JsonFile(place, LARGEST_BYTES, ModelError, "page classifier", remedy)
    if file.values.get("format") != FORMAT:
        raise file.refused("is no page classifier")
    file.expect({"version": VERSION, "page_classifier": name, "tokenizer": TOKENIZER, "features": FEATURES})
    return file


def _page_classifier(file: JsonFile, name: str) -> LinearClassifier:
    model, rows = file.values, file.mapping("words")
    classes = model.get("classes")
    if (
        not isinstance(classes, list)
        or not 2 <= len(classes) <= MOST_CLASSES
        or not all(isinstance(label, str) for label in classes)
    ):
        raise file.refused("has no list of classes")
    table = _table(file, list(rows.values()), 1 + len(classes), "its table of words")
    biases = _table(file, [model.get("biases")], len(classes), "biases")[0]
    if name not in TRAINED or not isinstance(model.get("topic"), str):
        raise file.refused("names no topic or an unknown page classifier")
    return LinearClassifier(
        name=name,
        topic=model["topic"],
        similarity_threshold=file.number("threshold", 0.0, 1.0),
        classes=tuple(classes),
        words={word: row for row, word in enumerate(rows)},
        factors=np.ascontiguousarray(table[:, 0]),
        values=np.ascontiguousarray(table[:, 1:]) * file.number("unit_value", 1e-300, LARGEST),
        biases=biases,
        slope=file.number("slope", -LARGEST, LARGEST),
        offset=file.number("offset", -LARGEST, LARGEST),
        unit=name != "naive_bayes",
        mean=name == "naive_bayes",
        pairs=name == "svm",
        lists=Lists(_vectors(file, "lists")),
        training=file.mapping("training"),
        scores=file.mapping("scores"),
    )


def _table(file: JsonFile, rows: list[Any], width: int, what: str) -> Any:
    if not rows or not all(isinstance(row, list) and len(row) == width for row in rows):
        raise file.refused(f"{what} does not hold {width} numbers a row")
    if not all(type(value) in {int, float} for row in rows for value in row):
        raise file.refused(f"{what} holds something that is no number")
    try:
        table = np.array(rows, dtype=np.float64)
    except OverflowError:
        raise file.refused(f"{what} holds a number that is too large") from None
    if not bool((np.abs(table) <= LARGEST).all()):  # NaN fails the comparison too
        raise file.refused(f"{what} holds a number that is not finite or too large")
    return table


def _vectors(file: JsonFile, name: str) -> dict[str, dict[str, float]]:
    """Words with weights above 0, by label."""
    labels = file.mapping(name)
    if len(labels) > MOST_CLASSES:
        raise file.refused(f"has more than {MOST_CLASSES} {name}")
    found = {}
    for label in labels:
        words = file.mapping(label, labels)
        found[label] = {word: file.number(word, LEAST_WEIGHT, LARGEST, words) for word in words}
    return found
