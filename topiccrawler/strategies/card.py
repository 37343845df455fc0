"""Parses the paper card of a strategy from its docstring."""

from __future__ import annotations

import inspect
import re

from topiccrawler.strategies.base import Strategy

PARTS = ("Idea", "Formula", "Parameters", "Reads", "Cost", "But", "Reference")
_PART = re.compile(rf"^({'|'.join(PARTS)}): ", re.MULTILINE)


def card(strategy: type[Strategy]) -> dict[str, str]:
    """Return the parts of a strategy's paper card in their order, each on one line; the first line of the docstring is `Does`."""
    text = inspect.cleandoc(strategy.__doc__ or "")
    does, *rest = _PART.split(text)
    found = {"Does": " ".join(does.split())}
    for name, body in zip(rest[::2], rest[1::2], strict=True):
        found[name] = " ".join(body.split())
    return found
