"""Scores pages with trained page classifiers: naive Bayes and linear SVM, each a sum over the words of a page.

`LinearClassifier` scores both, without scikit-learn.
Idea: both give a word a number for each class. They differ in how that number is learned (relevance.training) and in whether a
page is represented by counts or by a vector of length 1.
Formula: x_w = count · factor_w, or (1 + ln count) · factor_w divided by the length of x (`unit`); s_c = Σ x_w·v_wc + b_c;
margin = s_topic - max over negative topics c of s_c, negative topics = the other labels; divided by the number of known
words (`mean`); similarity = 1 / (1 + e^-(slope·margin + offset)), fitted to margins of held-out documents (Platt); relevance: the
same, minus the log-odds of the threshold in the exponent.
naive_bayes: counts, factor 1, mean; svm: unit, factor = idf, also `pairs` of neighbouring words and
word `lists`.
Cost: one look-up a distinct word (features: one count over the words, twice with pairs), one small matrix product; see
benchmarks/judge.py.
But: words that the model does not know do not lengthen the page; a page without a known word has similarity and relevance 0, because
the biases alone say how many documents there were, not what the page is about. JLSE eq. 2 multiplies word by word, so the probability of a
page of 500 words is near 0 or 1; the mean and the fitted slope avoid that (as published: relevance.published).
Reference: JLSE (2014) §3.1; Joachims (1998); Platt (1999).

`counts_of` counts the features, for training and scoring. Words of the title have a larger weight, and are also features of their own: a
title says what a page is about, a body what it mentions. Pairs of neighbouring words say more than the words alone (svm only). Lists
(svm only): the share of a page's words that belong to each catalogue topic, one feature a topic, so that the SVM works for words
and sites that it has not learned from. `keywords_of_pages` weights the fields of pages in the same way for a topic vector.
Parameters: FIELD_WEIGHTS; TITLE_WEIGHT 2: weight of the title's own features (mean F1 .905, without them .901). Pairs raise
average precision from .937 to .949 (both: cross-validation on shared documents).

`save` and `load` use readable JSON, which is validated before it is used. A file that is truncated, huge, of another version or
tokenizer, or full of NaN is refused with a one-line error before it affects a crawl; JSON is parsed, never executed. Values are integer
multiples of `unit_value`, which takes a quarter of the size of decimals and is precise enough. One SVM separates all its labels, so the
files of several topics may name one common file in their folder (`weights`), and each its own class (`label`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path, PurePath
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from topiccrawler.errors import ModelError
from topiccrawler.files import JsonFile, compact, replace_file
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.base import EVEN, TRAINED
from topiccrawler.relevance.vsm import LEAST_WEIGHT, VsmClassifier
from topiccrawler.text.segmenter import TOKENIZER
from topiccrawler.text.weights import logistic
from topiccrawler.topics.keywords import SIZE, keywords_of_words
from topiccrawler.topics.topic import Topic, make_topic

FIELD_WEIGHTS = {"title": 5, "headings": 2, "emphasis": 1, "meta": 2, "body": 1}


def keywords_of_pages(
    pages: Sequence[PageWords],
    others: Sequence[PageWords] = (),
    size: int = SIZE,
    *,
    by_occurrences: bool = False,
) -> dict[str, float]:
    """Return the topic vector of pages against `others`; title, headings and meta words have larger weights."""
    ours, theirs = (list(map(running_words, side)) for side in (pages, others))
    return keywords_of_words(ours, theirs, size, by_occurrences=by_occurrences)


def running_words(page: PageWords) -> list[str]:
    """Return all words of a page, each repeated by the weight of its field."""
    return [
        word for name, weight in FIELD_WEIGHTS.items() for word in getattr(page, name) for _ in range(weight)
    ]


FEATURES = "fields-2"  # stored in every model; a change of the features needs a new name
TITLE = "title:"
TITLE_WEIGHT = 2
BETWEEN = " "  # separates the words of a pair; no word contains it
LIST = "list:"
_WEIGHED = tuple((field, weight) for field, weight in FIELD_WEIGHTS.items() if field != "body")


class Lists:
    """Word lists by name. The feature of a list is 1 + the weighted occurrences of its words on the page."""

    def __init__(self, lists: Mapping[str, Mapping[str, float]]) -> None:
        self.lists = {name: dict(words) for name, words in lists.items()}
        self._of: dict[str, list[tuple[str, float]]] = {}
        for name, words in self.lists.items():
            for word, weight in words.items():
                self._of.setdefault(word, []).append((LIST + name, weight))

    def add_to(self, counts: dict[str, float]) -> None:
        """Add the features of the lists that have a word among `counts` to these counts."""
        found: dict[str, float] = {}
        for word in sorted(self._of.keys() & counts.keys()):
            for name, weight in self._of[word]:
                found[name] = found.get(name, 1.0) + weight * counts[word]
        counts.update(found)


def counts_of(
    page: PageWords,
    *,
    title_apart: bool = True,
    pairs: bool = False,
    known: Container[str] | None = None,
    lists: Lists | None = None,
) -> dict[str, float]:
    """Return the weighted occurrences of each word, of title words with the prefix `title:`, of neighbouring pairs, and of word lists.

    `known`: the pairs to count; most pairs of a page are not in the model, and counting all would double the cost.
    """
    counts: dict[str, float] = dict(Counter(page.body))
    if pairs:
        counts.update(Counter(_pairs(page.body, known)))
    for name, weight in _WEIGHED:
        words = getattr(page, name)
        for word in words:
            counts[word] = counts.get(word, 0) + weight
        if pairs:
            for pair in _pairs(words, known):
                counts[pair] = counts.get(pair, 0) + weight
    if title_apart:
        for word in page.title:
            counts[TITLE + word] = counts.get(TITLE + word, 0) + TITLE_WEIGHT
    if lists:
        lists.add_to(counts)
    return counts


def is_pair(feature: str) -> bool:
    """Whether the feature is a pair of words."""
    return BETWEEN in feature


def plain(feature: str) -> str:
    """Return the word, or the pair of words, of a feature without the prefix `title:`."""
    return feature.removeprefix(TITLE)


def _pairs(words: Sequence[str], known: Container[str] | None) -> Iterator[str]:
    pairs = map(BETWEEN.join, pairwise(words))
    return pairs if known is None else filter(known.__contains__, pairs)


Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LinearClassifier:
    """A trained linear page classifier; `values` has a row for each word and a column for each class, the topic first."""

    threshold: ClassVar[float] = EVEN
    reads_segments: ClassVar[bool] = False
    name: str  # naive_bayes or svm
    topic: str
    similarity_threshold: float  # above 0 and below 1
    classes: Sequence[str]
    words: Mapping[str, int]  # word -> row
    factors: Numbers
    values: Numbers
    biases: Numbers
    slope: float
    offset: float
    unit: bool
    mean: bool
    pairs: bool = False
    lists: Lists = field(default_factory=lambda: Lists({}))
    training: Mapping[str, object] = field(default_factory=dict)
    scores: Mapping[str, object] = field(default_factory=dict)

    def similarity(self, words: PageWords) -> float:
        """Return the similarity of a page, 0..1: its probability in a mix of classes as in the training documents."""
        rows, weights = self._vector(words)
        if not rows.size:
            return 0.0
        return logistic(self.slope * self._margin(self._sums(rows, weights), weights) + self.offset)

    def relevance(self, words: PageWords) -> float:
        """Return the relevance of a page, 0..1: its similarity, shifted on the log-odds scale so that the threshold becomes one half."""
        rows, weights = self._vector(words)
        if not rows.size:
            return 0.0
        margin = self._margin(self._sums(rows, weights), weights)
        threshold = min(max(self.similarity_threshold, 1e-9), 1.0 - 1e-9)
        return logistic(self.slope * margin + self.offset - math.log(threshold / (1.0 - threshold)))

    def margin(self, words: PageWords) -> float:
        """Return the score of the topic minus that of the nearest negative topic; with `mean`, divided by the number of known words."""
        rows, weights = self._vector(words)
        return self._margin(self._sums(rows, weights), weights)

    def log_odds(self, words: PageWords) -> float:
        """Return the sum for the topic minus that for the nearest negative topic: for naive Bayes with two classes
        ln P(+|page) / P(-|page).
        """
        sums = self._sums(*self._vector(words))
        return float(sums[0] - sums[1:].max())

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Return the words of the page with their shares of the margin against the nearest negative topic, largest first."""
        counts = self._counts(words)
        known = [word for word in counts if word in self.words]
        rows, weights = self._vector(words)
        if not known:
            return []
        negative_topic = 1 + int(self._sums(rows, weights)[1:].argmax())
        parts = weights * (self.values[rows, 0] - self.values[rows, negative_topic])
        scale = 1.0 / max(1.0, float(weights.sum())) if self.mean else 1.0
        sums: dict[str, float] = {}
        for word, part in zip(known, parts, strict=True):
            sums[plain(word)] = sums.get(plain(word), 0.0) + float(part) * scale
        return sorted(sums.items(), key=lambda entry: (-entry[1], entry[0]))

    def _counts(self, words: PageWords) -> Mapping[str, float]:
        return counts_of(words, title_apart=self.unit, pairs=self.pairs, known=self.words, lists=self.lists)

    def _vector(self, words: PageWords) -> tuple[npt.NDArray[np.intp], Numbers]:
        counts = self._counts(words)
        index = self.words
        known = list(filter(index.__contains__, counts))
        chosen = np.array([index[word] for word in known], dtype=np.intp)
        weights = np.array([counts[word] for word in known], dtype=np.float64)
        if self.unit:
            weights = (1.0 + np.log(weights)) * self.factors[chosen]
            length = math.sqrt(float(weights @ weights))
            weights = weights / length if length > 0 else weights
        return chosen, weights

    def _sums(self, rows: npt.NDArray[np.intp], weights: Numbers) -> Numbers:
        sums: Numbers = weights @ self.values[rows] + self.biases
        return sums

    def _margin(self, sums: Numbers, weights: Numbers) -> float:
        margin = float(sums[0] - sums[1:].max())
        return margin / max(1.0, float(weights.sum())) if self.mean else margin


