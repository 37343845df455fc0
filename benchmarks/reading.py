"""The whole reading of one page, by parts: decode, parse, title, main text, words, relevance, links; and `detail`, which only
a strategy that asks for it pays (figures of the page and the machine).

    python benchmarks/reading.py [FILE_OR_FOLDER] [--topic finance] [--rounds 7] [--json]

Without pages a page of 90 kB with 200 links is made (words drawn by frequency from the segmenter's own
dictionary). Milliseconds of CPU a page, the best of several rounds: the figure a quiet machine would give.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.links.extract import extract
from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.parse import parse
from topiccrawler.pages.read import Reader, page_words
from topiccrawler.pages.title import title_of
from topiccrawler.relevance.detail import load_detail
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.text.characters import decode
from topiccrawler.topics.catalogue import load_topic

URL = "http://www.site.test/channel/page.html"


def made_page(seed: int) -> bytes:
    """90 kB, 200 links: navigation, a list with summaries, an article, a side bar, a footer."""
    draw = random.Random(seed)
    words, weights = _dictionary()
    running = "".join(
        word + draw.choice(("", "", "", "", "，", "。"))
        for word in draw.choices(words, cum_weights=weights, k=20_000)
    )
    at = 0

    def text(length: int) -> str:
        nonlocal at
        at = (at + length) % (len(running) - length)
        return running[at : at + length]

    def links(count: int, tag: str) -> str:
        return "".join(
            f'<{tag}><a href="/{draw.randrange(10**6)}/{i}.html" title="{text(12)}">{text(12)}</a></{tag}>'
            for i in range(count)
        )

    items = "".join(
        f'<div class="item"><h3><a href="http://s{i % 40}.test/{draw.randrange(10**6)}.html">{text(16)}</a></h3>'
        f"<p>{text(60)}<span>2026-01-{i % 28 + 1:02}</span></p></div>"
        for i in range(100)
    )
    article = "".join(f"<p>{text(180)}<b>{text(4)}</b>{text(60)}</p>" for _ in range(12))
    body = (
        f'<div class="nav"><ul>{links(30, "li")}</ul></div><h1>{text(18)}</h1><div class="article">{article}</div>'
        f'<div class="list">{items}</div><div class="side"><ul>{links(54, "li")}</ul></div><div class="footer">{links(16, "span")}</div>'
    )
    style = "".join(f".c{i} {{ margin: {i}px; color: #{i:06x} }}\n" for i in range(400))
    head = f'<meta charset="utf-8"><title>{text(18)}_{text(4)}</title><meta name="keywords" content="{text(20)}"><style>{style}'
    page = f"<!DOCTYPE html><html><head>{head}</style></head><body>{body}</body></html>".encode()
    return page.replace(b"</style>", b"/" * max(0, 90_000 - len(page)) + b"</style>")


@cache
def _dictionary() -> tuple[list[str], list[int]]:
    """Words and running sums of their frequencies."""
    import jieba

    with Path(jieba.__file__).with_name("dict.txt").open(encoding="utf-8") as lines:
        rows = [line.split() for line in lines]
    return [row[0] for row in rows], list(accumulate(int(row[1]) for row in rows))


def main() -> None:
    """Time the parts, then the whole."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("pages", nargs="?", type=Path, help="an HTML file, or a folder of them")
    options.add_argument("--topic", default="finance")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--json", action="store_true", help="print the JSON line alone")
    given = options.parse_args()
    if given.pages is None:
        bodies = [made_page(seed) for seed in range(20)]
    else:
        files = sorted(given.pages.rglob("*.html"))[:40] if given.pages.is_dir() else [given.pages]
        bodies = [path.read_bytes() for path in files]
    page_classifier = VsmClassifier(load_topic(given.topic))
    reader = Reader(page_classifier)
    pages = [decode(body)[0] for body in bodies]
    documents = [parse(page) for page in pages]
    titled = [(document, title_of(document), main_text(document)) for document in documents]
    svm = load_detail()
    parts: dict[str, tuple[Callable[[Any], object], list[Any]]] = {
        "decode": (decode, bodies),
        "parse": (parse, pages),
        "title": (title_of, documents),
        "main text": (main_text, documents),
        "words": (lambda one: page_words(*one), titled),
        "relevance": (page_classifier.relevance, [page_words(*one) for one in titled]),
        "links": (lambda document: extract(document, URL, depth=1), documents),
        "detail": (svm.is_detail, documents),
        "whole": (lambda body: extract(reader.read(URL, body).document, URL, depth=1), bodies),
    }
    result = {
        name: round(_milliseconds(run, inputs, given.rounds), 3) for name, (run, inputs) in parts.items()
    }
    result["kB"] = round(sum(map(len, bodies)) / len(bodies) / 1000, 1)
    result["links a page"] = sum(len(document.anchors) for document in documents) / len(documents)
    if not given.json:
        for name, value in result.items():
            print(f"{name:12} {value}")
    print(json.dumps(result))


def _milliseconds(run: Callable[[Any], object], inputs: list[Any], rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        for one in inputs:
            run(one)
        best = min(best, (time.process_time() - started) / len(inputs))
    return best * 1000


if __name__ == "__main__":
    main()
