"""Fits the weights of the page classifier of a user's own words (topiccrawler/relevance/evidence.py), and measures them.

    python benchmarks/own_words.py [WEBS] [--topics FILE] [--judged FILE] [--report FILE] [--write]

WEBS and topics as for benchmarks/narrow.py, whose truth is used: a page's title and tags, or a person's judgement. Every page of a web is
read once, in an order drawn by lot, as a crawl reads it: a segment counts as repeated by the site only after the site's earlier pages.
Content pages that hold none of the words are left out: their relevance is next to nothing whatever the weights. Each topic weighs
1 / sqrt(pages on it + 5). Learned on the topics of --topics; --report names others to measure on. --write replaces models/own_words.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import _checkout  # noqa: F401 first: the package may not be installed
import numpy as np
import numpy.typing as npt
from narrow import CONTENT, TOPICS, Topic, read_json, read_topics, read_web
from sklearn.linear_model import LogisticRegression
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.own_words import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.evaluation.kept_pages import Assessed, measure
from topiccrawler.pages.read import Reader
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.relevance.evidence import FEATURES, FILE, FORMAT, EvidenceClassifier

Floats = npt.NDArray[np.float64]
MODEL = Path(__file__).parents[1] / "models" / FILE
LEAST_PRIOR_PAGES = 5
KEPT_FROM = 0.5


class Several:
    """Stands for all topics of a web in the Reader, which reads each page once."""

    threshold, similarity_threshold, reads_segments = KEPT_FROM, KEPT_FROM, True

    def similarity(self, words: object) -> float:
        return 0.0

    def relevance(self, words: object) -> float:
        return 0.0

    def explain(self, words: object) -> list[tuple[str, float]]:
        return []


def classifier_of(topic: Topic) -> EvidenceClassifier:
    """Of the topic's words, whatever they mean in the catalogue."""
    recipe = recipe_of_words(Recipe(""), topic.words.split(), 600)
    return EvidenceClassifier(topic_of(recipe))


def examples(
    webs: Path, topics: Sequence[Topic], judged: dict[str, dict[str, int]]
) -> dict[str, tuple[Floats, Floats]]:
    """Topic -> features and truths of its examples; of a page on topic without any of the words the features are nan."""
    found: dict[str, tuple[Floats, Floats]] = {}
    for name in dict.fromkeys(topic.web for topic in topics):
        web = read_web(webs / name)
        classifiers = {topic: classifier_of(topic) for topic in topics if topic.web == name}
        truths = {topic: web.about(topic, judged.get(topic.name, {})) for topic in classifiers}
        values: dict[Topic, list[list[float]]] = {topic: [] for topic in classifiers}
        outcomes: dict[Topic, list[float]] = {topic: [] for topic in classifiers}
        reader = Reader(Several(), repeats=SiteRepeats())  # type: ignore[arg-type]
        order = sorted(web.kinds)
        random.Random(name).shuffle(order)
        for page in order:
            recorded = web.pages.web.response(web.pages.recorded[page])
            if recorded is None:
                continue
            headers = {key.lower(): value for key, value in recorded.headers}
            kind = headers.get(b"content-type", b"").decode("latin-1")
            reading = reader.read(
                web.pages.urls[page], recorded.body, http_content_type_encoding(kind), content_type=kind
            )
            if web.kinds[page] != CONTENT:
                continue
            for topic, classifier in classifiers.items():
                segments = classifier.observe(reading.words)
                if any(one.counts for one in segments):
                    values[topic].append(classifier.features(segments))
                elif page in truths[topic]:
                    values[topic].append([float("nan")] * len(FEATURES))
                else:
                    continue
                outcomes[topic].append(float(page in truths[topic]))
        for topic in classifiers:
            found[topic.name] = np.array(values[topic]), np.array(outcomes[topic])
    return found


def fitted(found: dict[str, tuple[Floats, Floats]]) -> dict[str, float]:
    """The weights of the features, and the bias."""
    parts = [(x[~np.isnan(x[:, 0])], y[~np.isnan(x[:, 0])]) for x, y in found.values()]
    features, truths = np.vstack([x for x, _ in parts]), np.concatenate([y for _, y in parts])
    weights = np.concatenate([np.full(len(y), (y.sum() + LEAST_PRIOR_PAGES) ** -0.5) for _, y in parts])
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    model = LogisticRegression(max_iter=5_000)
    model.fit((features - mean) / spread, truths, sample_weight=weights / weights.mean())
    own = model.coef_[0] / spread
    return {
        "bias": round(float(model.intercept_[0] - own @ mean), 4),
        **{name: round(float(value), 4) for name, value in zip(FEATURES, own, strict=True)},
    }


def measured(
    found: dict[str, tuple[Floats, Floats]], weights: dict[str, float]
) -> dict[str, dict[str, float]]:
    """Topic -> figures over all content pages of its web that have a word, or are on topic."""
    own = np.array([weights[name] for name in FEATURES])
    table = {}
    for name, (features, truths) in found.items():
        odds = np.nan_to_num(features @ own + weights["bias"], nan=-20.0)
        relevances = 1.0 / (1.0 + np.exp(-odds))
        kept = measure(
            [
                Assessed(bool(t), float(r), bool(r >= KEPT_FROM))
                for t, r in zip(truths, relevances, strict=True)
            ]
        )
        table[name] = {
            "on topic": float(truths.sum()),
            "kept": float(kept.pages),
            "precision": kept.precision or 0.0,
            "recall": kept.recall or 0.0,
            "P@25": kept.p_at_25 or 0.0,
            "calibration error": kept.calibration_error or 0.0,
        }
    return table


def show(title: str, table: dict[str, dict[str, float]]) -> None:
    print(f"{title:<12}" + "".join(f"{head:>18}" for head in next(iter(table.values()))))
    mean = {head: fmean(row[head] for row in table.values()) for head in next(iter(table.values()))}
    for name, row in [*table.items(), (f"mean of {len(table)}", mean)]:
        print(f"{name:<12}" + "".join(f"{value:>18.3f}" for value in row.values()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("webs", type=Path, nargs="?", help="folder of recorded webs")
    parser.add_argument("--topics", type=Path, default=TOPICS)
    parser.add_argument("--judged", type=Path)
    parser.add_argument("--report", type=Path, help="topics that are measured, not learned from")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    shared = os.environ.get("TOPICCRAWLER_SHARED")
    webs = options.webs or (Path(shared) if shared else None)
    if webs is None:
        print("own_words: name a folder of recorded webs, or set TOPICCRAWLER_SHARED; nothing measured")
        return
    judged = read_json(options.judged) if options.judged else {}
    learned = examples(webs, read_topics(options.topics), judged)
    weights = fitted(learned)
    print(json.dumps(weights, indent=1))
    show("learned from", measured(learned, weights))
    if options.report:
        show("others", measured(examples(webs, read_topics(options.report), judged), weights))
    if options.write:
        training = {"topics": list(learned), "examples": sum(len(y) for _, y in learned.values())}
        MODEL.write_text(
            json.dumps({"format": FORMAT, "weights": weights, "training": training}, indent=1) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
