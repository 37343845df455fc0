"""The example of docs/parts.md, run as it stands there."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler import strategies
from topiccrawler.strategies import build, parameters_of
from topiccrawler.strategies.card import PARTS, card

DOCS = Path(__file__).resolve().parents[2] / "docs" / "parts.md"
SITE = {
    "hub": (0.3, [("long-name", ""), ("ab", ""), ("abc", "")]),
    "ab": (0.0, [("a", "")]),
    "abc": (0.0, []),
    "long-name": (0.0, []),
    "a": (0.0, []),
}


def test_a_strategy_of_ones_own_is_a_class(
    crawl_order: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = DOCS.read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n# theirs_strategy\.py\n(.*?)```", text, re.DOTALL)
    made: dict[str, Any] = {"__name__": __name__}
    exec(code, made)  # noqa: S102 our own documentation
    monkeypatch.setitem(strategies.STRATEGIES, "short_addresses", made["ShortAddresses"])
    strategy = build("short_addresses", {"most": "24"})
    assert list(card(type(strategy))) == ["Does", *PARTS]
    assert parameters_of(type(strategy)) == {"most": 100}
    assert crawl_order(strategy, SITE, ["hub"]) == ["hub", "ab", "a", "abc"]  # long-name has 25 characters
