"""The example of docs/strategies.md, run as it stands there."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from topiccrawler import strategies
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies import build, parameters_of
from topiccrawler.strategies.base import Strategy, check_range
from topiccrawler.strategies.card import PARTS, card

DOCS = Path(__file__).resolve().parents[2] / "docs" / "strategies.md"
SITE = {
    "hub": (0.3, [("long-name", ""), ("ab", ""), ("abc", "")]),
    "ab": (0.0, [("a", "")]),
    "abc": (0.0, []),
    "long-name": (0.0, []),
    "a": (0.0, []),
}


def test_a_strategy_of_ones_own_is_a_class_and_a_line(
    crawl_order: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    [code] = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    configured: dict[str, Any] = {
        "__name__": __name__,
        "dataclass": dataclass,
        "ClassVar": ClassVar,
        "Iterable": Iterable,
        "Sequence": Sequence,
        "Strategy": Strategy,
        "Link": Link,
        "Page": Page,
        "Score": Score,
        "check_range": check_range,
    }
    exec(code, configured)  # noqa: S102 our own documentation
    monkeypatch.setitem(strategies.STRATEGIES, "short_addresses", configured["ShortAddresses"])
    strategy = build("short_addresses", {"factor": "2"})
    assert list(card(type(strategy))) == ["Does", *PARTS]
    assert parameters_of(type(strategy)) == {"factor": 1.0}
    assert crawl_order(strategy, SITE, ["hub"]) == ["hub", "ab", "a", "abc", "long-name"]
