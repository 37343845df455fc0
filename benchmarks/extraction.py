"""Main text against gold text: ours and trafilatura, token F1 and pages per CPU second, alternating.

    python benchmarks/extraction.py DIR [--rounds 3] [--json]

DIR holds ID.html.gz and ID.txt. F1 is the mean over pages of the F1 of two bags of tokens: words of our
segmenter (single Han characters dropped); `characters` is the same over single Han characters and Latin runs, and so are the
figures by type of page where DIR has a manifest.tsv with the columns id and page_type. `trafilatura` is its fast mode,
`trafilatura_full` its usual one, both without comments. All get the decoded HTML; ours includes its parse. The last line is
JSON (alone with --json).
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.parse import parse
from topiccrawler.text.characters import decode
from topiccrawler.text.segmenter import words

_CHARACTER = re.compile(r"[一-鿿]|[^\W_一-鿿]+")


def ours(html: str) -> str:
    """Our default extractor, parse included."""
    return main_text(parse(html))


def negative_topic() -> Callable[[str], str]:
    """Trafilatura as DESIGN §7 would use it."""
    from trafilatura import extract

    return lambda html: extract(html, fast=True, include_comments=False, include_tables=False) or ""


def full() -> Callable[[str], str]:
    """Trafilatura as it comes, comments aside."""
    from trafilatura import extract

    return lambda html: extract(html, include_comments=False) or ""


def token_f1(found: list[str], gold: list[str]) -> float:
    """F1 of two bags of tokens; 1 when both are empty."""
    both = (Counter(found) & Counter(gold)).total()
    return 2 * both / (len(found) + len(gold)) if found or gold else 1.0


def main() -> None:
    """Read the pages, run both alternately, print."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument(
        "--rounds", type=int, default=3, help="timed rounds; the first is dropped when there are more"
    )
    options.add_argument("--json", action="store_true", help="print the JSON line alone")
    given = options.parse_args()
    golds = sorted(given.folder.glob("*.txt"))
    if not golds:
        options.error(f"{given.folder}: no ID.txt beside ID.html.gz; unpack the gold pages there")
    pages = [decode(gzip.decompress(path.with_suffix(".html.gz").read_bytes()))[0] for path in golds]
    texts = [path.read_text(encoding="utf-8") for path in golds]
    extractors = {"ours": ours, "trafilatura": negative_topic(), "trafilatura_full": full()}
    seconds: dict[str, list[float]] = {name: [] for name in extractors}
    found: dict[str, list[str]] = {}
    for _ in range(max(1, given.rounds)):
        for name, extractor in extractors.items():
            started = time.process_time()
            found[name] = [extractor(page) for page in pages]
            seconds[name].append(time.process_time() - started)
    types = page_types(given.folder)
    kinds = [types.get(path.stem, "") for path in golds]
    named = sorted({*kinds} - {""})
    result = {}
    for name in extractors:
        by_characters = [*map(token_f1, map(_characters, found[name]), map(_characters, texts))]
        of_types = {
            kind: [f1 for f1, its in zip(by_characters, kinds, strict=True) if its == kind] for kind in named
        }
        result[name] = {
            "f1": round(statistics.mean(map(token_f1, map(words, found[name]), map(words, texts))), 4),
            "characters": round(statistics.mean(by_characters), 4),
            "pages_per_cpu_s": round(len(pages) / statistics.median(seconds[name][1:] or seconds[name]), 1),
            "types": {kind: round(statistics.mean(some), 4) for kind, some in of_types.items()},
        }
    if not given.json:
        for name, figures in result.items():
            print(
                f"{name:17} F1 {figures['f1']:.4f}, by characters {figures['characters']:.4f}"
                f"  {figures['pages_per_cpu_s']:7.1f} pages per CPU second"
            )
        for kind in result["ours"]["types"]:
            shown = "  ".join(f"{figures['types'][kind]:.4f}" for figures in result.values())
            print(f"{kind:17} {kinds.count(kind):5}  {shown}")
    print(json.dumps(result))


def page_types(folder: Path) -> dict[str, str]:
    """Type of each page by its ID, where there is a manifest that tells."""
    manifest = folder / "manifest.tsv"
    if not manifest.is_file():
        return {}
    with manifest.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["id"]: row.get("page_type") or "" for row in rows}


def _characters(text: str) -> list[str]:
    return _CHARACTER.findall(text.lower())


if __name__ == "__main__":
    main()
