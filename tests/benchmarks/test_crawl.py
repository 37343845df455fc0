"""The benchmark of crawls."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_benchmark_of_crawls_says_what_it_is_doing() -> None:
    options = ("--pages", "20", "--hosts", "2", "--rounds", "1", "--strategies", "breadth_first")
    options += ("--rivals", "crawl4ai_http")
    ran = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "crawl.py"), *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told = [re.sub(r"\d+ pages in \d+ s", "", line) for line in ran.stderr.splitlines()]
    assert re.fullmatch(
        r"crawl4ai_http is left out: .*/pip install crawl4ai .*--rivals-python .*", told.pop(0)
    )
    assert told == [f"round 1 of 1: {name} … " for name in ("scrapy_bfs", "breadth_first")]
