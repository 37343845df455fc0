from __future__ import annotations

from pathlib import Path

import pytest

from topiccrawler.crawl.recipe import Recipe
from topiccrawler.errors import StrategyError
from topiccrawler.evaluation.configurations import (
    build_all,
    contexts_of,
    name_of,
    named,
    parameters_of,
    parts_of,
    strategy_of,
)
from topiccrawler.strategies import STRATEGIES
from topiccrawler.strategies.fish_search import FishSearch


def test_all_are_all_registered_strategies_in_their_order() -> None:
    assert named("all") == list(STRATEGIES)
    assert named("best_first, all")[:2] == ["best_first", next(iter(STRATEGIES))]
    assert named("best_first,best_first,") == ["best_first"]


def test_no_strategy_at_all_is_refused() -> None:
    with pytest.raises(StrategyError, match="names none"):
        named(" , ")


def test_parameters_stand_behind_the_name() -> None:
    spec = "fish_search:width=3:depth=2"
    assert (name_of(spec), parameters_of(spec)) == ("fish_search", {"width": "3", "depth": "2"})
    built = strategy_of(spec)
    assert isinstance(built, FishSearch)
    assert (built.width, built.depth) == (3, 2)


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("nonsense", "unknown"),
        ("fish_search:width", "no parameter"),
        ("fish_search:wide=2", "does not have it"),
    ],
)
def test_what_cannot_be_understood_is_one_clear_line(spec: str, fault: str, tea: Path) -> None:
    with pytest.raises(StrategyError, match=fault):
        build_all(Recipe(str(tea), prune=False), [spec], forgiving=[spec])


def test_a_topic_without_a_link_model_is_read_by_window_alone(tea: Path) -> None:
    assert contexts_of(Recipe(str(tea), prune=False)) == ["window"]


def test_a_given_threshold_goes_before_the_topics_own(tea: Path) -> None:
    def threshold(**given: object) -> float:
        return parts_of(Recipe(str(tea), **given), "adaptive").gate.threshold  # type: ignore[arg-type]

    assert threshold(link_models="none") == 0.0
    assert threshold(link_models="none", link_threshold=0.4) == 0.4
    assert threshold(link_models="none", link_threshold=0.4, prune=False) == 0.0