FORMAT = "topiccrawler page classifier"
LARGEST_BYTES = 16_000_000
MOST_CLASSES = 100
LARGEST = 1e9
STEPS = 2_000  # units in the largest value


def save(page_classifier: LinearClassifier, place: Path) -> None:
    """Write a page classifier to a file, which is replaced atomically. The same page classifier gives the same bytes."""
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
    write_model(place, page_classifier.name, page_classifier.topic, head, rows)


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
    write_model(place, "vsm", page_classifier.topic.name, head, page_classifier.topic.keywords)


def load(place: Path | Traversable, name: str) -> LinearClassifier:
    """Return the page classifier in a file. Raises ModelError for a file that is not valid."""
    file = read_model(place, name)
    weights = file.values.get("weights")
    if weights is None:
        return _page_classifier(file, file, name)
    if not isinstance(weights, str) or weights != PurePath(weights).name:
        raise file.refused("names no file beside it that has its weights")
    return _page_classifier(file, read_model(_beside(place, weights), name), name)


def _beside(place: Path | Traversable, name: str) -> Path | Traversable:
    folder: Path | Traversable = place.parent  # type: ignore[union-attr] # what data_folder gives has one, in a zip too
    return folder.joinpath(name)


def load_vectors(place: Path | Traversable, topic: Topic) -> VsmClassifier:
    """Return the VSM classifier in a file. Keywords that only the topic has are kept, because its user added them. Raises ModelError."""
    file = read_model(place, "vsm")
    keywords = {**topic.keywords, **file.mapping("words")}
    threshold = file.number("threshold", 0.0, 1.0)
    fields = {**topic.model_dump(), "keywords": keywords, "page_threshold": threshold}
    negative_topics = vectors_in(file, "negative_topics")
    trained = make_topic(fields, f"page classifier {place}").cut_by(topic.segmenter)
    return VsmClassifier(trained, negative_topics=negative_topics)


