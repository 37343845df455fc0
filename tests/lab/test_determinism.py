"""Two processes whose sets and dictionaries are ordered otherwise compare strategies on the same web with the same results."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

PAGES = 60
ROOT = Path(__file__).parents[2]
SPECS = "best_first,naive_bayes,adaptive,jlse:cf=20:detail=true"


def first_pages(web: Path, folder: Path) -> Path:
    """The first PAGES pages of a recorded web."""
    part = folder / "part.warc"
    with web.open("rb") as whole, part.open("wb") as file:
        found = ArchiveIterator(whole, record_types=WarcRecordType.response, parse_http=False)
        for _, response in zip(range(PAGES), found, strict=False):
            response.write(file)
    return part


@pytest.mark.slow
def test_a_synthetic_web_is_compared_the_same_in_every_process(
    synthetic_web: tuple[Path, Path], tmp_path: Path
) -> None:
    web = first_pages(synthetic_web[0], tmp_path)
    given = {"web": web, "topic": "finance,health", "seeds": "http://daohang.example/", "strategies": SPECS}
    given |= {"pages": PAGES, "jobs": 1}
    words = [word for name, value in given.items() for word in (f"--{name}", str(value))]
    for hash_seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-m", "scrapy", "compare", *words, "--out", str(tmp_path / hash_seed)],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONWARNINGS": ""},
            capture_output=True,
            check=True,
        )
    for file in ("result.json", "curves.csv"):
        for topic in ("finance", "health"):
            assert (tmp_path / "1" / topic / file).read_bytes() == (
                tmp_path / "2" / topic / file
            ).read_bytes()
