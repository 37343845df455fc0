"""From a user's files to a trained page classifier on disk: `scrapy train TOPIC --page-classifier NAME`.

Documents and the catalogue name topics in different words. A page classifier needs both under one
label, so that the keywords of `education` and documents labelled `edu` are one class.

Trains the detail classifier from pages whose kind is known; scikit-learn does the fitting.

Both classes have the same weight. C and γ are not chosen on the pages that measure them: a third of the hosts is held
out. Given several webs, each is also classified by an SVM trained on the others.
At most `MOST_SAMPLES` pages are used, so that the support vectors stay few.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from w3lib.encoding import http_content_type_encoding

from topiccrawler.errors import ArgumentError, LinksFileError, file_faults
from topiccrawler.files import keep_former, sha256_of
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.base import MOST_WORDS, TRAINED, VSM, Quality, quality
from topiccrawler.relevance.choose import FOLDER
from topiccrawler.relevance.detail import DetailClassifier
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.labelled_texts import names_of, read_documents, read_headlines
from topiccrawler.topics.topic import Topic, token_weights
from topiccrawler.urls.canonical import host_of

MOST_SAMPLES = 3_000
FEWEST = 10
GRID = {"C": [1.0, 10.0, 100.0], "gamma": [0.1, 0.3, 1.0]}

Test = Callable[[DetailClassifier], Quality]
Kind = tuple[tuple[float, float, float], bool, str]  # figures, is it a detail page?, host


def train_detail(pages: Sequence[Kind], seed: int = 0) -> tuple[DetailClassifier, Quality, Test]:
    """The SVM of all pages, the scores of one trained without a third of the hosts on that third, and a test of others there."""
    chance = random.Random(seed)
    chosen = _some(pages, chance)
    details = sum(detail for _, detail, _ in chosen)
    hosts = sorted({host for _, _, host in chosen})
    if min(details, len(chosen) - details) < FEWEST or len(hosts) < 6:
        fault = f"{details} detail and {len(chosen) - details} link pages of {len(hosts)} hosts"
        remedy = f"give at least {FEWEST} of each, of 6 hosts"
        raise LinksFileError("pages for the detail classifier", fault, remedy)
    chance.shuffle(hosts)
    held_out = set(hosts[: len(hosts) // 3])
    kept = [page for page in chosen if page[2] in held_out]
    measured = _fit([page for page in chosen if page[2] not in held_out])
    test = partial(_worth, kept)
    found = test(measured)
    svm = replace(_fit(chosen), training={"pages": len(chosen), "details": details, "hosts": len(hosts)})
    return replace(svm, scores={"hosts held out": found.scores()}), found, test


def across_webs(webs: Mapping[str, Sequence[Kind]], seed: int = 0) -> dict[str, Quality]:
    """For each web the scores of an SVM trained on the others, on hosts they do not have."""
    found = {}
    for name, pages in webs.items():
        others = [page for other, theirs in webs.items() if other != name for page in theirs]
        known = {host for _, _, host in others}
        unseen = [page for page in pages if page[2] not in known]
        if unseen and len({detail for _, detail, _ in others}) == 2:
            found[name] = _worth(unseen, _fit(_some(others, random.Random(seed))))
    return found


def _some(pages: Sequence[Kind], chance: random.Random) -> list[Kind]:
    return sorted(pages) if len(pages) <= MOST_SAMPLES else chance.sample(sorted(pages), MOST_SAMPLES)


def _worth(pages: Sequence[Kind], svm: DetailClassifier) -> Quality:
    scores = [svm.score(of_page) for of_page, _, _ in pages]
    return quality([detail for _, detail, _ in pages], scores, 0.0)


def _fit(pages: Sequence[Kind]) -> DetailClassifier:
    table = np.array([of_page for of_page, _, _ in pages])
    truths = np.array([detail for _, detail, _ in pages])
    scaler = StandardScaler().fit(table)
    scaled = scaler.transform(table)
    search = GridSearchCV(SVC(kernel="rbf", class_weight="balanced"), GRID, scoring="f1", cv=GroupKFold(3))
    svm = search.fit(scaled, truths, groups=[host for _, _, host in pages]).best_estimator_
    return DetailClassifier(
        gamma=float(svm.gamma),
        means=scaler.mean_,
        deviations=scaler.scale_,
        vectors=svm.support_vectors_,
        values=svm.dual_coef_[0],
        bias=float(svm.intercept_[0]),
    )


DETAIL = "detail"
NAMES = (VSM, *TRAINED, DETAIL)

Progress = Callable[[Sequence[Any], str], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """What the user asked for."""

    page_classifier: str
    topic: str
    documents: Sequence[Path] = ()
    headlines: Sequence[Path] = ()
    pages: Sequence[Path] = ()
    labels: Sequence[Path] = ()
    precision: float | None = None
    words: int = MOST_WORDS  # features of a trained page classifier
    seed: int = 0
    force: bool = False  # replace a page classifier that does better


def check(request: TrainingRequest) -> None:
    """Refuse a request that no file could make valid."""
    if request.page_classifier not in NAMES:
        remedy = f"page classifiers are {', '.join(NAMES)}"
        raise ArgumentError(f"--page-classifier {request.page_classifier}", "is unknown", remedy)


def train_to(request: TrainingRequest, folder: Path, progress: Progress) -> dict[str, Any]:
    """Train and save; the scores, the file and what it was made from."""
    place = folder / FOLDER
    with file_faults(ArgumentError, place, "cannot be written to", "name another folder by --out DIR"):
        place.mkdir(parents=True, exist_ok=True)
        train = _train_detail if request.page_classifier == DETAIL else _train_page_classifier
        return train(request, place, progress)


def _train_page_classifier(request: TrainingRequest, place: Path, progress: Progress) -> dict[str, Any]:
    from topiccrawler.relevance.linear import LinearClassifier, load, load_vectors, save, save_vectors
    from topiccrawler.relevance.training.train import Plan, refuse_worse, train_page_classifier

    topic = load_topic(request.topic)
    if not request.documents and not request.headlines:
        what = f"--page-classifier {request.page_classifier}"
        raise ArgumentError(what, "learns from documents, none are given", "add --documents FILE")
    samples = _samples(topic, request, progress)
    labels = {sample.label for sample in samples}
    keywords = keywords_by_label(topic, labels)
    plan = Plan(
        request.page_classifier, topic, samples, keywords, request.precision, request.words, request.seed
    )
    trained = train_page_classifier(plan)
    training = {"files": _files([*request.documents, *request.headlines]), "samples": len(samples)}
    scores = {"held out": trained.held_out.scores(), "untrained vsm": trained.vsm_held_out.scores()}
    file = place / f"{topic.name}.{request.page_classifier}.json"
    linear = isinstance(trained.page_classifier, LinearClassifier)

    def f1_of_present() -> float:
        return trained.test(load(file, request.page_classifier) if linear else load_vectors(file, topic)).f1

    if not request.force:
        refuse_worse(file, trained.held_out.f1, "held out", training, f1_of_present)
    former = keep_former(file)
    if isinstance(trained.page_classifier, LinearClassifier):
        save(replace(trained.page_classifier, training=training, scores=scores), file)
    else:
        save_vectors(trained.page_classifier, training, scores, file)
    found = {"topic": topic.name, "page_classifier": request.page_classifier, **_places(file, former)}
    return {
        **found,
        "threshold": trained.page_classifier.similarity_threshold,
        "scores": scores,
        "training": training,
    }


def _places(file: Path, former: Path | None) -> dict[str, str | None]:
    return {"model": str(file), "former": None if former is None else str(former)}


def _samples(topic: Topic, request: TrainingRequest, progress: Progress) -> list[Any]:
    from topiccrawler.relevance.training.train import Sample

    texts = [text for path in request.documents for text in read_documents(path, topic)]
    texts += [text for path in request.headlines for text in read_headlines(path, topic)]
    titles, bodies = map(
        topic.segmenter.words_of, ([one.title for one in texts], [one.text for one in texts])
    )
    return [
        Sample(PageWords(title=title, body=body), text.positive, text.label)
        for text, title, body in zip(progress(texts, "documents"), titles, bodies, strict=True)
    ]


def keywords_by_label(topic: Topic, labels: set[str]) -> dict[str, dict[str, float]]:
    """Keywords, as tokens, of the topic and of every catalogue topic, the latter under the documents' label where they have one."""
    found = {topic.name: token_weights(topic.keywords, topic.segmenter)[0]}
    for name, _ in topic_names():
        if name != topic.name:
            other = load_topic(name)
            shared = sorted(names_of(other) & labels)
            found[shared[0] if shared else name] = token_weights(other.keywords, topic.segmenter)[0]
    return found