def write_model(
    place: Path, name: str, topic: str, head: Mapping[str, object], words: Mapping[str, object]
) -> None:
    """Write a trained page classifier to a file, which is replaced atomically. ModelError if it would be too large."""
    first = {
        "format": FORMAT,
        "page_classifier": name,
        "topic": topic,
        "tokenizer": TOKENIZER,
        "features": FEATURES,
    }
    lines = [f"{compact(key)}: {compact(value)}" for key, value in {**first, **head}.items()]
    rows = ",\n".join(f"{compact(word)}:{compact(row)}" for word, row in words.items())
    text = "{" + ",\n".join(lines) + ',\n"words": {\n' + rows + "\n}}\n"
    if len(text.encode()) > LARGEST_BYTES:
        fault = f"would be larger than {LARGEST_BYTES} bytes"
        raise ModelError(f"page classifier {place}", fault, "keep fewer words, for example --words 12000")
    replace_file(place, text)


def read_model(place: Path | Traversable, name: str) -> JsonFile:
    """Return the values of a file that `write_model` wrote. ModelError for a file of another classifier or segmenter."""
    remedy = "train it again: scrapy train TOPIC --page-classifier NAME --documents FILE"
    file = JsonFile(place, LARGEST_BYTES, ModelError, "page classifier", remedy)
    if file.values.get("format") != FORMAT:
        raise file.refused("is no page classifier")
    file.expect({"page_classifier": name, "tokenizer": TOKENIZER, "features": FEATURES})
    return file


