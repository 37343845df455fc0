"""Fits the weights of the page classifier of a user's own words (topiccrawler/relevance/evidence.py); benchmarks/narrow.py measures it.

    python -m topiccrawler.lab.training.own_words [WEBS] --topics FILE --judged FILE [--pages 1000] [--write]

WEBS and topics as for benchmarks/narrow.py, whose truth is used: a page's title and tags, or a person's judgement. Each topic is crawled over
its recorded web with the weights there are, and what is learned from are the content pages that came, as the crawl saw them: relevance is the
probability among pages that a crawl fetches. A topic of n pages weighs 1 / sqrt(n + 5) a page. Topics whose words name
one of the catalogue are left out: other weights judge them. --write replaces models/own_words.json.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from topiccrawler.crawling.assemble import assemble, topic_of
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.parsed_pages import ParsedPages, parsed_web
from topiccrawler.lab.recorded_web import CONTENT
from topiccrawler.lab.runner import ReplayedCrawl, Run
from topiccrawler.lab.training.narrow_truth import Topic, read_json, read_topics, read_web
from topiccrawler.lab.workers import cores
from topiccrawler.relevance.evidence import FEATURES, FILE, FORMAT, EvidenceClassifier, Found
from topiccrawler.topics.topic import PROPOSED_WORDS

Floats = npt.NDArray[np.float64]
Examples = dict[str, tuple[Floats, Floats]]  # topic -> features and truths of the pages that came
MODEL = Path(__file__).parents[3] / "models" / FILE
PRIOR_PAGES = 5


class Recording(EvidenceClassifier):
    """Keeps the features of the pages that it is asked about."""

    seen: list[list[float]]

    def relevance_of(self, found: Sequence[Found], similarity: float) -> float:
        self.seen.append(self.features(found))
        return super().relevance_of(found, similarity)


def recipe_of(topic: Topic) -> Recipe:
    return recipe_of_words(Recipe(""), topic.words.split(), PROPOSED_WORDS)


def examples(
    webs: Path, topics: Sequence[Topic], judged: Mapping[str, Mapping[str, int]], pages: int
) -> Examples:
    """Of each topic that its words judge, in the order in which its pages came."""
    found: Examples = {}
    for name in dict.fromkeys(topic.web for topic in topics):
        web = read_web(webs / name)
        recipes = {topic: recipe_of(topic) for topic in topics if topic.web == name}
        recipes = {topic: recipe for topic, recipe in recipes.items() if topic_of(recipe).narrow}
        seeds = tuple(number for url in web.seeds if (number := web.pages.number_of_any(url)) is not None)
        with parsed_web(web.pages, list(recipes.values()), ["window"], jobs=cores()) as parsed:
            for place, (topic, recipe) in enumerate(recipes.items()):
                run = Run(recipe, recipe.strategy, seeds, pages, parsed.path, place)
                came = crawled(run)
                on_topic = web.about(topic, judged.get(topic.name, {}))
                rows = [(x, page in on_topic) for page, x in came.items() if web.kinds.get(page) == CONTENT]
                found[topic.name] = (
                    np.array([x for x, _ in rows]).reshape(-1, len(FEATURES)),
                    np.array([float(truth) for _, truth in rows]),
                )
    return found


def crawled(run: Run) -> dict[int, list[float]]:
    """Page -> features, of a crawl."""
    parts = assemble(run.recipe)
    classifier = Recording(parts.topic)
    classifier.seen = []
    parts = replace(parts, page_classifier=classifier, strategy_classifier=classifier)
    with contextlib.closing(ParsedPages(run.parsed)) as parsed:
        found = ReplayedCrawl(run, parts, parsed).go()
    return dict(zip(found.verdicts, classifier.seen, strict=True))


def fitted(found: Examples) -> dict[str, float]:
    """The weights of the features, and the bias."""
    features = np.vstack([x for x, _ in found.values()])
    truths = np.concatenate([y for _, y in found.values()])
    weights = np.concatenate([np.full(len(y), (y.sum() + PRIOR_PAGES) ** -0.5) for _, y in found.values()])
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    model = LogisticRegression(max_iter=5_000)
    model.fit((features - mean) / spread, truths, sample_weight=weights / weights.mean())
    own = model.coef_[0] / spread
    return {
        "bias": round(float(model.intercept_[0] - own @ mean), 4),
        **{name: round(float(value), 4) for name, value in zip(FEATURES, own, strict=True)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("webs", type=Path, nargs="?", help="folder of recorded webs")
    parser.add_argument("--topics", type=Path, required=True)
    parser.add_argument("--judged", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=1000, metavar="N")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    shared = os.environ.get("TOPICCRAWLER_SHARED")
    webs = options.webs or (Path(shared) if shared else None)
    if webs is None:
        print("own_words: name a folder of recorded webs, or set TOPICCRAWLER_SHARED; nothing measured")
        return
    judged = read_json(options.judged)
    learned = examples(webs, read_topics(options.topics), judged, options.pages)
    weights = fitted(learned)
    print(json.dumps(weights, indent=1))
    if options.write:
        training = {"topics": list(learned), "pages": options.pages}
        MODEL.write_text(
            json.dumps({"format": FORMAT, "weights": weights, "training": training}, indent=1) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
