"""Kinds of page on three recorded webs, against pages judged by eye.

    python benchmarks/kinds.py [DIR] [--part judged|tuned|fresh] [--misses] [--json]

kinds_judged.json, beside this file, has the kind of each page by its first letter (article, list, stub). Pages were drawn by lot: four of five
have a topic in labels.tsv of their web. Parameters were chosen on the part `tuned` only; of `judged` the misses were read after the first
measurement, and mended. `fresh` is 150 pages of neither, judged before the classifier was asked; nothing was changed after these were judged.
They are, of blogs, portal and friends in this order, 40 pages with a topic and 10 without, by `random.Random(20261127).sample` of the sorted URLs.
Each page is read as in a crawl, after SITE_PAGES others of its host, so that what the site repeats is known. `ms`: processor time of the kind
alone, a page. DIR holds the folders blogs, portal and friends; without it they are looked for in the folder that the environment names
TOPICCRAWLER_SHARED.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

import _checkout  # noqa: F401 first: the package may not be installed
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.assemble import page_classifier_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.pages.read import Reader, Reading
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.urls.canonical import host_of

SITE_PAGES = 15
JUDGED = Path(__file__).with_name("kinds_judged.json")


def readings(folder: Path, urls: Sequence[str]) -> Iterator[tuple[str, Reading]]:
    """The pages of a web, each read after others of its host."""
    web, classifier = RecordedWeb(sorted(folder.glob("*.warc.gz"))), page_classifier_of(Recipe("finance"))
    by_host: dict[str, list[str]] = defaultdict(list)
    for url in web.urls():
        by_host[host_of(url)].append(url)
    for url in urls:
        reader = Reader(classifier, repeats=SiteRepeats())
        others = sorted(by_host[host_of(url)], key=lambda one: crc32(one.encode()))[:SITE_PAGES]
        for one in [*(other for other in others if other != url), url]:
            answer = web.response(one)
            if answer is None:
                continue
            kind = answer.content_type
            reading = reader.read(one, answer.body, http_content_type_encoding(kind), content_type=kind)
            if one == url:
                yield url, reading


def main() -> None:
    """Read the judged pages, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR")
    parser.add_argument("--part", choices=("judged", "tuned", "fresh"), default="judged")
    parser.add_argument("--misses", action="store_true", help="list the pages whose kind is another")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    shared = given.folder or os.environ.get("TOPICCRAWLER_SHARED")
    if not shared or not all((Path(shared) / web).is_dir() for web in ("blogs", "portal", "friends")):
        print("kinds: name a folder of recorded webs, or set TOPICCRAWLER_SHARED; nothing measured")
        return
    judged = json.loads(JUDGED.read_text(encoding="utf-8"))[given.part]
    right, pages, found, spent = Counter[str](), Counter[str](), Counter[str](), 0.0
    for web, kinds in judged.items():
        for url, reading in readings(Path(shared) / web, list(kinds)):
            began = time.process_time()
            kind = reading.kind
            spent += time.process_time() - began
            found[kind[0]] += 1
            for group in ("all", web, kinds[url]):
                pages[group] += 1
                right[group] += kind[0] == kinds[url]
            if given.misses and kind[0] != kinds[url]:
                print(f"{kinds[url]} {kind:<8}{url}")
    figures = {
        group: {"pages": pages[group], "right": round(right[group] / pages[group], 4), "found": found[group]}
        for group in pages
    }
    ms = round(1000 * spent / max(1, pages["all"]), 3)
    if given.json:
        print(json.dumps({**figures, "ms": ms}))
        return
    print(f"{'':<10}{'pages':>8}{'right':>8}{'found':>8}")
    for group, figure in figures.items():
        print(f"{group:<10}{figure['pages']:>8}{figure['right']:>8.3f}{figure['found'] or '':>8}")
    print(f"{ms} ms a page")


if __name__ == "__main__":
    main()
