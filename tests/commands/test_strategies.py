"""`scrapy strategies`, as it is run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from topiccrawler.crawl.ordering import Ordering
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Page
from topiccrawler.strategies import STRATEGIES, build
from topiccrawler.strategies.base import Knowledge
from topiccrawler.strategies.shared.layers import read_layers

PROJECT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scrapy", "strategies", *arguments]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=120, check=False)


def test_every_strategy_is_listed_with_its_source_and_defaults() -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    named = [line.split()[0] for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert named == list(STRATEGIES)
    assert "Hersovici et al." in done.stdout
    assert "delta=0.5  gamma=" in done.stdout


def test_json_holds_the_card_and_the_defaults_of_the_code() -> None:
    done = run("--json", "shark_search", "jlse")
    shark, jlse = json.loads(done.stdout)
    assert (shark["name"], shark["defaults"]["beta"], shark["needs_link_model"]) == (
        "shark_search",
        0.8,
        False,
    )
    assert shark["idea"].startswith("fish search with shades instead of yes and no")
    assert (jlse["defaults"]["cf"], jlse["needs_link_model"], jlse["expand"]) == (150, True, "relevant")


def test_the_card_of_one_names_how_to_set_its_parameters() -> None:
    done = run("pagerank")
    assert done.stdout.startswith("pagerank: Fetch the link first that important pages point to.\n  Idea: ")
    assert done.stdout.endswith("  -a strategy_damping=0.85\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pagerang"], "strategy 'pagerang': is unknown; did you mean 'pagerank'?"),
        (["--wrong"], "unknown option --wrong"),
        (["--save-layers", "x.json"], "--save-layers and --job go together"),
        (
            ["--save-layers", "x.json", "--job", "nowhere"],
            "job nowhere: has no queue; name the JOBDIR of a crawl",
        ),
    ],
)
def test_what_is_wrong_is_said_and_the_exit_code_is_not_0(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.returncode != 0
    assert said in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_the_layers_of_a_job_are_written_for_another_crawl(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite")
    strategy = build("context_graph", {"first": "1"})
    strategy.prepare(Knowledge())
    ordering = Ordering(strategy, frontier)
    target = Link("http://fund.example/", "fund.example")
    for n in range(25):
        ordering.visit(Page(f"http://list.example/{n}", 1, terms={"目录": 3.0}), [target], float(n))
        if n == 20:
            ordering.visit(
                Page(target.url, 2, terms={"基金": 5.0}, relevance=0.9, is_target=True), [], float(n)
            )
    ordering.checkpoint()
    frontier.close()
    done = run("--save-layers", str(tmp_path / "layers.json"), "--job", str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("layers of 1, 24, 0, 0, 0 pages, 0 to 4 links from the topic: ")
    assert read_layers(tmp_path / "layers.json").documents == [1, 24, 0, 0, 0]
