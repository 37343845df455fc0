"""What the page that links a page adds to the judgement of its words: average precision and F1 over all pages of crawls.

    python benchmarks/linking_page.py --web DIR [--topics finance,health] [--catalogue] [--strategy adaptive] [--weight 0.5] [--seeds URL]

DIR holds a recorded web (*.warc.gz) and labels.tsv. Each topic is crawled by itself until nothing waits; the topic is three words and the words
proposed for them, or the catalogue's. Every page is judged when it comes: by its words against the three words alone ("literal"), by its words
against the topic, and with the page whose link led to it (topiccrawler/relevance/base.py), as a crawl judges what it keeps.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import _checkout  # noqa: F401 first: the package may not be installed
from sklearn.metrics import average_precision_score
from teaching import WORDS, TaughtCrawl, Texts, recipe_of

from topiccrawler.crawling.assemble import recipe_of_words, topic_of
from topiccrawler.crawling.keeping import LinkingPages
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.lab.page_reading import ReadingPlan, Workers, read_web
from topiccrawler.lab.recorded_web import ParsedPages, RecordedPages, read_labels
from topiccrawler.lab.replayed import Run
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.replay.warc import RecordedWeb

JUDGED_BY = ("literal", "its words", "and linking page")


def f1(truths: Sequence[bool], relevances: Sequence[float], threshold: float) -> float:
    """Of what is kept from the threshold on."""
    kept = [truth for truth, relevance in zip(truths, relevances, strict=True) if relevance >= threshold]
    return 2 * sum(kept) / max(1, len(kept) + sum(truths))


def judged(crawl: TaughtCrawl, literal: VsmClassifier, weight: float) -> list[list[float]]:
    """The relevances of the pages that came, in order, a list for each of JUDGED_BY."""
    linking = LinkingPages(weight, crawl.parts.page_classifier.similarity_threshold, MemoryFrontier().notes)
    found: list[list[float]] = [[], [], []]
    for number, page in crawl.came:
        relevances = (
            literal.relevance(crawl.texts[number]),
            page.relevance,
            linking.relevance(page.similarity, page.via),
        )
        linking.read(page)
        for values, relevance in zip(found, relevances, strict=True):
            values.append(relevance)
    return found


def main() -> None:
    """Read the web, crawl it for each topic, print a line a topic and the means."""
    opts = arguments()
    names = opts.topics.split(",")
    pages = RecordedPages(RecordedWeb(sorted(opts.web.glob("*.warc.gz"))))
    labels = read_labels([opts.web / "labels.tsv"], pages)
    seeds = tuple(number for url in opts.seeds.split(",") if (number := pages.number_of_any(url)) is not None)
    if not seeds:
        raise SystemExit(f"--seeds {opts.seeds}: the recorded web holds none of them")
    recipes = {
        name: Recipe(name, link_models="none") if opts.catalogue else recipe_of(name) for name in names
    }
    recipes = {name: dataclasses.replace(recipe, strategy=opts.strategy) for name, recipe in recipes.items()}
    plan = ReadingPlan.of(sorted(opts.web.glob("*.warc.gz")), list(recipes.values()), ["window"])
    rows = []
    print(f"{'':>12}{'pages':>7}" + "".join(f"{name:>18}" for name in JUDGED_BY * 2))
    print(f"{'topic':>12}{'':>7}" + "".join(f"{measure:>18}" for measure in ["AP"] * 3 + ["F1"] * 3))
    with tempfile.TemporaryDirectory() as folder, Workers(1) as workers:
        read_web(plan, pages, Path(folder) / "pages.sqlite", workers, lambda _: None)
        with contextlib.closing(ParsedPages(Path(folder) / "pages.sqlite")) as parsed:
            texts = Texts(pages, topic_of(recipes[names[0]]))
            for place, name in enumerate(names):
                run = Run(recipes[name], opts.strategy, seeds, len(pages.urls), Path(folder), place, 0)
                crawl = TaughtCrawl(run, recipes[name], parsed, texts)
                crawl.go()
                plain = topic_of(recipe_of_words(Recipe("", link_models="none"), WORDS[name].split(), 0))
                relevant, threshold = labels.of(name), crawl.parts.page_classifier.threshold
                truths = [number in relevant for number, _ in crawl.came]
                by = judged(crawl, VsmClassifier(plain), opts.weight)
                row = [float(average_precision_score(truths, one)) for one in by]
                row += [f1(truths, one, threshold) for one in by]
                rows.append(row)
                print(f"{name:>12}{len(truths):>7}" + "".join(f"{value:>18.3f}" for value in row), flush=True)
    print(f"{'mean':>12}{'':>7}" + "".join(f"{fmean(column):>18.3f}" for column in zip(*rows, strict=True)))


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--web", type=Path, required=True)
    add("--topics", default="finance,health,travel,food,sport,blockchain")
    add("--catalogue", action="store_true", help="the catalogue's topics instead of three words")
    add("--strategy", default="adaptive")
    add("--weight", type=float, default=0.5)
    add("--seeds", default="http://daohang.example/")
    return parser.parse_args()


if __name__ == "__main__":
    main()
