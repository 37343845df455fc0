"""Looks up crawl strategies by name and builds them with their parameters.

To add a strategy, put its class in a file of this folder and add a line to `_CLASSES` with its name, file and class. A strategy of
another installed package is found by its entry point in the group `topiccrawler.strategies`.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any

from topiccrawler.entry_points import named, part
from topiccrawler.errors import StrategyError
from topiccrawler.strategies.base import Strategy


class Strategies(UserDict[str, type[Strategy]]):
    """Strategy name -> class. A class is imported on first access, because some import scipy, which other crawls do not need."""

    def __getitem__(self, name: str) -> type[Strategy]:
        found: Any = super().__getitem__(name)
        if isinstance(found, str):
            module, _, kind = found.partition(":")
            found = self.data[name] = getattr(import_module(f"{__name__}.{module}"), kind)
        elif isinstance(found, EntryPoint):
            found = self.data[name] = _loaded(found)
        strategy: type[Strategy] = found
        return strategy


_CLASSES: dict[str, Any] = {
    "breadth_first": "baselines:BreadthFirst",
    "depth_first": "baselines:DepthFirst",
    "random_order": "baselines:RandomOrder",
    "best_first": "baselines:BestFirst",
    "seed_selector": "seed_selector:SeedSelector",
    "fish_search": "shark_search:FishSearch",
    "shark_search": "shark_search:SharkSearch",
    "backlink": "backlink:Backlink",
    "pagerank": "graph_ranks:PageRank",
    "hits": "graph_ranks:Hits",
    "relevance_weighting": "shark_search:RelevanceWeighting",
    "ipagerank": "graph_ranks:IPageRank",
    "opic": "graph_ranks:Opic",
    "opie": "graph_ranks:Opie",
    "naive_bayes": "naive_bayes:NaiveBayes",
    "link_model": "link_model:LinkModel",
    "anchor_text": "baselines:AnchorText",
    "jlse": "jlse:Jlse",
    "context_graph": "context_graph:ContextGraph",
    "adaptive": "adaptive:Adaptive",
}
GROUP = "topiccrawler.strategies"
STRATEGIES = Strategies(dict[str, Any](named(GROUP)) | _CLASSES)


def build(name: str, parameters: Mapping[str, str] | None = None) -> Strategy:
    """Return the named strategy, with parameters converted from the text of the command line.

    Raises StrategyError for an unknown name, an unknown parameter, or a value of the wrong type.
    """
    if name not in STRATEGIES:
        near = difflib.get_close_matches(name, STRATEGIES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        names = ", ".join(sorted(STRATEGIES))
        raise StrategyError(f"strategy {name!r}", "is unknown", f"{hint}choose one of: {names}")
    cls = STRATEGIES[name]
    fields = parameters_of(cls)
    values: dict[str, Any] = {}
    for key, text in (parameters or {}).items():
        if key not in fields:
            remedy = f"its parameters: {', '.join(f'strategy_{field}' for field in fields) or 'none'}"
            raise StrategyError(f"strategy parameter {key!r}", f"{name} does not have it", remedy)
        values[key] = _value(name, key, text, fields[key])
    return cls(**values)


def parameters_of(cls: type[Strategy]) -> dict[str, Any]:
    """Return the parameters of a strategy with their defaults: the public dataclass fields of its class."""
    return {f.name: f.default for f in dataclasses.fields(cls) if f.init and not f.name.startswith("_")}


def _loaded(point: EntryPoint) -> type[Strategy]:
    """Import the strategy of another package. Raises StrategyError when that fails or the object is no strategy class."""
    what = f"strategy {point.name!r}"
    found = part(point, what, StrategyError)
    if not (isinstance(found, type) and issubclass(found, Strategy)):
        fault = "is no class derived from topiccrawler.strategies.base.Strategy"
        raise StrategyError(what, fault, f"correct the entry point {point.value} of its package")
    return found


def _value(strategy: str, key: str, text: str, default: Any) -> Any:
    kind = type(default)
    try:
        if kind is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        return kind(text)
    except (KeyError, ValueError):
        fault, remedy = f"{strategy} wants {kind.__name__}", f"for example strategy_{key}={default}"
        raise StrategyError(f"strategy parameter {key}={text!r}", fault, remedy) from None
