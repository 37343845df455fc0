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


def test_fields_have_totals_of_their_own() -> None:
    counts = four_links()
    counts.add({"url": ["fund"]}, True, 0.5)
    assert (counts.samples["anchor"], counts.samples["url"]) == ([2.0, 2.0], [0.0, 0.5])


def test_pruning_drops_rare_words_then_those_of_least_weight_and_keeps_totals() -> None:
    pruned = four_links().pruned(least=2, most_words=1)
    assert pruned.pairs("anchor") == [("足球", (2, 0))]
    assert pruned.samples["anchor"] == [2.0, 2.0]
    assert [word for word, _ in four_links().pruned(0, 10).pairs("anchor")] == ["基金", "股票", "足球"]
