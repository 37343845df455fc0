"""Trains a page classifier from labelled documents and the catalogue's keywords, with scikit-learn.

A third of the documents is held out to measure; the threshold comes from cross-validation on the other two thirds. The
page classifier that is saved is trained on all documents, in the same way. It replaces the one in use only if its F1 is at least as high
on the same held-out documents.
Words: those of at least two documents, pairs of at least three; the `most_words` with the largest weights (a first fit ranks them). Counts
are a sparse matrix with a row for each document and a column for each word.
svm: a linear SVM for each label, one against the others, on unit vectors of (1 + ln count)·idf of words, pairs of neighbours and
lists of catalogue words; the other labels are negative topics, because "not finance" is not a coherent class. naive_bayes: multinomial,
Laplace, topic against all others; as published (JLSE eq. 1-2): relevance.published. vsm: a vector for each label, of the words with the largest SVM weights
and, in equal parts, the label's keywords; without stop words and numbers; the other labels' vectors are the topic's
negative topics. nearest_centroid: a centroid for each label, without the catalogue's keywords and without a fitted threshold, as in the
MySpider thesis (relevance.centroids).
Keywords: each topic of the catalogue adds `KEYWORD_DOCUMENTS` artificial documents of its keywords, sampled by weight. They add words that
the documents lack (figures: docs/lab.md).
Parameters: COST, C of the SVM: F1 on documents hardly changes between 2 and 10.
Cost: a minute for 4 000 documents and 13 labels.
Reference: JLSE (2014) §3.1; Joachims (1998); MySpider (2009) §4.4; Platt (1999).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags, vstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from topiccrawler.errors import ArgumentError, LinksFileError, ModelError
from topiccrawler.files import JsonFile
from topiccrawler.pages.read import PageClassifier, PageWords
from topiccrawler.relevance.base import EVEN, MOST_WORDS, NEAREST_CENTROID, PUBLISHED, VSM
from topiccrawler.relevance.centroids import CentroidClassifier, centroid_classifier
from topiccrawler.relevance.choose import untrained
from topiccrawler.relevance.linear import LARGEST_BYTES, LinearClassifier, Lists, counts_of, is_pair
from topiccrawler.relevance.published import Counts, PublishedBayes, words_of_page
from topiccrawler.relevance.thresholds import Quality, quality, steady_threshold, threshold_at_precision
from topiccrawler.relevance.training.published import evenly
from topiccrawler.relevance.vsm import LEAST_WEIGHT, VsmClassifier
from topiccrawler.text.segmenter import STOP_WORDS
from topiccrawler.text.weights import top_k
from topiccrawler.topics.topic import Topic

COST = 3.0
Array = Any  # numpy and scipy arrays


def matrix(documents: Sequence[Mapping[str, float]], words: Sequence[str]) -> Array:
    index = {word: column for column, word in enumerate(words)}
    rows, columns, data = [], [], []
    for row, counts in enumerate(documents):
        for word, count in counts.items():
            column = index.get(word)
            if column is not None:
                rows.append(row)
                columns.append(column)
                data.append(float(count))
    return csr_matrix((data, (rows, columns)), shape=(len(documents), len(words)))


def values_of(page_classifier: str, matrix: Array, targets: Array, classes: int) -> tuple[Array, Array]:
    """Fit a classifier; return its values (words, classes) and the bias of each class."""
    if page_classifier == "naive_bayes":
        bayes = MultinomialNB().fit(matrix, targets)
        return bayes.feature_log_prob_.T.copy(), bayes.class_log_prior_.copy()
    vectors = normalize(matrix)
    svm = LinearSVC(C=COST, class_weight="balanced", random_state=0, max_iter=5_000).fit(vectors, targets)
    values, biases = svm.coef_.T.copy(), svm.intercept_.copy()
    if classes == 2:  # one column: the decision for the second class
        values, biases = np.hstack([-values, values]) / 2, np.array([-biases[0], biases[0]]) / 2
    return values, biases


def presence(matrix: Array) -> Array:
    """Return a matrix with 1 where a document contains a word."""
    ones = matrix.copy()
    ones.data = np.ones_like(ones.data)
    return ones


def idf(matrix: Array) -> Array:
    """Return ln((1 + N) / (1 + n)) + 1 for each word, as in scikit-learn. It is finite for words that are in no document."""
    return np.log((1 + matrix.shape[0]) / (1 + np.asarray(presence(matrix).sum(axis=0)).ravel())) + 1


FORCE = "keep it, or insist with --force (the old one is kept as FILE.old)"


def refuse_worse(
    place: Path, new: float, row: str, training: Mapping[str, Any], test: Callable[[], float]
) -> None:
    """Raise ModelError if the page classifier in the file `place` has a higher F1 than the new one, whose F1 is `new`.

    `test` returns the F1 of the present one on the documents held out from the new one. If it was trained on one of the same
    files (`training`), it has seen those documents: then the F1 of its own training, in the row `row` of its scores, is compared.
    A page classifier that cannot be read may be replaced.
    """
    if not place.exists():
        return
    try:
        old, how = test(), "on the same held-out rows"
        known = JsonFile(place, LARGEST_BYTES, ModelError, "page classifier", FORCE).values
    except ModelError:
        return
    if _digests(known.get("training")) & _digests(training):
        scores = known.get("scores")
        own = scores.get(row) if isinstance(scores, dict) else None
        if isinstance(own, dict) and isinstance(own.get("f1"), int | float):
            old, how = float(own["f1"]), "in its own training"
    if round(old, 4) > round(new, 4):
        fault = f"stays in use: it does better (F1 {old:.4f} {how}, the new one {new:.4f})"
        raise ModelError(str(place), fault, FORCE)


def _digests(training: object) -> set[str]:
    files = training.get("files") if isinstance(training, Mapping) else None
    rows = files if isinstance(files, list) else []
    return {str(row["sha256"]) for row in rows if isinstance(row, dict) and "sha256" in row}


FEWEST = 12  # documents of the topic, and of all others
FEWEST_OF_A_NEGATIVE_TOPIC = 8
LEAST_OF_A_WORD, LEAST_OF_A_PAIR = 2, 3  # documents
KEYWORD_DOCUMENTS, KEYWORD_WORDS = 20, 40
FOLDS = 4
VSM_WORDS = 500
REST = "rest"


@dataclass(frozen=True, slots=True)
class Sample:
    """A labelled document; `label` is its label in the file."""

    words: PageWords
    positive: bool
    label: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The configuration and the data of a training."""

    page_classifier: str
    topic: Topic
    samples: Sequence[Sample]
    # label -> keywords as tokens (topics.topic); the label of the topic's own is its name
    keywords: Mapping[str, Mapping[str, float]]
    precision: float | None = None  # required of the threshold; None = best F1
    most_words: int = MOST_WORDS
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Trained:
    """A page classifier and its scores on held-out documents."""

    page_classifier: LinearClassifier | VsmClassifier | CentroidClassifier | PublishedBayes
    held_out: Quality
    vsm_held_out: Quality  # the untrained page classifier on the same documents
    test: Callable[[PageClassifier], Quality]  # measures any page classifier on the same documents


