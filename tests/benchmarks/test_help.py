"""Every benchmark, and every program that makes a shipped model, still imports and prints its help."""

from __future__ import annotations

import contextlib
import io
import runpy
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
