"""The orderings by name. A new one is a file here and a line in `STRATEGIES`."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any

from topiccrawler.errors import StrategyError
from topiccrawler.strategies.base import Strategy
from topiccrawler.strategies.best_first import BestFirst
from topiccrawler.strategies.breadth_first import BreadthFirst
from topiccrawler.strategies.naive_bayes import NaiveBayes

STRATEGIES: dict[str, type[Strategy]] = {
    strategy.name: strategy
    for strategy in (
        BreadthFirst,
        BestFirst,
        NaiveBayes,
    )
}


def build(name: str, parameters: Mapping[str, str] | None = None) -> Strategy:
    """The named strategy with its parameters set from text, as they come from the command line.

    Raises StrategyError for an unknown name, an unknown parameter, or a value of the wrong type.
    """
    if name not in STRATEGIES:
        near = difflib.get_close_matches(name, STRATEGIES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise StrategyError(
            f"strategy {name!r}", "is unknown", f"{hint}choose one of: {', '.join(sorted(STRATEGIES))}"
        )
    cls = STRATEGIES[name]
    fields = parameters_of(cls)
    values: dict[str, Any] = {}
    for key, text in (parameters or {}).items():
        if key not in fields:
            known = ", ".join(f"strategy_{field}" for field in fields) or "none"
            raise StrategyError(
                f"strategy parameter {key!r}", f"{name} does not have it", f"its parameters: {known}"
            )
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
        raise StrategyError(
            f"strategy parameter {key}={text!r}",
            f"{strategy} wants {kind.__name__}",
            f"for example strategy_{key}=0",
        ) from None
