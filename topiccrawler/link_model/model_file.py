"""Reads and writes link models as JSON compressed with zstd (`zstd -dc FILE` prints it), which is validated before it is used.

Model files are passed around and committed. So a file that is truncated, huge, of another version, made with another
tokenizer, or full of NaN is refused with a one-line error before it affects a crawl. JSON is parsed, never executed; the size is checked
before the file is read and while it is decompressed, and every number before it is used.

`SeveralLinkModels` is the link model of a crawl for several topics: a link's score is the largest of its scores for the topics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from topiccrawler.errors import ModelError
from topiccrawler.files import JsonFile, compact, is_file, whole_file
from topiccrawler.link_model.classifier import (
    FEATURES,
    FIELDS,
    Columns,
    Counts,
    Lexicon,
    LinkClassifier,
    weights_of,
)
from topiccrawler.links.extract import ContextMaker
from topiccrawler.model import Link
from topiccrawler.resources import folder as data_folder
from topiccrawler.text.segmenter import PLAIN, TOKENIZER, Segmenter
from topiccrawler.zstandard import compress

Folder = TypeVar("Folder", Path, Path | Traversable)
FORMAT = "topiccrawler link model"
SUFFIX = ".json.zst"
LEVEL = 19  # of zstd: one second for a model of 1.3 MB, which is decompressed in 1.3 ms
LARGEST_BYTES = 32_000_000  # of a file and of its JSON
LARGEST_COUNT = 1e12
LONGEST_ENTRY = 100  # characters of a word of the lexicon
EVENT = "bernoulli"  # the event model
CONTEXTS = ("window", "neighbour", "dom")
REMEDY = "train it again: scrapy train TOPIC --links FILE"
_PLACES = 3  # decimal places of a count on disk
_MANY_PLACES = 12  # of a published model, whose counts are divided by the smoothing (training.published), and of one of keywords alone
KEYWORDS = "keywords"  # the folder of these, and their mark


def model_file(topic: str, folder: Folder) -> Folder:
    """Return the path of a topic's model in a folder of models."""
    return folder.joinpath(f"{topic}{SUFFIX}")


def load_model(
    topic: str, folder: Path | Traversable | None = None, segmenter: Segmenter = PLAIN, *, counts: bool = True
) -> LinkClassifier:
    """Return the topic's model in `folder`, or the shipped one. `segmenter`: that of the crawl. `counts`: as of `load`. Raises ModelError."""
    place = model_file(topic, folder or data_folder("models"))
    if not is_file(place):
        remedy = f"train one: scrapy train {topic} --links FILE"
        raise ModelError(f"link model of topic {topic!r}", f"there is no {place}", remedy)
    return load(place, segmenter, counts=counts)


def load(place: Path | Traversable, segmenter: Segmenter = PLAIN, *, counts: bool = True) -> LinkClassifier:
    """Return the model in a file. Raises ModelError for a file that is not valid.

    `counts`: whether the model has its counts. A crawl only scores, and the counts of 60 000 words take 7 MB and .1 s.
    """
    file = JsonFile(place, LARGEST_BYTES, ModelError, "link model", REMEDY, compressed=True)
    model = file.values
    if model.get("format") != FORMAT:
        raise file.refused("is no link model")
    file.expect({"tokenizer": TOKENIZER, "features": FEATURES, "event": EVENT})
    if model.get("context") not in CONTEXTS:
        raise file.refused("names an unknown context maker")
    if not isinstance(model.get("topic"), str) or not isinstance(model.get("lexicon"), list):
        raise file.refused("has no topic or no lexicon")
    if not all(isinstance(entry, str) and len(entry) <= LONGEST_ENTRY for entry in model["lexicon"]):
        raise file.refused("has a lexicon that is no list of words")
    trusts = file.mapping("trust")
    trust = {name: file.number(name, 0.0, 10.0, trusts) for name in FIELDS}
    compounds = model.get("compounds", True) is not False
    pairs = file.mapping("samples")
    samples = {name: [*_pair(file, pairs.get(name), "samples", name)] for name in FIELDS}
    tables = file.mapping("counts")
    columns = {name: _columns(file, name, file.mapping(name, tables)) for name in FIELDS}
    return LinkClassifier(
        topic=model["topic"],
        counts=Counts(_counters(columns), samples) if counts else Counts(),
        context=model["context"],
        prior=file.number("prior", 1e-9, 1 - 1e-9),
        trust=trust,
        threshold=file.number("threshold", -1e6, 1e6),
        gate_threshold=None
        if model.get("gate_threshold") is None
        else file.number("gate_threshold", -1e6, 1e6),
        lexicon=Lexicon(model["lexicon"], segmenter),
        training=file.mapping("training"),
        scores=file.mapping("scores"),
        segmenter=segmenter,
        compounds=compounds,
        tables=[
            weights_of(name, columns[name], samples[name], trust, compounds=compounds) for name in FIELDS
        ],
    )


def save(model: LinkClassifier, place: Path) -> None:
    """Write the model to a file, which is replaced atomically. The same model gives the same bytes.

    Raises ModelError for a model too large to be loaded again; the file then stays as it was.
    """
    text = dumps(model).encode()
    if len(text) > LARGEST_BYTES:
        fault = f"would be larger than {LARGEST_BYTES} bytes"
        raise ModelError(f"link model {place}", fault, "give fewer words in the dictionary")
    with whole_file(place) as out:
        out.write(compress(text, LEVEL))


