"""The three context makers side by side: links of a recorded web, cut anew by each, the paper's models.

    python benchmarks/contexts.py [WEB] [--topic finance] [--links-per-host 400] [--characters 60[,30,120]] [--json]

WEB is a folder with pages.warc.gz and labels.tsv; without it, `blogs` of the folder in TOPICCRAWLER_SHARED.
A link's label is the topic of the page it leads to, as the labels file has it; only links to labelled pages count, each
(target, anchor) once, at most so many of one host; `--characters` each side, each number by itself. F1 with 30 % of the links held out, and with whole hosts held out,
classes evened, thresholds as trained. Reading a web of 11 000 pages takes some four minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.lab.labels import Labels, read_labels
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.link_model.classifier import Counts, Lexicon, LinkClassifier
from topiccrawler.link_model.training.evaluation import Row, link_rows
from topiccrawler.link_model.training.link_files import LabelledLink
from topiccrawler.link_model.training.promotion import table
from topiccrawler.link_model.training.samples import Sample, link_samples, silently
from topiccrawler.link_model.training.train import evened, split
from topiccrawler.links.extract import ContextMaker, extract
from topiccrawler.model import Link
from topiccrawler.pages.formats.registry import HTML, recognise
from topiccrawler.pages.parse import parse
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.text.characters import decode
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.topic import Topic

ROWS = ("group 1", "group 2")

Cut = dict[str, Link]  # the same link by every context maker and window


def cut_links(
    pages: RecordedPages, labels: Labels, per_host: int, seed: int, windows: Sequence[int]
) -> Iterator[tuple[Cut, int]]:
    """Links to labelled pages, cut by every maker with every window, and the number of the page behind."""
    labelled = set().union(*labels.topics.values())
    order = list(range(len(pages)))
    random.Random(seed).shuffle(order)
    met: set[tuple[int, str]] = set()
    hosts: Counter[str] = Counter()
    for number in order:
        recorded = pages.web.response(pages.recorded[number])
        if recorded is None or hosts[pages.hosts[number]] >= per_host:
            continue
        kind = dict(recorded.headers).get(b"Content-Type", b"").decode("latin-1")
        if recognise(recorded.body, kind) != HTML:
            continue
        document = parse(decode(recorded.body)[0])
        url = pages.urls[number]
        made = {
            f"{name} {window}": extract(document, url, depth=1, context=name, window=window)
            for window in windows
            for name in get_args(ContextMaker)
        }
        for links in zip(*made.values(), strict=True):
            link = links[0]
            target = pages.number(link.url)
            if target is None or target not in labelled or target == number or (target, link.anchor) in met:
                continue
            if hosts[pages.hosts[number]] < per_host:
                hosts[pages.hosts[number]] += 1
                met.add((target, link.anchor))
                yield dict(zip(made, links, strict=True)), target


def rows_of(maker: str, samples: list[Sample], topic: Topic, seed: int) -> Iterator[Row]:
    """Groups 1 and 2, by links and by hosts."""
    lexicon = Lexicon(topic.lexicon)
    nothing = LinkClassifier(topic.name, Counts())
    for how, by_host in (("links", False), ("hosts", True)):
        kept, held_out = (evened(side, seed) for side in split(samples, seed, by_host))
        for row in link_rows(kept, held_out, None, lexicon, nothing, f"{maker}, {how}", silently):
            if row.name.endswith(ROWS):
                yield row


def _numbers(given: str) -> list[int]:
    return [int(number) for number in given.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("web", type=Path, nargs="?", help="folder with pages.warc.gz and labels.tsv")
    parser.add_argument("--topic", default="finance")
    parser.add_argument("--links-per-host", type=int, default=400, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    several = "characters each side of a link; several, with commas, are measured on the same links"
    parser.add_argument("--characters", type=_numbers, default=[60], metavar="N[,N]", help=several)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    shared = os.environ.get("TOPICCRAWLER_SHARED")
    if options.web is None and not shared:
        print("contexts: name a recorded web, or set TOPICCRAWLER_SHARED; nothing measured")
        return
    folder = options.web or Path(str(shared), "blogs")
    topic = load_topic(options.topic)
    pages = RecordedPages(RecordedWeb([folder / "pages.warc.gz"]))
    labels = read_labels([folder / "labels.tsv"], pages)
    on_topic = labels.of(topic.name)
    found = list(cut_links(pages, labels, options.links_per_host, options.seed, options.characters))
    rows: list[Row] = []
    for maker in found[0][0] if found else ():
        links = [LabelledLink(cut[maker], target in on_topic, "") for cut, target in found]
        rows += rows_of(maker, link_samples(links, topic.segmenter), topic, options.seed)
    relevant = sum(target in on_topic for _, target in found)
    if options.json:
        result: dict[str, Any] = {"topic": topic.name, "links": len(found), "relevant": relevant}
        json.dump({**result, "rows": {row.name: row.scores() for row in rows}}, sys.stdout)
        print()
        return
    print(f"{len(found)} links, {relevant} of them to pages about {topic.name}")
    print(table(rows, "context maker"))


if __name__ == "__main__":
    main()
