"""Titles against gold titles: ours (<title> and headings) and SkyReach's (the look of the line above the text).

    python benchmarks/titles.py DIR [--json]

DIR holds ID.html.gz and manifest.tsv with the columns id and title; where it has page_type, the figures come by type too. `exact`: the share of
pages whose title is the gold one, but for blanks, case and marks at its ends; `f1`: token F1 of the two; `within`: the share whose title stands in the gold one
or holds it (gold of some collections is the <title> element, with the site's name in it). `ms`: processor time a page, without the parse that every
reader shares.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import statistics
import time
from collections import Counter, defaultdict
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.pages.parse import parse
from topiccrawler.pages.skyreach_title import skyreach_title
from topiccrawler.pages.title import title_of
from topiccrawler.text.characters import decode
from topiccrawler.text.segmenter import words

Row = tuple[str, float, float, float, float]  # type, exact, f1, within, ms


def folded(title: str) -> str:
    """For comparison."""
    return "".join(title.lower().split()).strip("-–—_|·.,:;!?。，：；！？ ")


def scores(found: str, gold: str) -> tuple[float, float, float]:
    """Exact, token F1, within."""
    ours, theirs = folded(found), folded(gold)
    bags = Counter(words(found)), Counter(words(gold))
    total = bags[0].total() + bags[1].total()
    f1 = 2 * (bags[0] & bags[1]).total() / total if total else float(ours == theirs)
    within = bool(ours) and min(len(ours), len(theirs)) >= 4 and (ours in theirs or theirs in ours)
    return float(ours == theirs), f1, float(within)


def main() -> None:
    """Read every page, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with (given.folder / "manifest.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        file = given.folder / f"{row['id']}.html.gz"
        if not row["title"].strip() or not file.is_file():
            continue
        html = decode(gzip.decompress(file.read_bytes()))[0]
        document = parse(html)
        for name in ("ours", "skyreach"):
            began = time.process_time()
            title = title_of(document) if name == "ours" else skyreach_title(html)
            spent = 1000 * (time.process_time() - began)
            found[name].append((row.get("page_type") or "all", *scores(title, row["title"]), spent))
    figures = {
        name: {
            kind: [round(statistics.fmean(one[column] for one in of), 3) for column in range(1, 5)]
            + [len(of)]
            for kind in ["all", *sorted({one[0] for one in every} - {"all"})]
            if (of := [one for one in every if kind in ("all", one[0])])
        }
        for name, every in found.items()
    }
    if not given.json:
        print(f"{'':<28}{'exact':>8}{'f1':>8}{'within':>8}{'ms':>8}{'pages':>7}")
        for name, kinds in figures.items():
            for kind, (*values, pages) in kinds.items():
                shown = "".join(f"{value:8.3f}" for value in values)
                print(f"{name + ' ' + kind:<28}{shown}{pages:7}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
