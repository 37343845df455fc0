"""What docs/lab/experiments.md quotes can be typed: its commands parse, its strategies exist, its program runs."""

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
from topiccrawler.strategies import STRATEGIES
from topiccrawler.topics.catalogue import load_topic

PAGE = (Path(__file__).parents[2] / "docs" / "lab" / "experiments.md").read_text(encoding="utf-8")
SECTIONS = dict(part.split("\n", maxsplit=1) for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:])


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
    given = parser.parse_args(words)
    if given.experiment:
        fill_in(given, command.settings)
    for name, value in DEFAULTS.items():
        if getattr(given, name) is None:
            setattr(given, name, value)
    return given


def spec_of(cell: str) -> str | None:
    """The strategy a table's row is about, when it is about one."""
    found = re.fullmatch(r"`([a-z_]+(?::[a-z_]+=[^`]+)?)`", cell)
    return found[1] if found and name_of(found[1]) in STRATEGIES else None


def test_every_section_that_compares_strategies_quotes_its_commands() -> None:
    assert [len(commands(text)) > 0 for text in SECTIONS.values()].count(True) >= 4
    assert len({parsed(words).out for words in commands(PAGE)}) == len(commands(PAGE))


@pytest.mark.parametrize("words", commands(PAGE), ids=lambda words: words[words.index("--out") + 1])
def test_a_quoted_comparison_parses_and_names_only_what_there_is(words: list[str]) -> None:
    given = parsed(words)
    assert all(path.startswith(("WEB/", "OUT/")) for path in [*given.web, *given.labels, given.out])
    assert given.web
    assert given.seeds or given.experiment
    assert given.pages > 0
    for topic in ",".join(given.topic).split(","):
        assert load_topic(topic).name == topic
    specs = named(given.strategies)
    assert [strategy_of(spec).name for spec in specs] == [name_of(spec) for spec in specs]
    for setting in given.set:
        assert hasattr(settings, setting.split("=")[0])


@pytest.mark.parametrize("title", SECTIONS)
def test_every_strategy_in_a_table_is_run_by_a_command_of_its_section(title: str) -> None:
    rows = [line.strip("|").split("|") for line in SECTIONS[title].splitlines() if line.startswith("|")]
    shown = {spec for row in rows if (spec := spec_of(row[0].strip()))}
    run = {spec for words in commands(SECTIONS[title]) for spec in named(parsed(words).strategies)}
    assert shown <= run


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


@pytest.mark.parametrize("report", ["models/finance.txt", "models/paper/finance.txt"])
def test_the_evaluation_table_says_what_the_report_of_the_shipped_model_says(report: str) -> None:
    rows = PAGE.partition(f"| `{report}` |")[2].partition("\n\n")[0].splitlines()[2:]
    shown = {
        cells[1].split(":")[0].split(",")[0].strip(): cells[2:8] for row in rows if (cells := row.split("|"))
    }
    text = (Path(__file__).parents[2] / report).read_text(encoding="utf-8")
    found = {
        (how, name): figures.split()[:3]
        for how, name, figures in re.findall(
            r"^(links|hosts): (group \d|pages|dictionary|model) +(.*)$", text, re.MULTILINE
        )
    }
    for name, figures in shown.items():
        row = name.replace("nothing", "dictionary")
        expected = [number.lstrip("0") for how in ("links", "hosts") for number in found[how, row]]
        assert [figure.strip() for figure in figures] == expected
    assert {"group 1", "group 2", "pages", "nothing"} <= shown.keys()
