"""Near copies: found, falsely found, memory and time of a lookup at a million fingerprints.

    python benchmarks/duplicates.py [--documents FILE.jsonl] [--pages 1000000] [--changed 0.05] [--json]

Each document (`text`; without a file, generated ones of Zipf-like words) is asked for against the whole index: a copy
with `changed` of its words replaced by random words of other documents must find its original, a document alone must
find nothing. Documents that lie near each other from the start (real files hold true copies) are asked for once and
listed as `already_copies`, found by comparing their word pairs exactly (Jaccard >= .4), not by fingerprint.
The index is filled up to `pages` with fingerprints of no document. The last line is JSON (alone with --json).
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sqlite3
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.pages.site_repeats import BITS, LEAST_WORDS, Fingerprint, fingerprint
from topiccrawler.store.duplicates import DuplicateIndex
from topiccrawler.text.segmenter import words

GENERATED = 3000
SAME_STORY = 0.4
SEED = 11


def documents(path: Path | None, dice: random.Random) -> list[list[str]]:
    """Words of each document that is long enough to have near copies."""
    if path is not None:
        with path.open(encoding="utf-8") as file:
            found = [words(str(json.loads(line).get("text", ""))) for line in file]
        return [document for document in found if len(document) >= LEAST_WORDS]
    vocabulary = [f"{dice.choice('bcdfghklmnprst')}{number:x}" for number in range(20, 20_000)]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    return [dice.choices(vocabulary, weights, k=dice.randint(80, 800)) for _ in range(GENERATED)]


def changed(document: list[str], share: float, others: list[str], dice: random.Random) -> list[str]:
    """A copy with that share of its words, at least one, replaced."""
    copy = list(document)
    for at in dice.sample(range(len(copy)), max(1, round(share * len(copy)))):
        copy[at] = dice.choice(others)
    return copy


def originals(all_documents: list[list[str]]) -> tuple[list[list[str]], int]:
    """Documents of which no earlier one has the same story, and how many were left out."""
    kept: list[list[str]] = []
    holders: dict[tuple[str, str], list[int]] = defaultdict(list)
    sizes: list[int] = []
    for document in all_documents:
        pairs = set(pairwise(document))
        common: dict[int, int] = defaultdict(int)
        for pair in pairs:
            for other in holders[pair]:
                common[other] += 1
        if any(both / (len(pairs) + sizes[other] - both) >= SAME_STORY for other, both in common.items()):
            continue
        for pair in pairs:
            holders[pair].append(len(kept))
        kept.append(document)
        sizes.append(len(pairs))
    return kept, len(all_documents) - len(kept)


def fill(path: Path, pages: int, dice: random.Random) -> None:
    """An index file of fingerprints of no document."""
    DuplicateIndex(path).close()

    def rows() -> Iterator[tuple[int, str, int, bytes]]:
        for row in range(pages):
            yield row, f"http://filler.example/{row}", dice.getrandbits(63), dice.randbytes(BITS // 8)

    with sqlite3.connect(path) as database:
        database.executemany("INSERT INTO fingerprints VALUES (?, ?, ?, ?)", rows())
    database.close()


def of(document: list[str]) -> Fingerprint:
    """The fingerprint of a text made of these words."""
    print_ = fingerprint(" ".join(document))
    if print_ is None:
        raise SystemExit("a document without words")
    return print_


def main() -> None:
    """Fill, plant, ask, print."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--documents", type=Path)
    options.add_argument("--pages", type=int, default=1_000_000)
    options.add_argument("--changed", type=float, default=0.05)
    options.add_argument("--json", action="store_true", help="print the JSON line alone")
    given = options.parse_args()
    dice = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "duplicates.sqlite"
        fill(path, given.pages, dice)
        of(["warm", "up"] * LEAST_WORDS)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        index = DuplicateIndex(path)
        opened = time.perf_counter() - start
        megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        distinct, already = originals(documents(given.documents, dice))
        every_word = [word for document in distinct for word in document]
        false = found = 0
        made = looked = 0.0
        for number, document in enumerate(distinct):
            start = time.process_time()
            print_ = of(document)
            made += time.process_time() - start
            start = time.process_time()
            false += index.first_of(f"http://first.example/{number}", print_) is not None
            looked += time.process_time() - start
        for number, document in enumerate(distinct):
            print_ = of(changed(document, given.changed, every_word, dice))
            found += (
                index.first_of(f"http://copy.example/{number}", print_) == f"http://first.example/{number}"
            )
        index.close()
    result = {
        "documents": len(distinct),
        "already_copies": already,
        "found": round(found / len(distinct), 4),
        "false": round(false / len(distinct), 5),
        "index_pages": given.pages,
        "index_megabytes": round(megabytes, 1),
        "index_open_seconds": round(opened, 2),
        "fingerprint_ms": round(made / len(distinct) * 1000, 3),
        "lookup_ms": round(looked / len(distinct) * 1000, 3),
    }
    if not given.json:
        for name, value in result.items():
            print(f"{name:20} {value}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