def _page_classifier(file: JsonFile, weights: JsonFile, name: str) -> LinearClassifier:
    """Build the page classifier. `weights`: the file with classes, biases, lists and words: `file` itself, or one shared by topics."""
    model, rows = file.values, weights.mapping("words")
    classes = weights.values.get("classes")
    if (
        not isinstance(classes, list)
        or not 2 <= len(classes) <= MOST_CLASSES
        or not all(isinstance(label, str) for label in classes)
    ):
        raise weights.refused("has no list of classes")
    if not rows:
        raise weights.refused("has no words")
    table = np.array(weights.rows(list(rows.values()), 1 + len(classes), LARGEST), dtype=np.float64)
    biases = np.array(
        weights.rows([weights.values.get("biases")], len(classes), LARGEST)[0], dtype=np.float64
    )
    if name not in TRAINED or not isinstance(model.get("topic"), str):
        raise file.refused("names no topic or an unknown page classifier")
    own = model.get("label", classes[0])
    if own not in classes:
        raise file.refused("has a label that is no class of its weights")
    # a stable sort that only moves the topic to the front
    columns = sorted(range(len(classes)), key=lambda column: classes[column] != own)
    return LinearClassifier(
        name=name,
        topic=model["topic"],
        similarity_threshold=file.number("threshold", 0.0, 1.0),
        classes=tuple(classes[column] for column in columns),
        words={word: row for row, word in enumerate(rows)},
        factors=np.ascontiguousarray(table[:, 0]),
        values=np.ascontiguousarray(table[:, 1:][:, columns]) * weights.number("unit_value", 1e-300, LARGEST),
        biases=biases[columns],
        slope=file.number("slope", -LARGEST, LARGEST),
        offset=file.number("offset", -LARGEST, LARGEST),
        unit=name != "naive_bayes",
        mean=name == "naive_bayes",
        pairs=name == "svm",
        lists=Lists(vectors_in(weights, "lists")),
        training=file.mapping("training"),
        scores=file.mapping("scores"),
    )


def vectors_in(file: JsonFile, name: str) -> dict[str, dict[str, float]]:
    """Read word vectors by label. Raises ModelError for a weight that is not above 0."""
    labels = file.mapping(name)
    if len(labels) > MOST_CLASSES:
        raise file.refused(f"has more than {MOST_CLASSES} {name}")
    found = {}
    for label in labels:
        words = file.mapping(label, labels)
        found[label] = {word: file.number(word, LEAST_WEIGHT, LARGEST, words) for word in words}
    return found
