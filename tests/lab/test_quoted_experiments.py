"""The comparisons that docs/ quotes can be typed: they parse, and their strategies exist. The program that cuts a web runs."""

from __future__ import annotations

import argparse
import re
import runpy
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scrapy.settings import Settings

from topiccrawler import settings
from topiccrawler.commands.compare import DEFAULTS, Command
from topiccrawler.lab.configurations import name_of, named, strategy_of
from topiccrawler.lab.paper_experiments import fill_in
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.topics.catalogue import load_topic

ROOT = Path(__file__).parents[2]
PAGES = [(ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("measured.md", "papers.md")]


def commands(text: str) -> list[list[str]]:
    """Every `scrapy compare` in the code blocks, as the words a shell would make of it, without these two."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [shlex.split(line)[2:] for line in lines if line.startswith("scrapy compare ")]


def parsed(words: list[str]) -> argparse.Namespace:
    """As the command itself reads them; a word it does not know ends the test."""
    command, parser = Command(), argparse.ArgumentParser(exit_on_error=False)
    command.settings = Settings()
    command.add_options(parser)
    options = parser.parse_args(words)
    if options.experiment:
        fill_in(options, command.settings)
    for name, value in DEFAULTS.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


@pytest.mark.parametrize(
    "words", commands("\n".join(PAGES)), ids=lambda words: words[words.index("--out") + 1]
)
def test_a_quoted_comparison_parses_and_names_only_what_there_is(words: list[str]) -> None:
    options = parsed(words)
    assert all(path.startswith(("WEB/", "OUT/")) for path in [*options.web, *options.labels, options.out])
    assert options.web
    assert options.seeds or options.experiment
    assert options.pages > 0
    for topic in ",".join(options.topic).split(","):
        assert load_topic(topic).name == topic
    specs = named(options.strategies)
    assert [strategy_of(spec).name for spec in specs] == [name_of(spec) for spec in specs]
    for setting in options.set:
        assert hasattr(settings, setting.split("=")[0])


def test_a_web_is_cut_to_the_pages_within_three_links_of_the_seed(
    record: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Pages 2n and 2n+1 are linked from page n: two, four and eight of them at one, two and three links from page 1."""
    script, shallow = ROOT / "benchmarks" / "webs" / "shallow.py", tmp_path / "shallow.warc"
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