def dumps(model: LinkClassifier) -> str:
    """Return the model as JSON text, with one line for the counts of each field."""
    places = _PLACES if model.training.keys().isdisjoint({"published", KEYWORDS}) else _MANY_PLACES
    head = {
        "format": FORMAT,
        "topic": model.topic,
        "tokenizer": TOKENIZER,
        "features": FEATURES,
        "context": model.context,
        "event": EVENT,
        "prior": model.prior,
        "trust": {name: model.trust.get(name, 0.0) for name in FIELDS},
        "threshold": model.threshold,
        "gate_threshold": model.gate_threshold,
        "lexicon": list(model.lexicon.entries),
        "training": model.training,
        "scores": model.scores,
        "samples": {name: _short(model.counts.samples[name], places) for name in FIELDS},
        **({} if model.compounds else {"compounds": False}),
    }
    lines = [f"{compact(key)}: {compact(value)}" for key, value in head.items()]
    tables = ",\n".join(f"{compact(name)}: {compact(_table(model.counts, name, places))}" for name in FIELDS)
    lines.append(f'"counts": {{\n{tables}}}')
    return "{" + ",\n".join(lines) + "}\n"


def _table(counts: Counts, name: str, places: int) -> dict[str, object]:
    """Return the counts of one field as three columns, which are parsed in a third of the time of one pair a word."""
    pairs = counts.pairs(name)
    sides = zip(*(pair for _, pair in pairs), strict=True) if pairs else ((), ())
    negative, positive = (_short(side, places) for side in sides)
    return {"words": " ".join(word for word, _ in pairs), "negative": negative, "positive": positive}


def _short(counts: Sequence[float], places: int) -> list[float]:
    """Round counts for the file; whole numbers become integers."""
    rounded = (round(float(count), places) for count in counts)
    return [int(count) if count.is_integer() else count for count in rounded]


def _counters(columns: Mapping[str, Columns]) -> dict[str, tuple[Counter[str], Counter[str]]]:
    """Return the counts of each word by field, as training adds to them."""
    found = {}
    for name, (words, *sides) in columns.items():
        negative, positive = Counter[str](), Counter[str]()
        for counted, numbers in zip((negative, positive), sides, strict=True):
            # Counter.update() would first copy
            dict.update(counted, zip(words, numbers.tolist(), strict=True))
        found[name] = negative, positive
    return found


def _columns(file: JsonFile, name: str, table: Mapping[str, Any]) -> Columns:
    """Return the words with their counts in both classes. Sixty thousand numbers are checked together; one by one only to name an invalid
    one."""
    words = table.get("words")
    names = words.split(" ") if isinstance(words, str) and words else []
    sides = []
    for side in ("negative", "positive"):
        numbers = table.get(side)
        if not isinstance(numbers, list) or len(numbers) != len(names):
            raise file.refused(f"has not one {side} count for each word of {name}")
        counts = _as_counts(numbers)
        if counts is None:
            wrong = next(word for word, number in zip(names, numbers, strict=True) if not _is_count(number))
            fault = f"{side} count of {wrong[:40]!r} is not a number from 0 to {LARGEST_COUNT:g}"
            raise file.refused(fault)
        sides.append(counts)
    if len(set(names)) < len(names):
        raise file.refused(f"has a word of {name} twice")
    return names, sides[0], sides[1]


def _pair(file: JsonFile, value: Any, what: str, name: str) -> tuple[float, float]:
    if type(value) is list and len(value) == 2:
        first, second = value
        if _is_count(first) and _is_count(second):
            return float(first), float(second)
    raise file.refused(f"{what} of {name[:40]!r} is not two numbers from 0 to {LARGEST_COUNT:g}")


def _as_counts(numbers: list[Any]) -> NDArray[np.float64] | None:
    """Return the counts as an array; None if one of them is no count."""
    if not set(map(type, numbers)) <= {int, float}:
        return None
    try:
        counts = np.array(numbers, np.float64)
    except OverflowError:
        return None
    return counts if np.all((counts >= 0) & (counts <= LARGEST_COUNT)) else None  # NaN fails both


def _is_count(value: Any) -> bool:
    return type(value) in {int, float} and 0 <= value <= LARGEST_COUNT  # NaN fails both comparisons


class SeveralLinkModels:
    """The link models of several topics as one. Raises ModelError if they use different context makers."""

    def __init__(self, models: Sequence[LinkClassifier]) -> None:
        self._models = models
        self.context: ContextMaker = models[0].context
        for model in models[1:]:
            if model.context != self.context:
                fault = f"reads the context {model.context}, that of {models[0].topic} {self.context}"
                raise ModelError(f"link model of {model.topic}", fault, "train both with the same --context")
        limits = [model.gate_threshold for model in models]
        self.gate_threshold = None if None in limits else min(limit for limit in limits if limit is not None)

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        """Return for each link the largest log-odds of all models."""
        return list(map(max, *(model.log_odds(links) for model in self._models)))

    def explain(self, link: Link) -> list[tuple[str, float]]:
        """Return the shares of a link's score by the model that gives it the largest score."""
        return max(self._models, key=lambda model: model.log_odds([link])[0]).explain(link)
