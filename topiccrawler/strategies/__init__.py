"""The strategies by name. A new one is a file here, named as the strategy, and its name and class in `_CLASSES`."""

from __future__ import annotations

import dataclasses
import difflib
from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from topiccrawler.errors import StrategyError
from topiccrawler.strategies.base import Strategy


class Strategies(UserDict[str, type[Strategy]]):
    """Name -> class. A class is imported when it is asked for: some import scipy, which other crawls do not need."""

    def __getitem__(self, name: str) -> type[Strategy]:
        found: Any = super().__getitem__(name)
        if isinstance(found, str):
            found = self.data[name] = getattr(import_module(f"{__name__}.{name}"), found)
        strategy: type[Strategy] = found
        return strategy


_CLASSES: dict[str, Any] = {
    "breadth_first": "BreadthFirst",
    "depth_first": "DepthFirst",
    "random_order": "RandomOrder",
    "best_first": "BestFirst",
    "seed_selector": "SeedSelector",
    "fish_search": "FishSearch",
    "shark_search": "SharkSearch",
    "backlink": "Backlink",
    "pagerank": "PageRank",
    "hits": "Hits",
    "relevance_weighting": "RelevanceWeighting",
    "ipagerank": "IPageRank",
    "opic": "Opic",
    "opie": "Opie",
    "naive_bayes": "NaiveBayes",
    "link_model": "LinkModel",
    "anchor_text": "AnchorText",
    "jlse": "Jlse",
    "context_graph": "ContextGraph",
    "adaptive": "Adaptive",
}
STRATEGIES = Strategies(_CLASSES)


def build(name: str, parameters: Mapping[str, str] | None = None) -> Strategy:
    """The named strategy with its parameters set from text, as they come from the command line.

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
        values[key] = _value(name, key, text, type(fields[key]))
    return cls(**values)


def parameters_of(cls: type[Strategy]) -> dict[str, Any]:
    """A strategy's parameters and their defaults: the public dataclass fields of the class."""
    return {f.name: f.default for f in dataclasses.fields(cls) if f.init and not f.name.startswith("_")}


def _value(strategy: str, key: str, text: str, kind: type) -> Any:
    try:
        if kind is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        return kind(text)
    except (KeyError, ValueError):
        fault, remedy = f"{strategy} wants {kind.__name__}", f"for example strategy_{key}=0"
        raise StrategyError(f"strategy parameter {key}={text!r}", fault, remedy) from None