def train_page_classifier(plan: Plan) -> Trained:
    """Measure on a third of the documents, then train on all. Raises LinksFileError if there are too few documents or none with words."""
    check(plan)
    indexes = np.arange(len(plan.samples))
    truths = [sample.positive for sample in plan.samples]
    learn, held_out = train_test_split(indexes, test_size=1 / 3, stratify=truths, random_state=plan.seed)
    measured = fit(replace(plan, samples=[plan.samples[n] for n in learn]))
    kept = [plan.samples[n] for n in held_out]
    test = partial(worth, kept)
    return Trained(fit(plan), test(measured), test(untrained(plan.topic)), test)


def check(plan: Plan) -> None:
    """Raise LinksFileError if there are too few documents about the topic or about something else."""
    positives = sum(sample.positive for sample in plan.samples)
    negatives = len(plan.samples) - positives
    if min(positives, negatives) < FEWEST:
        what = f"documents for the page classifier of topic {plan.topic.name!r}"
        fault = f"{positives} are about it and {negatives} about something else, at least {FEWEST} of each are needed"
        raise LinksFileError(what, fault, "give more documents, labelled with the topic's name or another")
    if plan.precision is not None and plan.page_classifier == NEAREST_CENTROID:
        remedy = "leave it out: a page belongs to the nearest class"
        raise ArgumentError("--precision", f"sets a threshold, and {NEAREST_CENTROID} has none", remedy)


