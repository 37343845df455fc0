"""Real pages: the two recorded webs and the pages with gold text, where a machine has them."""

import csv
import gzip
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.parse import parse
from topiccrawler.text.characters import decode
from topiccrawler.text.segmenter import words

SHARED = Path(os.environ.get("TOPICCRAWLER_SHARED", ""))
pytestmark = pytest.mark.skipif(
    "TOPICCRAWLER_SHARED" not in os.environ, reason="TOPICCRAWLER_SHARED names no unpacked shared data"
)
TOKEN = re.compile(r"[一-鿿]|[^\W_一-鿿]+")
FLOORS = {  # trafilatura's F1
    "article": 0.9365,
    "collection": 0.5935,
    "documentation": 0.9158,
    "forum": 0.7061,
    "listing": 0.6096,
    "product": 0.6337,
    "service": 0.7726,
}


def recorded(web: str) -> Iterator[tuple[str, str | None, bytes]]:
    with (SHARED / web / "pages.warc.gz").open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            kind = (record.http_headers.get("Content-Type") or "") if record.http_headers else ""
            yield (
                record.headers["WARC-Target-URI"],
                kind.partition("charset=")[2] or None,
                record.reader.read(),
            )


def test_pages_whose_bytes_are_valid_gb18030_have_no_replacement_character() -> None:
    readings: Counter[bool] = Counter()
    for _, declared, body in recorded("blogs"):
        if (declared or "").lower() in {"gbk", "gb2312", "gb18030"}:
            try:
                body.decode("gb18030")
            except UnicodeDecodeError:
                continue
            text, name = decode(body, declared)
            readings[name == "gb18030" and "�" not in text] += 1
    assert readings[True] > 200
    assert readings[False] == 0


def scores_of(folder: Path, tokens: Callable[[str], list[str]]) -> dict[str, float]:
    """The token F1 of the main text of each page with a gold text, by its name."""
    scores = {}
    for gold_file in sorted(folder.glob("*.txt")):
        html, _ = decode(gzip.decompress(gold_file.with_suffix(".html.gz").read_bytes()))
        texts = gold_file.read_text(encoding="utf-8"), main_text(parse(html))
        gold, found = (Counter(tokens(text)) for text in texts)
        scores[gold_file.stem] = 2 * (gold & found).total() / max(1, gold.total() + found.total())
    return scores


def test_main_text_agrees_with_the_gold_text() -> None:
    assert mean(scores_of(SHARED / "links" / "extraction_dev", words).values()) >= 0.97


def test_main_text_of_every_type_of_page_agrees_with_the_gold_text() -> None:
    """The model has seen these pages: below its floors the reading has changed, not the learning."""
    folder = SHARED / "links" / "wcxb_dev"
    with (folder / "manifest.tsv").open(encoding="utf-8", newline="") as lines:
        rows = [*csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]
    scores = scores_of(folder, lambda text: TOKEN.findall(text.lower()))
    means = {kind: mean(scores[row["id"]] for row in rows if row["page_type"] == kind) for kind in FLOORS}
    below = {kind: found for kind, found in means.items() if found < FLOORS[kind]}
    assert below == {}
