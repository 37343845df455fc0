"""Trains a page classifier from a user's files and saves it: `scrapy train TOPIC --page-classifier NAME`.

Documents and the catalogue use different names for a topic. Both need one label, so that the keywords of `education` and the documents
labelled `edu` are one class.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.files import keep_former, sha256_of
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance import published
from topiccrawler.relevance.base import MOST_WORDS, NEAREST_CENTROID, PUBLISHED, TRAINED, VSM
from topiccrawler.relevance.centroids import CentroidClassifier, load_centroids, save_centroids
from topiccrawler.relevance.choose import FOLDER, page_classifier_file
from topiccrawler.relevance.linear import LinearClassifier, load, load_vectors, save, save_vectors
from topiccrawler.relevance.training.published import evenly
from topiccrawler.relevance.training.train import Plan, Sample, refuse_worse, train_page_classifier
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.labelled_texts import LabelledText, names_of, read_documents, read_headlines
from topiccrawler.topics.topic import Topic, token_weights

NAMES = (VSM, *TRAINED, NEAREST_CENTROID, PUBLISHED)

Progress = Callable[[Sequence[Any], str], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """The arguments of the training."""

    page_classifier: str
    topic: str
    documents: Sequence[Path] = ()
    headlines: Sequence[Path] = ()
    anchors: Sequence[LabelledText] = ()  # of sample pages, as titles; only for naive Bayes as published
    precision: float | None = None
    words: int = MOST_WORDS  # features of a trained page classifier
    seed: int = 0
    force: bool = False  # replace the present page classifier even if its F1 is higher


def check(request: TrainingRequest) -> None:
    """Raise ArgumentError for a request that is invalid whatever its files contain."""
    what = f"--page-classifier {request.page_classifier}"
    if request.page_classifier == "detail":
        raise ArgumentError(
            what, "is trained by a program of its own", "see topiccrawler.lab.training.detail_model"
        )
    if request.page_classifier not in NAMES:
        raise ArgumentError(what, "is unknown", f"page classifiers are {', '.join(NAMES)}")
    if not request.documents and not request.headlines:
        raise ArgumentError(what, "learns from documents, none are given", "add --documents FILE")


def train_to(request: TrainingRequest, folder: Path, progress: Progress) -> dict[str, Any]:
    """Train and save a page classifier; return its scores, its file and the description of its training files."""
    place = folder / FOLDER
    with file_faults(ArgumentError, place, "cannot be written to", "name another folder by --out DIR"):
        place.mkdir(parents=True, exist_ok=True)
        return _train(request, place, progress)


def _train(request: TrainingRequest, place: Path, progress: Progress) -> dict[str, Any]:
    topic = load_topic(request.topic)
    samples = _samples(topic, request, progress)
    labels = {sample.label for sample in samples}
    keywords = keywords_by_label(topic, labels)
    plan = Plan(
        request.page_classifier, topic, samples, keywords, request.precision, request.words, request.seed
    )
    trained = train_page_classifier(plan)
    training = {"files": _files([*request.documents, *request.headlines]), "samples": len(samples)}
    scores = {"held out": trained.held_out.scores(), "untrained vsm": trained.vsm_held_out.scores()}
    file = place / page_classifier_file(topic.name, request.page_classifier, place).name

    def f1_of_present() -> float:
        name = request.page_classifier
        if name == PUBLISHED:
            return trained.test(published.PublishedBayes(published.load(file)["pages"])).f1
        if name == NEAREST_CENTROID:
            return trained.test(load_centroids(file)).f1
        return trained.test(load_vectors(file, topic) if name == VSM else load(file, name)).f1

    if not request.force:
        refuse_worse(file, trained.held_out.f1, "held out", training, f1_of_present)
    former = keep_former(file)
    if isinstance(trained.page_classifier, LinearClassifier):
        save(replace(trained.page_classifier, training=training, scores=scores), file)
    elif isinstance(trained.page_classifier, CentroidClassifier):
        save_centroids(replace(trained.page_classifier, training=training, scores=scores), file)
    elif isinstance(trained.page_classifier, published.PublishedBayes):
        parts = {"pages": trained.page_classifier.counts, **_anchors(topic, request)}
        published.save(file, topic.name, parts, {"training": training, "scores": scores})
    else:
        save_vectors(trained.page_classifier, training, scores, file)
    return {
        "topic": topic.name,
        "page_classifier": request.page_classifier,
        "model": str(file),
        "former": None if former is None else str(former),
        "threshold": trained.page_classifier.similarity_threshold,
        "scores": scores,
        "training": training,
    }


def _samples(topic: Topic, request: TrainingRequest, progress: Progress) -> list[Sample]:
    texts = [text for path in request.documents for text in read_documents(path, topic)]
    texts += [text for path in request.headlines for text in read_headlines(path, topic)]
    titles, bodies = map(
        topic.segmenter.words_of, ([one.title for one in texts], [one.text for one in texts])
    )
    return [
        Sample(PageWords(title=title, body=body), text.positive, text.label)
        for text, title, body in zip(progress(texts, "documents"), titles, bodies, strict=True)
    ]


def _anchors(topic: Topic, request: TrainingRequest) -> dict[str, published.Counts]:
    """Return the counts of the anchors' words as the part of a model file; {} unless there are anchors of both classes."""
    chosen = evenly(request.anchors, request.seed)
    if len({one.positive for one in chosen}) < 2:
        return {}
    words = map(published.words_of_anchor, topic.segmenter.words_of([one.title for one in chosen]))
    counts = published.Counts.of((found, one.positive) for found, one in zip(words, chosen, strict=True))
    return {"anchors": counts}


def keywords_by_label(topic: Topic, labels: set[str]) -> dict[str, dict[str, float]]:
    """Return label -> keywords as tokens, for the topic and for every catalogue topic. The label is that of documents of the topic, if any,
    else the topic's name.
    """
    found = {topic.name: token_weights(topic.keywords, topic.segmenter)[0]}
    for name, _ in topic_names():
        if name != topic.name:
            other = load_topic(name)
            shared = sorted(names_of(other) & labels)
            found[shared[0] if shared else name] = token_weights(other.keywords, topic.segmenter)[0]
    return found


def _files(paths: Sequence[Path]) -> list[dict[str, object]]:
    """Return name, fingerprint and size of each file, which are stored in the model to identify its training data."""
    return [{"file": one.name, "sha256": sha256_of(one)[:16], "bytes": one.stat().st_size} for one in paths]


def as_text(found: dict[str, Any], *, as_json: bool) -> str:
    """Return the text that the command prints."""
    if as_json:
        return json.dumps(found, ensure_ascii=False)
    lines = [f"{'':<18}{'P':>8}{'R':>8}{'F1':>8}{'of':>7}"]
    for name, row in found["scores"].items():
        figures = "".join(f"{row[key]:>8.3f}" for key in ("precision", "recall", "f1"))
        lines.append(f"{name:<18}{figures}{row['samples']:>7}")
    former = f", the former one {found['former']}" if found["former"] else ""
    lines.append(f"model {found['model']}, threshold {found['threshold']:.3f}{former}")
    return "\n".join(lines)
