"""Every benchmark, and every program that makes a shipped model, still imports and prints its help."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = sorted((ROOT / "benchmarks").glob("[a-z]*.py"))
NO_PROGRAMS = {"gold_blocks", "narrow_truth"}
TRAINING = [
    path
    for path in sorted((ROOT / "topiccrawler/lab/training").glob("[a-z]*.py"))
    if path.stem not in NO_PROGRAMS
]


@pytest.mark.parametrize("script", [*BENCHMARKS, *TRAINING], ids=lambda path: path.stem)
def test_a_program_prints_its_help(script: Path) -> None:
    out = io.StringIO()
    with (
        mock.patch.object(sys, "argv", [str(script), "--help"]),
        mock.patch.object(sys, "path", [str(script.parent), *sys.path]),
        contextlib.redirect_stdout(out),
        pytest.raises(SystemExit) as ended,
    ):
        runpy.run_path(str(script), run_name="__main__")
    assert not ended.value.code
    assert "usage: " in out.getvalue()


@pytest.mark.slow
def test_the_benchmark_of_crawls_says_what_it_is_doing() -> None:
    options = ("--pages", "20", "--hosts", "2", "--rounds", "1", "--strategies", "breadth_first")
    ran = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "crawl.py"), *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told = [re.sub(r"\d+ pages in \d+ s", "", line) for line in ran.stderr.splitlines()]
    assert told == [f"round 1 of 1: {name} … " for name in ("scrapy_bfs", "breadth_first")]
