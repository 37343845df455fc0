"""Trains the detail classifier from pages whose kind is known; scikit-learn does the fitting.

Both classes have the same weight. C and γ are not chosen on the pages that measure them: a third of the hosts is held
out. Given several webs, each is also classified by an SVM trained on the others.
At most `MOST_SAMPLES` pages are used, so that the support vectors stay few.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from topiccrawler.errors import LinksFileError
from topiccrawler.relevance.detail import DetailClassifier
from topiccrawler.relevance.thresholds import Quality, quality

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
