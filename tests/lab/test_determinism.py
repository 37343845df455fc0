"""Two processes whose sets and dictionaries are ordered otherwise read the same web and crawl it in the same order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

PAGES = 60
ROOT = Path(__file__).parents[2]
READ_AND_CRAWL = """
import hashlib, json, sqlite3, sys
from pathlib import Path
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.lab.runner import Run, replay
from topiccrawler.lab.parsed_pages import parsed_web
from topiccrawler.replay.warc import RecordedWeb

web, count = sys.argv[1], int(sys.argv[2])
topics = ("finance", "health")
pages = RecordedPages(RecordedWeb([Path(web)]))
found = {"pages": len(pages)}
with parsed_web(pages, [Recipe(topic) for topic in topics], ["window", "dom"], details=True) as parsed:
    for number, reading in sqlite3.connect(parsed.path).execute("SELECT number, reading FROM pages ORDER BY number"):
        found[f"page {number} {pages.urls[number]}"] = hashlib.sha256(reading or b"").hexdigest()
    for spec in sys.argv[3:]:
        for at, topic in enumerate(topics):
            found[f"{topic} {spec}"] = replay(Run(Recipe(topic, prune=False), spec, (0,), count, parsed.path, at)).order
print(json.dumps(found))
"""


def read_and_crawled(web: Path, hash_seed: str) -> dict[str, object]:
    specs = ("best_first", "naive_bayes", "adaptive", "jlse:cf=20:detail=true")
    done = subprocess.run(
        [sys.executable, "-c", READ_AND_CRAWL, str(web), str(PAGES), *specs],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def differing(web: Path) -> tuple[object, list[str]]:
    """How many pages there are, and what differs between the two processes."""
    first, second = (read_and_crawled(web, seed) for seed in ("1", "2"))
    assert first.keys() == second.keys()
    return first["pages"], [name for name, value in first.items() if second[name] != value]


def first_pages(web: Path, folder: Path) -> Path:
    """The first PAGES pages of a recorded web."""
    part = folder / "part.warc"
    with web.open("rb") as whole, part.open("wb") as file:
        found = ArchiveIterator(whole, record_types=WarcRecordType.response, parse_http=False)
        for _, response in zip(range(PAGES), found, strict=False):
            response.write(file)
    return part


@pytest.mark.slow
def test_a_synthetic_web_is_read_and_crawled_the_same_in_every_process(
    synthetic_web: tuple[Path, Path], tmp_path: Path
) -> None:
    warc, _ = synthetic_web
    assert differing(first_pages(warc, tmp_path)) == (PAGES, [])
