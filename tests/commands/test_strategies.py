"""`scrapy strategies`, as it is run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.crawling.ordering import Ordering
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Page
from topiccrawler.strategies import STRATEGIES, build
from topiccrawler.strategies.base import Knowledge
from topiccrawler.strategies.context_graph import read_layers


def test_every_strategy_is_listed_with_its_source_and_defaults(warm_scrapy: Callable[..., Any]) -> None:
    done = warm_scrapy("strategies")
    assert (done.code, done.err) == (0, "")
    named = [line.split()[0] for line in done.out.splitlines() if not line.startswith(" ")]
    assert named == list(STRATEGIES)
    assert "Hersovici et al." in done.out
    assert "delta=0.5  gamma=" in done.out


def test_json_holds_the_card_and_the_defaults_of_the_code(command: Callable[..., Any]) -> None:
    done = command("strategies", "--json", "shark_search", "jlse")
    shark, jlse = json.loads(done.out)
    assert (shark["name"], shark["defaults"]["beta"], shark["needs_link_model"]) == (
        "shark_search",
        0.8,
        False,
    )
    assert shark["idea"].startswith("fish search with shades instead of yes and no")
    assert (jlse["defaults"]["cf"], jlse["needs_link_model"], jlse["expand"]) == (150, True, "relevant")


def test_the_card_of_one_names_how_to_set_its_parameters(command: Callable[..., Any]) -> None:
    done = command("strategies", "pagerank")
    assert done.out.startswith("pagerank: Fetch the link first that important pages point to.\n  Idea: ")
    assert done.out.endswith("  -a strategy_damping=0.85\n")


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
def test_what_is_wrong_is_said_and_the_exit_code_is_not_0(
    command: Callable[..., Any], arguments: list[str], said: str
) -> None:
    done = command("strategies", *arguments)
    assert done.code != 0
    assert said in done.err + done.out
    assert "Traceback" not in done.err


def test_the_layers_of_a_job_are_written_for_another_crawl(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite")
    strategy = build("context_graph", {"first": "1"})
    strategy.prepare(Knowledge())
    ordering = Ordering(strategy, frontier)
    target = Link("http://fund.example/", "fund.example")
    for n in range(25):
        ordering.visit(Page(f"http://list.example/{n}", 1, terms={"目录": 3.0}), [target], float(n))
        if n == 20:
            ordering.visit(
                Page(target.url, 2, terms={"基金": 5.0}, similarity=0.9, is_target=True), [], float(n)
            )
    ordering.checkpoint()
    frontier.close()
    done = command("strategies", "--save-layers", str(tmp_path / "layers.json"), "--job", str(tmp_path))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("layers of 1, 24, 0, 0, 0 pages, 0 to 4 links from the topic: ")
    assert read_layers(tmp_path / "layers.json").documents == [1, 24, 0, 0, 0]
