"""What scoring costs: features and sums for a page of 200 links, the words given, and with the tokenizer.

    python benchmarks/scoring.py [--links FILE.jsonl] [--model FILE.json] [--rounds 30] [--json]

With `--links` pages are runs of 200 links of the file as they stand; without it they are drawn from the model's own words:
6 words an anchor, 20 a context, as real links have. Milliseconds of CPU a page: the median, and the best round, which is
the figure a quiet machine would give. The bar is 0.8 ms for "words given".
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.link_model.classifier import LinkClassifier, words_of_links
from topiccrawler.link_model.model_file import load, load_model
from topiccrawler.link_model.training.link_files import read_links
from topiccrawler.model import Link
from topiccrawler.topics.catalogue import load_topic

LINKS_PER_PAGE = 200
PAGES = 20


def drawn_pages(model: LinkClassifier, seed: int) -> list[list[Link]]:
    """Pages of links made of the model's words, frequent ones more often."""
    draw = random.Random(seed)
    counted = [(word, sum(pair)) for word, pair in model.counts.pairs("context") if not word.startswith("@")]
    words, weights = [word for word, _ in counted], [weight for _, weight in counted]

    def text(length: int) -> str:
        return "，".join(draw.choices(words, weights, k=length))

    return [
        [
            Link(f"http://s{at % 40}.test/c{at % 7}/{at}.html", "", text(6), text(10), text(10))
            for at in range(LINKS_PER_PAGE)
        ]
        for _ in range(PAGES)
    ]


def read_pages(path: Path, model: LinkClassifier) -> list[list[Link]]:
    """Runs of labelled links as the file has them."""
    links = (item.link for item in read_links(path, load_topic(model.topic), model.context))
    found = list(islice(links, LINKS_PER_PAGE * PAGES))
    starts = range(0, len(found) - LINKS_PER_PAGE + 1, LINKS_PER_PAGE)
    return [found[start : start + LINKS_PER_PAGE] for start in starts]


def milliseconds(work: Callable[[], object], rounds: int, pages: int) -> dict[str, float]:
    """CPU a page over all rounds."""
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        spent.append((time.process_time() - start) * 1000 / pages)
    return {"median": round(statistics.median(spent), 3), "best": round(min(spent), 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=Path, metavar="FILE")
    parser.add_argument("--model", type=Path, metavar="FILE")
    parser.add_argument("--rounds", type=int, default=30, metavar="N")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    model = load(options.model) if options.model else load_model("finance")
    pages = read_pages(options.links, model) if options.links else drawn_pages(model, seed=0)
    given = [words_of_links(page, model.segmenter) for page in pages]
    found = {
        "features and sums, words given": milliseconds(
            lambda: [model.log_odds_of_words(words) for words in given], options.rounds, len(pages)
        ),
        "with the tokenizer": milliseconds(
            lambda: [model.log_odds(page) for page in pages], max(3, options.rounds // 6), len(pages)
        ),
    }
    if options.json:
        print(json.dumps({"links_per_page": LINKS_PER_PAGE, "pages": len(pages), "milliseconds": found}))
        return
    for name, figures in found.items():
        print(
            f"{name:34}{figures['median']:8.3f} median {figures['best']:8.3f} best   ms a page of 200 links"
        )


if __name__ == "__main__":
    main()
