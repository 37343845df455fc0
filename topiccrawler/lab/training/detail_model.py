"""Trains the classifier of detail pages (one text) and link pages (lists) from recorded webs, and measures it on hosts it has not seen.

    python -m topiccrawler.lab.training.detail_model --pages WEB.warc.gz --labels WEB.tsv [--out models]

The fourth column of the labels says what a page is: content is a detail page, hub and home are link pages. With several files of
labels, each web is also classified by a classifier trained on the others. Prints precision, recall and F1; with --out, writes
page_classifiers/detail.json of that folder. The same pages give the same classifier.

Both classes have the same weight. C and γ are not chosen on the pages that measure them: a third of the hosts is held
out. At most `MOST_SAMPLES` pages are used, so that the support vectors stay few.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from w3lib.encoding import http_content_type_encoding

from topiccrawler.errors import LinksFileError
from topiccrawler.files import replace_file, sha256_of
from topiccrawler.lab.recorded_web import label_rows
from topiccrawler.pages.read import Reader
from topiccrawler.relevance.detail import FEATURES, FILE, FORMAT, DetailClassifier, features
from topiccrawler.relevance.thresholds import Quality, quality
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.urls.canonical import host_of

MOST_SAMPLES = 3_000
FEWEST = 10
GRID = {"C": [1.0, 10.0, 100.0], "gamma": [0.1, 0.3, 1.0]}

Kind = tuple[tuple[float, float, float], bool, str]  # features, is it a detail page?, host


def train_detail(pages: Sequence[Kind], seed: int = 0) -> tuple[DetailClassifier, Quality]:
    """The SVM of all pages, and the scores of one trained without a third of the hosts on that third."""
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
    measured = _fit([page for page in chosen if page[2] not in held_out])
    found = _worth([page for page in chosen if page[2] in held_out], measured)
    training = {"pages": len(chosen), "details": details, "hosts": len(hosts)}
    return replace(_fit(chosen), training=training, scores={"hosts held out": found.scores()}), found


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


def kinds_of(web: RecordedWeb, labels: Path) -> list[Kind]:
    """Features, kind and host of the labelled pages that the web holds."""
    reader = Reader(VsmClassifier(load_topic("finance")))
    found: list[Kind] = []
    for url, _, _, kind in (row[:4] for row in label_rows(labels) if len(row) > 3):
        response = web.response(url) if kind in {"content", "hub", "home"} else None
        if response is not None and response.status == 200:
            charset = http_content_type_encoding(response.content_type)
            document = reader.read(url, response.body, charset).document
            found.append((features(document), kind == "content", host_of(url)))
    return found


def save_detail(svm: DetailClassifier, place: Path) -> None:
    """Write the classifier to the file that topiccrawler.relevance.detail reads: JSON, a line a support vector."""
    head = {
        "format": FORMAT,
        "features": FEATURES,
        "gamma": svm.gamma,
        "bias": svm.bias,
        "means": svm.means.tolist(),
        "deviations": svm.deviations.tolist(),
        "training": svm.training,
        "scores": svm.scores,
    }
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
    rows = np.column_stack([svm.values, svm.vectors]).round(6).tolist()
    vectors = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    replace_file(place, "{" + ",\n".join(lines) + f',\n"vectors": [\n{vectors}\n]}}\n')


def main() -> None:
    """Train, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", action="append", required=True, type=Path, metavar="FILE")
    parser.add_argument("--labels", action="append", required=True, type=Path, metavar="FILE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, metavar="DIR")
    given = parser.parse_args()
    web = RecordedWeb(given.pages)
    webs = {str(labels): kinds_of(web, labels) for labels in given.labels}
    svm, found = train_detail([page for pages in webs.values() for page in pages], given.seed)
    rows = {"hosts held out": found}
    rows |= {f"others on {name}": worth for name, worth in across_webs(webs, given.seed).items()}
    for name, row in rows.items():
        print(f"{name:<40} P {row.precision:.3f}  R {row.recall:.3f}  F1 {row.f1:.3f}  of {row.samples}")
    if given.out:
        files = [
            {"file": one.name, "sha256": sha256_of(one)[:16], "bytes": one.stat().st_size}
            for one in (*given.pages, *given.labels)
        ]
        place = given.out / FILE
        place.parent.mkdir(parents=True, exist_ok=True)
        scores = {name: row.scores() for name, row in rows.items()}
        save_detail(replace(svm, scores=scores, training={**svm.training, "files": files}), place)
        print(f"{place}: {len(svm.values)} support vectors")


if __name__ == "__main__":
    main()
