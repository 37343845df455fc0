"""The program that cuts a recorded web to the pages near its seed."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.replay.warc import RecordedWeb


def test_a_web_is_cut_to_the_pages_within_three_links_of_the_seed(
    record: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Pages 2n and 2n+1 are linked from page n: two, four and eight of them at one, two and three links from page 1."""
    script = Path(__file__).parents[2] / "benchmarks" / "webs" / "shallow.py"
    shallow = tmp_path / "shallow.warc"
    urls = {number: f"http://h{number % 3}.example/{number}/" for number in range(1, 32)}
    whole = record(
        {
            url: "".join(f"<a href={urls[to]}>{to}</a>" for to in (2 * number, 2 * number + 1) if to in urls)
            for number, url in urls.items()
        }
    )
    monkeypatch.setattr(sys, "argv", [script.name, str(whole), urls[1], str(shallow)])
    runpy.run_path(str(script), run_name="__main__")

    assert [int(line.split()[2]) for line in capsys.readouterr().out.splitlines()] == [3, 7, 15]
    assert sorted(RecordedPages(RecordedWeb([shallow])).urls) == sorted(urls[n] for n in range(1, 16))
