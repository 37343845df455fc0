"""Main text against gold text: ours and trafilatura, token F1 and pages per CPU second, alternating.

    python benchmarks/extraction.py DIR [--rounds 3] [--json]

DIR holds ID.html.gz and ID.txt. F1 is the mean over pages of the F1 of two bags of tokens: words of our
segmenter (single Han characters dropped); `characters` is the same over single Han characters and Latin runs.
Both extractors get the decoded HTML; ours includes its parse. The last line is JSON (alone with --json).
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.pages.content import main_text
from topiccrawler.pages.parse import parse
from topiccrawler.text.decode import decode
from topiccrawler.text.tokenise import words

_CHARACTER = re.compile(r"[一-鿿]|[a-z0-9]+")


def ours(html: str) -> str:
    """Our default extractor, parse included."""
    return main_text(parse(html))


def negative_topic() -> Callable[[str], str]:
    """Trafilatura as DESIGN §7 would use it."""
    from trafilatura import extract

    return lambda html: extract(html, fast=True, include_comments=False, include_tables=False) or ""


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
    extractors = {"ours": ours, "trafilatura": negative_topic()}
    seconds: dict[str, list[float]] = {name: [] for name in extractors}
    found: dict[str, list[str]] = {}
    for _ in range(max(1, given.rounds)):
        for name, extractor in extractors.items():
            started = time.process_time()
            found[name] = [extractor(page) for page in pages]
            seconds[name].append(time.process_time() - started)
    result = {
        name: {
            "f1": round(statistics.mean(map(token_f1, map(words, found[name]), map(words, texts))), 4),
            "characters": round(
                statistics.mean(map(token_f1, map(_characters, found[name]), map(_characters, texts))), 4
            ),
            "pages_per_cpu_s": round(len(pages) / statistics.median(seconds[name][1:] or seconds[name]), 1),
        }
        for name in extractors
    }
    if not given.json:
        for name, figures in result.items():
            print(f"{name:12} F1 {figures['f1']:.4f}  {figures['pages_per_cpu_s']:7.1f} pages per CPU second")
    print(json.dumps(result))


def _characters(text: str) -> list[str]:
    return _CHARACTER.findall(text.lower())


if __name__ == "__main__":
    main()
