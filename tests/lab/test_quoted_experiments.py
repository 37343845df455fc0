"""What docs/lab/experiments.md quotes can be typed: its commands parse, its strategies exist, its program runs."""

from __future__ import annotations

import re
import runpy
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.replay.warc import RecordedWeb

PAGE = (Path(__file__).parents[2] / "docs" / "lab" / "experiments.md").read_text(encoding="utf-8")


def commands(text: str) -> list[list[str]]:
    """Every `scrapy compare` in the code blocks, as the words a shell would make of it, without these two."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [shlex.split(line)[2:] for line in lines if line.startswith("scrapy compare ")]


def test_the_quoted_program_keeps_the_pages_within_three_links_of_the_seed(
    record: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Pages 2n and 2n+1 are linked from page n: two, four and eight of them at one, two and three links from page 1."""
    [name] = re.findall(r"^python (\S+) WEB", PAGE, flags=re.MULTILINE)
    script, shallow = Path(__file__).parents[2] / name, tmp_path / "shallow.warc"
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
