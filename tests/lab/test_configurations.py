from pathlib import Path

import pytest

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import StrategyError, TopicError
from topiccrawler.lab.configurations import build_all, name_of, parameters_of, parts_of, strategy_of
from topiccrawler.strategies.shark_search import FishSearch


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
    [("nonsense", "unknown"), ("fish_search:width", "width"), ("fish_search:wide=2", "wide")],
)
def test_what_cannot_be_understood_is_one_clear_line(spec: str, fault: str, tea: Path) -> None:
    with pytest.raises(StrategyError, match=fault):
        build_all(Recipe(str(tea), prune=False), [spec], forgiving=[spec])


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
