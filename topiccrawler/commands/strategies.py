"""`scrapy strategies`: the strategies, each with its idea, source and parameters, read from the code.

A list kept beside the code is soon wrong. So everything shown comes from the class itself: its docstring and its fields.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import Any

from topiccrawler.engine.faults import ReportingCommand


class Command(ReportingCommand):
    """The command's options and its steps."""

    usage = "[NAME...]"
    summary = "List the strategies: idea, source, parameters"
    details = (
        "With NAME the whole card of that strategy. A parameter is set by `scrapy crawl topic -a strategy=NAME "
        "-a strategy_PARAMETER=value`."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="print JSON")

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        self.refuse_options(args)

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        _show(args, as_json=opts.json)


def _show(names: list[str], *, as_json: bool) -> None:
    from topiccrawler.strategies import STRATEGIES, build

    for name in names:
        build(name)  # an unknown name ends the command
    cards = [_described(name) for name in names or STRATEGIES]
    if as_json:
        print(json.dumps(cards, ensure_ascii=False))
        return
    for described in cards:
        (_print_card if names else _print_line)(described)


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


def _print_line(described: dict[str, Any]) -> None:
    settable = "  ".join(f"{key}={value}" for key, value in described["defaults"].items())
    print(f"{described['name']:<20} {described['does']}")
    print(f"{'':<20} {described['reference']}")
    if settable:
        print(f"{'':<20} {settable}")


def _print_card(described: dict[str, Any]) -> None:
    print(f"{described['name']}: {described['does']}")
    for part in ("idea", "formula", "parameters", "reads", "cost", "but", "reference"):
        text = f"{part.capitalize()}: {described[part]}"
        print(textwrap.fill(text, 100, initial_indent="  ", subsequent_indent="      "))
    for key, value in described["defaults"].items():
        print(f"  -a strategy_{key}={value}")