def _train_detail(request: TrainingRequest, place: Path, progress: Progress) -> dict[str, Any]:
    from topiccrawler.relevance.detail import FILE, load_detail, save_detail
    from topiccrawler.relevance.training.train import refuse_worse

    if not request.pages or not request.labels:
        fault, remedy = "learns from pages whose kind is known", "add --pages FILE.warc.gz --labels FILE"
        raise ArgumentError("--page-classifier detail", fault, remedy)
    webs = _kinds(request, progress)
    svm, found, test = train_detail([page for pages in webs.values() for page in pages], request.seed)
    scores = {"hosts held out": found.scores()}
    if len(webs) > 1:
        for name, worth in across_webs(webs, request.seed).items():
            scores[f"others on {name}"] = worth.scores()
    files = _files([*request.pages, *request.labels])
    svm = replace(svm, scores=scores, training={**svm.training, "files": files})
    file = place / Path(FILE).name
    if not request.force:
        row = "hosts held out"
        refuse_worse(file, found.f1, row, svm.training, lambda: test(load_detail(place.parent)).f1)
    former = keep_former(file)
    save_detail(svm, file)
    made = {"page_classifier": DETAIL, **_places(file, former), "scores": scores, "training": svm.training}
    return {**made, "support_vectors": len(svm.values)}


