"""A link model on disk: readable JSON, checked before it is used.

Model files are passed around, merged and committed, so one that is truncated, huge, of another version,
made with another tokenizer, or full of NaN is refused in one line before it decides a crawl. JSON is parsed, never
executed; the size is checked before the bytes, and every number before it is used.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources.abc import Traversable
from itertools import chain
from pathlib import Path
from typing import Any

from topiccrawler.errors import ModelError
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.link_model.counts import EVENTS, Counts
from topiccrawler.links.features import FEATURES, FIELDS, Lexicon
from topiccrawler.resources import folder as data_folder
from topiccrawler.resources import replace_file
from topiccrawler.text.tokenise import TOKENIZER

FORMAT = "topiccrawler link model"
VERSION = 1
LARGEST_BYTES = 32_000_000
LARGEST_COUNT = 1e12
CONTEXTS = ("window", "neighbour", "dom")
_PLACES = 3  # decimal places of a count on disk


def load_model(topic: str, folder: Path | Traversable | None = None) -> LinkClassifier:
    """The model <topic>.json of `folder`, or of the shipped models."""
    place = (folder or data_folder("models")).joinpath(f"{topic}.json")
    if not place.is_file():
        raise ModelError(
            f"link model of topic {topic!r}",
            f"there is no {place}",
            f"train one: scrapy train {topic} --links FILE",
        )
    return load(place)


def load(place: Path | Traversable) -> LinkClassifier:
    """The model of a file; ModelError when the file is not valid."""
    try:
        size = os.stat(str(place)).st_size if isinstance(place, Path) else 0
        if size > LARGEST_BYTES:
            raise _refused(
                place, f"is {size} bytes large, at most {LARGEST_BYTES} are read", "give a link model"
            )
        with place.open("rb") as file:
            body = file.read(LARGEST_BYTES + 1)
    except OSError as failure:
        raise _refused(
            place, f"cannot be read: {failure.strerror or failure}", "give a readable model file"
        ) from None
    if len(body) > LARGEST_BYTES:
        raise _refused(place, f"is larger than {LARGEST_BYTES} bytes", "give a link model")
    try:
        model = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise _refused(
            place, "is damaged or no JSON", "train it again: scrapy train TOPIC --links FILE"
        ) from None
    return _model(model, place)


def save(model: LinkClassifier, place: Path) -> None:
    """Write the model; the same model gives the same bytes. A reader never sees half a file."""
    replace_file(place, dumps(model))


def dumps(model: LinkClassifier) -> str:
    """The model as JSON text: one line a field of counts."""
    counts = {name: {word: _short(pair) for word, pair in model.counts.pairs(name)} for name in FIELDS}
    head = {
        "format": FORMAT,
        "version": VERSION,
        "topic": model.topic,
        "tokenizer": TOKENIZER,
        "features": FEATURES,
        "context": model.context,
        "event": model.event,
        "prior": model.prior,
        "trust": {name: model.trust.get(name, 0.0) for name in FIELDS},
        "threshold": model.threshold,
        "lexicon": list(model.lexicon.entries),
        "training": model.training,
        "scores": model.scores,
        "samples": {name: _short(model.counts.samples[name]) for name in FIELDS},
        "tokens": {name: _short(model.counts.tokens[name]) for name in FIELDS},
    }
    lines = [f"{_compact(key)}: {_compact(value)}" for key, value in head.items()]
    tables = ",\n".join(f"{_compact(name)}: {_compact(table)}" for name, table in counts.items())
    lines.append(f'"counts": {{\n{tables}}}')
    return "{" + ",\n".join(lines) + "}\n"


def _short(counts: Sequence[float]) -> list[float]:
    """Rounded; whole numbers without a point."""
    rounded = (round(float(count), _PLACES) for count in counts)
    return [int(count) if count.is_integer() else count for count in rounded]


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _model(model: Any, place: object) -> LinkClassifier:
    if not isinstance(model, dict) or model.get("format") != FORMAT:
        raise _refused(place, "is no link model", "give a file written by scrapy train")
    for name, expected in (("version", VERSION), ("tokenizer", TOKENIZER), ("features", FEATURES)):
        if model.get(name) != expected:
            raise _refused(
                place,
                f"has {name} {_shown(model.get(name))}, this program needs {expected!r}",
                "train it again: scrapy train TOPIC --links FILE",
            )
    if model.get("context") not in CONTEXTS or model.get("event") not in EVENTS:
        raise _refused(place, "names an unknown context maker or event model", "train it again")
    if not isinstance(model.get("topic"), str) or not isinstance(model.get("lexicon"), list):
        raise _refused(place, "has no topic or no lexicon", "train it again")
    if not all(isinstance(entry, str) and len(entry) <= 100 for entry in model["lexicon"]):
        raise _refused(place, "has a lexicon that is no list of words", "train it again")
    return LinkClassifier(
        topic=model["topic"],
        counts=_counts(model, place),
        context=model["context"],
        event=model["event"],
        prior=_number(model, "prior", 1e-9, 1 - 1e-9, place),
        trust={name: _number(_mapping(model, "trust", place), name, 0.0, 10.0, place) for name in FIELDS},
        threshold=_number(model, "threshold", -1e6, 1e6, place),
        lexicon=Lexicon(model["lexicon"]),
        training=_mapping(model, "training", place),
        scores=_mapping(model, "scores", place),
    )


def _counts(model: Mapping[str, Any], place: object) -> Counts:
    counts = Counts()
    for part, totals in (("samples", counts.samples), ("tokens", counts.tokens)):
        table = _mapping(model, part, place)
        for name in FIELDS:
            totals[name] = list(_pair(table.get(name), part, name, place))
    tables = _mapping(model, "counts", place)
    for name in FIELDS:
        counts.words[name] = _columns(_mapping(tables, name, place), place)
    return counts


def _columns(table: Mapping[str, Any], place: object) -> tuple[Counter[str], Counter[str]]:
    """The two counts of each word. Sixty thousand pairs are looked at together; one by one only to name a bad one."""
    pairs = table.values()
    if set(map(type, pairs)) <= {list} and set(map(len, pairs)) <= {2}:
        numbers = list(chain.from_iterable(pairs))
        if set(map(type, numbers)) <= {int, float} and all(0 <= n <= LARGEST_COUNT for n in numbers):
            sides = (dict(zip(table, map(float, numbers[side::2]), strict=True)) for side in (0, 1))
            negative, positive = map(Counter, sides)
            return negative, positive
    for word, pair in table.items():
        _pair(pair, "count", word, place)
    raise _refused(place, "has counts that are no numbers", "train it again")


def _pair(value: Any, what: str, name: str, place: object) -> tuple[float, float]:
    if type(value) is list and len(value) == 2:
        first, second = value
        if _is_count(first) and _is_count(second):
            return float(first), float(second)
    fault = f"{what} of {name[:40]!r} is not two numbers from 0 to {LARGEST_COUNT:g}"
    raise _refused(place, fault, "train it again")


def _is_count(value: Any) -> bool:
    return (
        type(value) in {int, float} and 0 <= value <= LARGEST_COUNT
    )  # NaN and infinity fail both comparisons


def _number(table: Mapping[str, Any], name: str, least: float, most: float, place: object) -> float:
    value: Any = table.get(name)
    if type(value) not in {int, float} or not least <= value <= most:
        raise _refused(
            place, f"{name} is {_shown(value)}, not a number from {least:g} to {most:g}", "train it again"
        )
    return float(value)


def _mapping(table: Mapping[str, Any], name: str, place: object) -> dict[str, Any]:
    value = table.get(name)
    if not isinstance(value, dict):
        raise _refused(place, f"has no {name}", "train it again: scrapy train TOPIC --links FILE")
    return value


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _refused(place: object, fault: str, remedy: str) -> ModelError:
    return ModelError(f"link model {place}", fault, remedy)
