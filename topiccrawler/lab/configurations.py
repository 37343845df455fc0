"""Parses the strategies of a comparison, written NAME or NAME:key=value:key=value, and builds them ready to crawl.

Two keys belong to the topic: `breadth` (broad, normal, specific) and `tunnels` (its tunnel probability). They turn on pruning for that
run alone; for the others the gate is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from topiccrawler.crawling import assemble
from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import CrawlerError, ModelError, StrategyError
from topiccrawler.link_model.from_keywords import NONE
from topiccrawler.links.extract import ContextMaker
from topiccrawler.strategies import STRATEGIES, build
from topiccrawler.strategies.base import Strategy
from topiccrawler.topics.topic import make_topic

ALL = "all"
PRUNING = {"breadth": "breadth", "tunnels": "tunnel_probability"}  # key in a spec -> field of the topic


@dataclass(slots=True)
class Configurations:
    """The strategies that can run, and those that cannot, each with the reason."""

    specs: list[str] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)


def named(text: str) -> list[str]:
    """The specs in a user's comma-separated list, each once; `all` means every registered strategy. StrategyError for an empty list."""
    specs: list[str] = []
    for spec in filter(None, (part.strip() for part in text.split(","))):
        specs += list(STRATEGIES) if spec == ALL else [spec]
    if not specs:
        raise StrategyError("--strategies", "names none", f"give {ALL}, or some of: {', '.join(STRATEGIES)}")
    return list(dict.fromkeys(specs))


def strategy_of(spec: str) -> Strategy:
    """Build the strategy written NAME or NAME:key=value:…"""
    return build(name_of(spec), parameters_of(spec))


def name_of(spec: str) -> str:
    """The registered name of the strategy in a spec."""
    return spec.split(":", maxsplit=1)[0]


def parameters_of(spec: str) -> dict[str, str]:
    """The parameters of the strategy in a spec, as text."""
    return {key: value for key, value in _written(spec).items() if key not in PRUNING}


def pruned(recipe: Recipe, spec: str) -> Recipe:
    """The recipe with the breadth and the tunnel probability of the spec, if it has any. TopicError for an invalid value."""
    given = {PRUNING[key]: value for key, value in _written(spec).items() if key in PRUNING}
    if not given:
        return recipe
    topic = make_topic({**assemble.topic_of(recipe).model_dump(), **given}, f"strategy {spec}")
    return replace(recipe, prune=True, topic_fields=topic.model_dump(mode="json"))


def _written(spec: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for part in spec.split(":")[1:]:
        key, equals, value = part.partition("=")
        if not equals:
            raise StrategyError(f"strategy {spec!r}", f"{part!r} is no parameter", "write NAME:key=value")
        parameters[key.strip()] = value.strip()
    return parameters


def build_all(recipe: Recipe, specs: Sequence[str], *, forgiving: Sequence[str] = ()) -> Configurations:
    """Build each strategy once. If one of `forgiving` cannot be built, it is absent; errors of others are raised."""
    found = Configurations()
    for spec in specs:
        strategy_of(spec)
        try:
            parts_of(recipe, spec)
        except CrawlerError as fault:
            if spec not in forgiving:
                raise
            found.absent[spec] = str(fault)
        else:
            found.specs.append(spec)
    return found


def parts_of(recipe: Recipe, spec: str, seed: int = 0) -> Parts:
    """The crawl's parts with the strategy of the spec. A topic's link model is loaded once per process."""
    ready = replace(pruned(recipe, spec), strategy=name_of(spec), parameters=parameters_of(spec), seed=seed)
    return assemble.assemble(ready, lambda one: _model(one.topic, one.link_models))


def context_of(recipe: Recipe) -> ContextMaker:
    """The context maker with which the topic's link model was trained; that of its keywords if there is none."""
    try:
        return _model(recipe.topic, recipe.link_models).context
    except ModelError:
        return _model(recipe.topic, NONE).context


@lru_cache(maxsize=4)
def _model(topic: str, models: str | None) -> assemble.LinkModel:
    recipe = Recipe(topic, link_models=models)
    return assemble.link_model_of(recipe)