def _kinds(request: TrainingRequest, progress: Progress) -> dict[str, list[Kind]]:
    """Figures and kind of every labelled page by file of labels: content is a detail page, hub and home are link pages."""
    from topiccrawler.pages.read import Reader
    from topiccrawler.relevance.detail import features
    from topiccrawler.replay.warc import RecordedWeb

    web = RecordedWeb(request.pages)
    reader = Reader(VsmClassifier(load_topic(topic_names()[0][0])))
    found: dict[str, list[Kind]] = {}
    for path in request.labels:
        pages = found.setdefault(_web_name(path, request.labels), [])
        for url, kind in progress(_rows(path), "pages"):
            response = web.response(url)
            if response is not None and response.status == 200:
                headers = {name.lower(): value for name, value in response.headers}
                declared = headers.get(b"content-type", b"").decode("latin-1")
                document = reader.read(url, response.body, http_content_type_encoding(declared)).document
                pages.append((features(document), kind == "content", host_of(url)))
    return found


def _web_name(labels: Path, every: Sequence[Path]) -> str:
    """What distinguishes a file of labels from the others: its name, its folder's, or all of its path."""
    for name in (labels.stem, labels.absolute().parent.name):
        if sum(name in (path.stem, path.absolute().parent.name) for path in every) == 1:
            return name
    return str(labels)


def _rows(path: Path) -> list[tuple[str, str]]:
    """URL and kind of each line `url TAB topics TAB how TAB kind`."""
    with file_faults(LinksFileError, path, "cannot be read", "give lines: url TAB topics TAB how TAB kind"):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(row[0], row[3]) for row in rows if len(row) > 3 and row[3] in {"content", "hub", "home"}]


def _files(paths: Sequence[Path]) -> list[dict[str, object]]:
    """Name and fingerprint of each file, so that a model says what it was made from."""
    return [{"file": one.name, "sha256": sha256_of(one)[:16], "bytes": one.stat().st_size} for one in paths]


def as_text(found: dict[str, Any], *, as_json: bool) -> str:
    """The text that the command prints."""
    if as_json:
        return json.dumps(found, ensure_ascii=False)
    lines = [f"{'':<18}{'P':>8}{'R':>8}{'F1':>8}{'of':>7}"]
    for name, row in found["scores"].items():
        figures = "".join(f"{row[key]:>8.3f}" for key in ("precision", "recall", "f1"))
        lines.append(f"{name:<18}{figures}{row['samples']:>7}")
    threshold = f", threshold {found['threshold']:.3f}" if "threshold" in found else ""
    former = f", the former one {found['former']}" if found["former"] else ""
    lines.append(f"model {found['model']}{threshold}{former}")
    return "\n".join(lines)
