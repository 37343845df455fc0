"""A trained page classifier on disk: readable JSON, checked before it is used.

A file that is truncated, huge, of another version or tokenizer, or full of NaN is refused in one line before it
decides a crawl. JSON is parsed, never executed.
Values are whole multiples of `unit_value`: a quarter of the size of decimals, and precise enough.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np

from topiccrawler.errors import ModelError
from topiccrawler.relevance.base import TRAINED
from topiccrawler.relevance.features import FEATURES, Lists
from topiccrawler.relevance.linear import LinearClassifier
from topiccrawler.relevance.vsm import LEAST_WEIGHT, VsmClassifier
from topiccrawler.resources import replace_file
from topiccrawler.text.tokenise import TOKENIZER
from topiccrawler.topics.topic import Topic, make_topic

FORMAT = "topiccrawler page classifier"
VERSION = 1
LARGEST_BYTES = 16_000_000
MOST_CLASSES = 100
LARGEST = 1e9
STEPS = 2_000  # the largest value is this many units


def file_name(topic: str, page_classifier: str) -> str:
    """The file of a page classifier in its folder."""
    return f"{topic}.{page_classifier}.json"


def save(page_classifier: LinearClassifier, place: Path) -> None:
    """Write a page classifier; the same one gives the same bytes. A reader never sees half a file."""
    unit = max(float(np.abs(page_classifier.values).max(initial=0.0)), 1e-9) / STEPS
    head = {
        "threshold": round(page_classifier.threshold, 6),
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
        "threshold": page_classifier.threshold,
        "training": dict(training),
        "scores": dict(scores),
        "negative_topics": page_classifier.negative_topics,
    }
    _write(place, "vsm", page_classifier.topic.name, head, page_classifier.topic.keywords)


def load(place: Path | Traversable, name: str) -> LinearClassifier:
    """The page classifier of a file; ModelError when the file is not valid."""
    model = _read(place, name)
    return _page_classifier(model, name, place)


def load_vectors(place: Path | Traversable, topic: Topic) -> VsmClassifier:
    """The VSM classifier of a file; words that only the topic has stay, for its user added them."""
    model = _read(place, "vsm")
    keywords = {**topic.keywords, **_mapping(model, "words", place)}
    threshold = _number(model, "threshold", 0.0, 1.0, place)
    fields = {**topic.model_dump(), "keywords": keywords, "page_threshold": threshold}
    negative_topics = _vectors(model, "negative_topics", place)
    return VsmClassifier(make_topic(fields, f"page classifier {place}"), negative_topics=negative_topics)


def scores_of(place: Path | Traversable, name: str) -> dict[str, Any]:
    """The scores its training measured, as the file has them."""
    return _mapping(_read(place, name), "scores", place)


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
    lines = [f"{_compact(key)}: {_compact(value)}" for key, value in {**first, **head}.items()]
    rows = ",\n".join(f"{_compact(word)}:{_compact(row)}" for word, row in words.items())
    replace_file(place, "{" + ",\n".join(lines) + ',\n"words": {\n' + rows + "\n}}\n")


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _read(place: Path | Traversable, name: str) -> dict[str, Any]:
    try:
        with place.open("rb") as file:
            body = file.read(LARGEST_BYTES + 1)
    except OSError as failure:
        raise _refused(place, f"cannot be read: {failure.strerror or failure}") from None
    if len(body) > LARGEST_BYTES:
        raise _refused(place, f"is larger than {LARGEST_BYTES} bytes")
    try:
        model = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise _refused(place, "is damaged or no JSON") from None
    if not isinstance(model, dict) or model.get("format") != FORMAT:
        raise _refused(place, "is no page classifier")
    expected = {"version": VERSION, "page_classifier": name, "tokenizer": TOKENIZER, "features": FEATURES}
    for key, value in expected.items():
        if model.get(key) != value:
            raise _refused(place, f"has {key} {str(model.get(key))[:60]}, needed is {value}")
    return model


def _page_classifier(model: dict[str, Any], name: str, place: object) -> LinearClassifier:
    classes, rows = model.get("classes"), _mapping(model, "words", place)
    if (
        not isinstance(classes, list)
        or not 2 <= len(classes) <= MOST_CLASSES
        or not all(isinstance(label, str) for label in classes)
    ):
        raise _refused(place, "has no list of classes")
    table = _table(list(rows.values()), 1 + len(classes), "its table of words", place)
    biases = _table([model.get("biases")], len(classes), "biases", place)[0]
    if name not in TRAINED or not isinstance(model.get("topic"), str):
        raise _refused(place, "names no topic or an unknown page classifier")
    return LinearClassifier(
        name=name,
        topic=model["topic"],
        threshold=_number(model, "threshold", 0.0, 1.0, place),
        classes=tuple(classes),
        words={word: row for row, word in enumerate(rows)},
        factors=np.ascontiguousarray(table[:, 0]),
        values=np.ascontiguousarray(table[:, 1:]) * _number(model, "unit_value", 1e-300, LARGEST, place),
        biases=biases,
        slope=_number(model, "slope", -LARGEST, LARGEST, place),
        offset=_number(model, "offset", -LARGEST, LARGEST, place),
        unit=name != "naive_bayes",
        mean=name == "naive_bayes",
        pairs=name == "svm",
        lists=Lists(_vectors(model, "lists", place)),
        training=_mapping(model, "training", place),
        scores=_mapping(model, "scores", place),
    )


def _table(rows: list[Any], width: int, what: str, place: object) -> Any:
    if not rows or not all(isinstance(row, list) and len(row) == width for row in rows):
        raise _refused(place, f"{what} does not hold {width} numbers a row")
    if not all(type(value) in {int, float} for row in rows for value in row):
        raise _refused(place, f"{what} holds something that is no number")
    try:
        table = np.array(rows, dtype=np.float64)
    except OverflowError:
        raise _refused(place, f"{what} holds a number that is too large") from None
    if not bool((np.abs(table) <= LARGEST).all()):  # NaN fails the comparison too
        raise _refused(place, f"{what} holds a number that is not finite or too large")
    return table


def _number(model: Mapping[str, Any], name: str, least: float, most: float, place: object) -> float:
    value: Any = model.get(name)
    if type(value) not in {int, float} or not least <= value <= most:
        raise _refused(place, f"{name} is {str(value)[:60]!r}, not a number from {least:g} to {most:g}")
    return float(value)


def _vectors(model: Mapping[str, Any], name: str, place: object) -> dict[str, dict[str, float]]:
    """Words with weights above 0, by label."""
    labels = _mapping(model, name, place)
    if len(labels) > MOST_CLASSES:
        raise _refused(place, f"has more than {MOST_CLASSES} {name}")
    found = {}
    for label in labels:
        words = _mapping(labels, label, place)
        found[label] = {word: _number(words, word, LEAST_WEIGHT, LARGEST, place) for word in words}
    return found


def _mapping(model: Mapping[str, Any], name: str, place: object) -> dict[str, Any]:
    value = model.get(name)
    if not isinstance(value, dict):
        raise _refused(place, f"has no {name}")
    return value


def _refused(place: object, fault: str) -> ModelError:
    return ModelError(
        f"page classifier {place}",
        fault,
        "train it again: scrapy train TOPIC --page-classifier NAME --documents FILE",
    )
