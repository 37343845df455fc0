"""`scrapy strategies`, as it is run."""

import json
from collections.abc import Callable
from typing import Any

from topiccrawler.strategies import STRATEGIES
from topiccrawler.strategies.card import card


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
