from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import StrategyError, TopicError
from topiccrawler.lab.configurations import (
    build_all,
    context_of,
    name_of,
    named,
    parameters_of,
    parts_of,
    strategy_of,
)
from topiccrawler.lab.experiment import Plan, reading_plan
from topiccrawler.link_model.from_keywords import keyword_model
from topiccrawler.link_model.model_file import save
from topiccrawler.strategies import STRATEGIES
from topiccrawler.strategies.shark_search import FishSearch
from topiccrawler.text.weights import logistic
from topiccrawler.topics.catalogue import load_topic


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


def test_breadth_and_tunnels_are_the_topics_and_prune_that_run_alone(tea: Path) -> None:
    recipe = Recipe(str(tea), prune=False)
    spec = "ipagerank:c=1:breadth=specific:tunnels=0"
    assert parameters_of(spec) == {"c": "1"}
    gates = [parts_of(recipe, one).gate for one in (spec, "ipagerank:breadth=broad", "ipagerank")]
    assert [(one.threshold, one.tunnel_probability) for one in gates] == [
        (0.75, 0.0),
        (0.25, 0.1),
        (0.0, 0.1),
    ]
    topic = parts_of(recipe, spec).topic
    plain = parts_of(recipe, "ipagerank").topic
    assert topic == plain.model_copy(update={"breadth": "specific", "tunnel_probability": 0.0})
    with pytest.raises(TopicError, match="wide"):
        parts_of(recipe, "ipagerank:breadth=wide")


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("nonsense", "unknown"),
        ("fish_search:width", "width"),
        ("fish_search:wide=2", "wide"),
    ],
)
def test_what_cannot_be_understood_is_one_clear_line(spec: str, fault: str, tea: Path) -> None:
    with pytest.raises(StrategyError, match=fault):
        build_all(Recipe(str(tea), prune=False), [spec], forgiving=[spec])


def test_a_topic_without_a_link_model_is_read_by_window_alone(tea: Path) -> None:
    assert context_of(Recipe(str(tea), prune=False)) == "window"


def test_jlse_reads_the_dom_and_anchors_of_sample_pages_and_without_these_the_link_model(tea: Path) -> None:
    finance, own = Recipe("finance", prune=False), Recipe(str(tea), prune=False)
    for recipe, spec, context, model in (
        (finance, "jlse", "dom", "AnchorBayes"),
        (finance, "jlse:sample_anchors=false", "dom", "LinkClassifier"),
        (finance, "anchor_text", "window", "AnchorBayes"),
        (finance, "anchor_text:sample_anchors=false", "window", "LinkClassifier"),
        (own, "jlse", "dom", "LinkClassifier"),
        (Recipe("finance,health", prune=False), "jlse", "dom", "AnchorBayes"),
    ):
        parts = parts_of(recipe, spec)
        assert (parts.context, type(vars(parts.strategy)["_scorer"]).__name__) == (context, model), spec


def test_the_contexts_that_strategies_read_are_read_from_the_web(tea: Path) -> None:
    def contexts(*specs: str) -> tuple[str, ...]:
        return reading_plan(Plan((), (Recipe(str(tea), prune=False),), (), specs)).contexts

    assert contexts("best_first", "anchor_text") == ("window",)
    assert contexts("best_first", "jlse") == ("window", "dom")


def test_a_configured_threshold_goes_before_the_topics_own(tea: Path) -> None:
    def threshold(**parameters: object) -> float:
        return parts_of(Recipe(str(tea), **parameters), "adaptive").gate.threshold  # type: ignore[arg-type]

    assert threshold(link_models="none") == 0.0
    assert threshold(link_models="none", link_threshold=0.4) == 0.4
    assert threshold(link_models="none", link_threshold=0.4, prune=False) == 0.0


@pytest.mark.slow
def test_the_link_models_own_threshold_holds_where_none_is_given(tmp_path: Path) -> None:
    model = replace(keyword_model(load_topic("food")), gate_threshold=-2.0)
    save(model, tmp_path / "food.json.zst")
    recipe = Recipe("food", link_models=str(tmp_path))
    assert parts_of(recipe, "naive_bayes").gate.threshold == pytest.approx(logistic(-2.0))
    assert parts_of(replace(recipe, link_threshold=0.0), "naive_bayes").gate.threshold == 0.0
    assert parts_of(recipe, "best_first").gate.threshold == 0.0