def worth(samples: Sequence[Sample], page_classifier: PageClassifier) -> Quality:
    """Return how well a page classifier agrees with the labels, at its threshold."""
    relevances = [page_classifier.relevance(sample.words) for sample in samples]
    return quality([sample.positive for sample in samples], relevances, EVEN)


def fit(plan: Plan) -> LinearClassifier | VsmClassifier | CentroidClassifier | PublishedBayes:
    """Train a page classifier on all documents; slope, offset and threshold are fitted to margins from cross-validation. nearest_centroid and
    naive Bayes as published have none of these; the latter learns from as many documents of other topics as of the topic.
    """
    if plan.page_classifier == PUBLISHED:
        chosen = evenly(plan.samples, plan.seed)
        return PublishedBayes(Counts.of((words_of_page(one.words), one.positive) for one in chosen))
    if plan.page_classifier == NEAREST_CENTROID:
        labels = _labels(plan, negative_topics=True)
        documents = [(sample.words, label) for sample, label in zip(plan.samples, labels, strict=True)]
        return centroid_classifier(plan.topic.name, documents, plan.most_words)
    build: Callable[[Plan], LinearClassifier | VsmClassifier] = (
        _vector_classifier if plan.page_classifier == VSM else _linear_classifier
    )
    truths = [sample.positive for sample in plan.samples]
    margins: Array = np.zeros(len(truths))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=plan.seed)
    for learn, held_out in folds.split(margins, truths):
        page_classifier = build(replace(plan, samples=[plan.samples[n] for n in learn]))
        for n in held_out:
            words = plan.samples[n].words
            margins[n] = (
                page_classifier.margin(words)
                if isinstance(page_classifier, LinearClassifier)
                else page_classifier.similarity(words)
            )
    final = build(plan)
    if isinstance(final, VsmClassifier):
        topic = final.topic.model_copy(update={"page_threshold": _threshold(plan, truths, margins)})
        return VsmClassifier(topic, negative_topics=final.negative_topics)
    deviation = max(float(margins.std()), 1e-9)
    platt = LogisticRegression(C=1e3).fit(margins[:, None] / deviation, truths)
    slope, offset = float(platt.coef_[0, 0]) / deviation, float(platt.intercept_[0])
    final = replace(final, slope=slope, offset=offset)
    limit = _threshold(plan, truths, [1 / (1 + np.exp(-(slope * m + offset))) for m in margins])
    return replace(final, similarity_threshold=limit)


def _threshold(plan: Plan, truths: Sequence[bool], scores: Iterable[float]) -> float:
    listed = list(truths), [float(score) for score in scores]
    limit = steady_threshold(*listed, plan.seed)
    if plan.precision is not None:
        required = threshold_at_precision(*listed, plan.precision)
        limit = max(listed[1]) if required is None else required
    return round(min(1.0, max(0.0, limit)), 6)


def _labels(plan: Plan, *, negative_topics: bool) -> list[str]:
    """Return the class of each sample: the topic's name, the label of a negative topic, or REST for all others."""
    sizes = Counter(sample.label for sample in plan.samples if not sample.positive)
    return [
        plan.topic.name
        if sample.positive
        else sample.label
        if negative_topics
        and sizes[sample.label] >= FEWEST_OF_A_NEGATIVE_TOPIC
        and sample.label != plan.topic.name
        else REST
        for sample in plan.samples
    ]


