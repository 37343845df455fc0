"""Counts: the paper's ratios by hand, sums, and pruning."""

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
    ratios = {"基金": (3 / 4) / (2 / 4), "股票": (2 / 4) / (1 / 4), "足球": (1 / 4) / (3 / 4)}
    expected = {word: math.log(ratio) for word, ratio in ratios.items()}
    assert four_links().log_odds("anchor") == pytest.approx(expected)
