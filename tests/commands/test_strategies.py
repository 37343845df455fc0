"""`scrapy strategies`, as it is run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from topiccrawler.strategies import STRATEGIES
from topiccrawler.strategies.card import card


def test_every_strategy_is_listed_with_its_source_and_defaults(forked_scrapy: Callable[..., Any]) -> None:
    done = forked_scrapy("strategies")
    assert (done.code, done.err) == (0, "")
    named = [line.split()[0] for line in done.out.splitlines() if not line.startswith(" ")]
    assert named == list(STRATEGIES)
    assert card(STRATEGIES["shark_search"])["Reference"] in done.out
    assert "delta=0.5  gamma=" in done.out


def test_json_holds_the_card_and_the_defaults_of_the_code(command: Callable[..., Any]) -> None:
    done = command("strategies", "--json", "shark_search", "jlse")
    shark, jlse = json.loads(done.out)
    assert (shark["name"], shark["defaults"]["beta"], shark["needs_link_model"]) == (
        "shark_search",
        0.8,
        False,
    )
    assert shark["idea"] == card(STRATEGIES["shark_search"])["Idea"]
    assert (jlse["defaults"]["cf"], jlse["needs_link_model"], jlse["expand"]) == (150, True, "relevant")


def test_the_card_of_one_names_how_to_set_its_parameters(command: Callable[..., Any]) -> None:
    done = command("strategies", "pagerank")
    assert done.out.startswith(f"pagerank: {card(STRATEGIES['pagerank'])['Does']}\n  Idea: ")
    assert done.out.endswith("  -a strategy_damping=0.85\n")
