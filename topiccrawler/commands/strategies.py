"""`scrapy strategies`: the strategies, each with its idea, source and parameters, read from the code.

A list kept beside the code is soon wrong. So everything shown comes from the class itself: its docstring and its fields.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from typing import Any

from topiccrawler.engine.command import ReportingCommand


class Command(ReportingCommand):
    """The command `scrapy strategies`: lists all strategies, or describes the named ones."""

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.strategies import STRATEGIES, build

        for name in args:
            build(name)  # an unknown name ends the command
        cards = [_described(name) for name in args or STRATEGIES]
        lines = (line for one in cards for line in (_card if args else _lines)(one))
        self.report(opts, cards, "\n".join(lines))


def _described(name: str) -> dict[str, Any]:
    from topiccrawler.strategies import STRATEGIES, parameters_of
    from topiccrawler.strategies.card import card

    strategy = STRATEGIES[name]
    return {
        "name": name,
        **{part.lower(): text for part, text in card(strategy).items()},
        "defaults": parameters_of(strategy),
        "needs_link_model": strategy.needs_link_scorer,
        "expand": strategy.expand,
    }


def _lines(described: dict[str, Any]) -> Iterator[str]:
    settable = "  ".join(f"{key}={value}" for key, value in described["defaults"].items())
    yield f"{described['name']:<20} {described['does']}"
    yield from (f"{'':<20} {more}" for more in (described["reference"], settable) if more)


def _card(described: dict[str, Any]) -> Iterator[str]:
    yield f"{described['name']}: {described['does']}"
    for part in ("idea", "formula", "parameters", "reads", "cost", "but", "reference"):
        text = f"{part.capitalize()}: {described[part]}"
        yield textwrap.fill(text, 100, initial_indent="  ", subsequent_indent="      ")
    yield from (f"  -a strategy_{key}={value}" for key, value in described["defaults"].items())
