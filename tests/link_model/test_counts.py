"""Counts: the paper's ratios by hand, sums, and pruning."""

from __future__ import annotations

import math

import pytest

from topiccrawler.link_model.classifier import Counts


def four_links() -> Counts:
    """+ {基金 股票}, + {基金}; - {足球}, - {足球 基金}."""
    counts = Counts()
    counts.add({"anchor": ["基金", "股票"]}, True)
    counts.add({"anchor": ["基金"]}, True)
    counts.add({"anchor": ["足球"]}, False)
    counts.add({"anchor": ["足球", "基金"]}, False)
    return counts


def test_bernoulli_log_odds_is_the_papers_ratio() -> None:
    log_odds = four_links().log_odds("anchor")
    assert log_odds == pytest.approx(
        {
            "基金": math.log((3 / 4) / (2 / 4)),
            "股票": math.log((2 / 4) / (1 / 4)),
            "足球": math.log((1 / 4) / (3 / 4)),
        }
    )