def _linear_classifier(plan: Plan) -> LinearClassifier:
    pairs, bayes = plan.page_classifier == "svm", plan.page_classifier == "naive_bayes"
    lists = _lists(plan) if pairs else Lists({})
    documents = [counts_of(one.words, title_apart=pairs, pairs=pairs, lists=lists) for one in plan.samples]
    labels = _labels(plan, negative_topics=not bayes)
    made, made_labels = _keyword_documents(plan, negative_topics=not bayes)
    for counts in made:
        lists.add_to(counts)
    frequencies = Counter(word for counts in documents for word in counts)
    least = {False: LEAST_OF_A_WORD, True: LEAST_OF_A_PAIR}
    frequent = {word for word, n in frequencies.items() if n >= least[is_pair(word)]}
    words = sorted(frequent.union(*made))
    if not words:
        what, fault = (
            f"documents for the page classifier of topic {plan.topic.name!r}",
            "no word is in two of them",
        )
        raise LinksFileError(what, fault, "give more documents, with title or text")
    real, extra = matrix(documents, words), matrix(made, words)
    classes = [plan.topic.name, *sorted({*labels, *made_labels} - {plan.topic.name})]
    targets = np.array([classes.index(label) for label in [*labels, *made_labels]])
    if bayes:
        factors, both = np.ones(len(words)), vstack([real, extra]).tocsr()
    else:
        factors = idf(real)
        both = vstack([real, extra]).tocsr()
        both.data = 1.0 + np.log(both.data)
        both = both @ diags(factors)
    values, biases = values_of(plan.page_classifier, both, targets, len(classes))
    if len(words) > plan.most_words:
        lean = np.abs(values - values.mean(axis=1, keepdims=True)).max(axis=1)
        keep = np.sort(np.argsort(-lean, kind="stable")[: plan.most_words])
        words, factors = [words[n] for n in keep], factors[keep]
        values, biases = values_of(plan.page_classifier, both[:, keep], targets, len(classes))
    return LinearClassifier(
        name=plan.page_classifier,
        topic=plan.topic.name,
        similarity_threshold=0.5,
        classes=tuple(classes),
        words={word: row for row, word in enumerate(words)},
        factors=np.asarray(factors),
        values=values,
        biases=biases,
        slope=1.0,
        offset=0.0,
        unit=not bayes,
        mean=bayes,
        pairs=pairs,
        lists=lists,
    )


def _keyword_documents(plan: Plan, *, negative_topics: bool) -> tuple[list[dict[str, float]], list[str]]:
    chance = random.Random(plan.seed)
    made: list[dict[str, float]] = []
    labels: list[str] = []
    for label, weights in sorted(plan.keywords.items()):
        own = label == plan.topic.name
        if not own and not negative_topics:
            continue  # the class of all others gets no keywords: its words come from its documents
        for _ in range(KEYWORD_DOCUMENTS if weights else 0):
            drawn = chance.choices(list(weights), list(weights.values()), k=KEYWORD_WORDS)
            made.append(dict(Counter(drawn)))
            labels.append(label)
    return made, labels


def _lists(plan: Plan) -> Lists:
    """Return the keywords of each topic as word lists, with the heaviest word of each scaled to 1."""
    found = {}
    for label, weights in sorted(plan.keywords.items()):
        most = max(weights.values(), default=1.0)
        found[label] = {word: max(round(weight / most, 4), LEAST_WEIGHT) for word, weight in weights.items()}
    return Lists(found)


def _vector_classifier(plan: Plan) -> VsmClassifier:
    """Make a VSM classifier: for the topic and each negative topic, keywords and words learned from the samples in equal parts."""
    learned = _linear_classifier(replace(plan, keywords={}, most_words=10**9))
    lean = learned.values * learned.factors[:, None]
    vectors = []
    for column in range(len(learned.classes)):
        weights = {
            word: float(lean[row, column])
            for word, row in learned.words.items()
            if lean[row, column] > 0 and word not in STOP_WORDS and not word.isdigit()
        }
        vectors.append(top_k(weights, VSM_WORDS))
    keywords = blended(plan.topic.keywords, vectors[0])
    own = plan.topic.model_copy(update={"keywords": keywords}).cut_by(plan.topic.segmenter)
    negative_topics = {
        label: blended(plan.keywords.get(label, {}), vector)
        for label, vector in zip(learned.classes[1:], vectors[1:], strict=True)
    }
    return VsmClassifier(own, negative_topics=negative_topics)


def blended(given: Mapping[str, float], learned: Mapping[str, float]) -> dict[str, float]:
    """Blend keywords: learned words have full weight, given ones half, words in both the mean. Each side is first scaled to maximum 1."""
    top, most = max(given.values(), default=1.0), max(learned.values(), default=1.0)
    scaled = {word: weight / most for word, weight in learned.items()}
    for word, weight in given.items():
        scaled[word] = (scaled.get(word, 0.0) + weight / top) / 2
    return {word: round(max(weight, 0.001), 3) for word, weight in scaled.items()}
