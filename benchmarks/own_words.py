"""Fits the weights of the page classifier of a user's own words (topiccrawler/relevance/evidence.py), and measures them.

    python benchmarks/own_words.py [WEBS] [--topics FILE] [--judged FILE] [--report FILE]... [--write]

WEBS and topics as for benchmarks/narrow.py, whose truth is used: a page's title and tags, or a person's judgement. What is learned from are the
content pages of the webs, read in the order of the recording as a crawl would that meets them all. A page of a topic with n on it weighs
1 / (n + 5), so topics weigh nearly the same. Then the bias is moved so that .5 is even odds for topics that the weights do not know: for each
eighth of the topics by weights of the others, the shift of least log loss over the contested pages (log-odds within 3 of even), topics weighing
the same; and by UNSAID. Learned from --topics; --report names others, which are only measured. Topics whose words name one of the catalogue are left out: other
weights judge them. --write replaces models/own_words.json.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import _checkout  # noqa: F401 first: the package may not be installed
import numpy as np
import numpy.typing as npt
from narrow import CONTENT, JUDGED, TOPICS, LabelledWeb, Topic, read_json, read_topics, read_web
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.assemble import recipe_of_words, topic_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.measures import Assessed, measure
from topiccrawler.pages.read import ContentReader, PageWords
from topiccrawler.pages.site_repeats import Segment, SiteRepeats, keys_of
from topiccrawler.relevance.base import EVEN
from topiccrawler.relevance.evidence import FEATURES, FILE, FORMAT, EvidenceClassifier
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.topic import PROPOSED_WORDS

Floats = npt.NDArray[np.float64]
Examples = dict[str, tuple[Floats, Floats]]  # topic -> features and truths of its web's content pages
MODEL = Path(__file__).parents[1] / "models" / FILE
PRIOR_PAGES = 5
PARTS = 8  # of the topics, each held out once
CONTESTED = 3.0  # log-odds
# Of 64 pages of relevance .3 to .5 that title and tags do not call on topic, 20 are when read; the lower end of what follows, in log-odds.
UNSAID = 0.4


def examples(webs: Path, topics: Sequence[Topic], judged: Mapping[str, Mapping[str, int]]) -> Examples:
    """Of each topic that its words judge."""
    found: Examples = {}
    for name in dict.fromkeys(topic.web for topic in topics):
        web = read_web(webs / name)
        classifiers = {topic: classifier_of(topic) for topic in topics if topic.web == name}
        about = {topic: web.about(topic, judged.get(topic.name, {})) for topic in classifiers}
        rows: dict[Topic, list[tuple[list[float], bool]]] = {topic: [] for topic in classifiers}
        repeats = SiteRepeats()
        for page in sorted(web.kinds):
            segments = own_segments(web, page, repeats)
            if web.kinds[page] != CONTENT:
                continue
            for topic, classifier in classifiers.items():
                if classifier is not None:
                    words = PageWords(segments=cut_by(classifier.topic.segmenter, segments))
                    rows[topic].append((classifier.features(classifier.observe(words)), page in about[topic]))
        for topic, of_topic in rows.items():
            if of_topic:
                found[topic.name] = (
                    np.array([x for x, _ in of_topic]),
                    np.array([float(truth) for _, truth in of_topic]),
                )
    return found


def classifier_of(topic: Topic) -> EvidenceClassifier | None:
    """None for a topic of the catalogue."""
    found = topic_of(recipe_of_words(Recipe(""), topic.words.split(), PROPOSED_WORDS))
    return EvidenceClassifier(found, dict.fromkeys(("bias", *FEATURES), 0.0)) if found.narrow else None


def own_segments(web: LabelledWeb, page: int, repeats: SiteRepeats) -> list[Segment]:
    """Of a page, without what its site repeats on those before."""
    pages = web.pages
    recorded = pages.web.response(pages.recorded[page])
    if recorded is None:
        return []
    headers = {name.lower(): value for name, value in recorded.headers}
    kind = headers.get(b"content-type", b"").decode("latin-1")
    url, charset = pages.urls[page], http_content_type_encoding(kind)
    read = ContentReader(reads_segments=True).content(url, recorded.body, charset, content_type=kind)
    segments = read.words.segments
    repeated = repeats.of(pages.hosts[page], url, keys_of(segments))
    return [segment for segment, is_repeat in zip(segments, repeated, strict=True) if not is_repeat]


def cut_by(segmenter: Segmenter, segments: Sequence[Segment]) -> list[Segment]:
    """The segments that hold a word that only this segmenter keeps whole, cut by it; the others as they are."""
    return [
        segment._replace(words=segmenter.words(segment.text))
        if any(word in segment.text for word in segmenter.own_words)
        else segment
        for segment in segments
    ]


def fitted(found: Examples) -> dict[str, float]:
    """The weights of the features, and the bias: with it .5 is even odds for topics that the weights do not know."""
    own, bias = regression(found)
    bias += shift(found) + UNSAID
    return {
        "bias": round(bias, 4),
        **{name: round(float(value), 4) for name, value in zip(FEATURES, own, strict=True)},
    }


def regression(found: Examples) -> tuple[Floats, float]:
    """Weights and bias of least log loss."""
    features = np.vstack([x for x, _ in found.values()])
    truths = np.concatenate([y for _, y in found.values()])
    weights = np.concatenate([np.full(len(y), 1.0 / (y.sum() + PRIOR_PAGES)) for _, y in found.values()])
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    model = LogisticRegression(max_iter=5_000)
    model.fit((features - mean) / spread, truths, sample_weight=weights / weights.mean())
    own = model.coef_[0] / spread
    return own, float(model.intercept_[0] - own @ mean)


def shift(found: Examples) -> float:
    """Log-odds that the topics lack of which each was held out."""
    contested: list[tuple[Floats, Floats]] = []
    for part in range(PARTS):
        held_out = [name for place, name in enumerate(found) if place % PARTS == part]
        own, bias = regression({name: one for name, one in found.items() if name not in held_out})
        for features, truths in (found[name] for name in held_out):
            log_odds = features @ own + bias
            border = np.abs(log_odds) < CONTESTED
            if border.any():
                contested.append((log_odds[border], truths[border]))

    def loss(more: float) -> float:
        return fmean(float(np.mean(np.logaddexp(0.0, z + more) - y * (z + more))) for z, y in contested)

    return float(minimize_scalar(loss).x)


def measured(found: Examples, weights: dict[str, float]) -> dict[str, dict[str, float]]:
    """Topic -> figures over the content pages of its web."""
    own = np.array([weights[name] for name in FEATURES])
    table = {}
    for name, (features, truths) in found.items():
        relevances = 1.0 / (1.0 + np.exp(-(features @ own + weights["bias"])))
        kept = measure(
            [Assessed(bool(t), float(r), bool(r >= EVEN)) for t, r in zip(truths, relevances, strict=True)]
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
    parser.add_argument("--judged", type=Path, default=JUDGED)
    parser.add_argument(
        "--report", type=Path, action="append", default=[], help="topics that are measured, not learned from"
    )
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    shared = os.environ.get("TOPICCRAWLER_SHARED")
    webs = options.webs or (Path(shared) if shared else None)
    if webs is None:
        print("own_words: name a folder of recorded webs, or set TOPICCRAWLER_SHARED; nothing measured")
        return
    judged = read_json(options.judged)
    learned = examples(webs, read_topics(options.topics), judged)
    weights = fitted(learned)
    print(json.dumps(weights, indent=1))
    show("learned from", measured(learned, weights))
    for others in options.report:
        show(others.stem, measured(examples(webs, read_topics(others), judged), weights))
    if options.write:
        training = {"topics": list(learned)}
        MODEL.write_text(
            json.dumps({"format": FORMAT, "weights": weights, "training": training}, indent=1) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
