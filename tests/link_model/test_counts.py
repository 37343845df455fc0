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
    log_odds = four_links().log_odds("anchor", "bernoulli")
    assert log_odds == pytest.approx(
        {
            "基金": math.log((3 / 4) / (2 / 4)),
            "股票": math.log((2 / 4) / (1 / 4)),
            "足球": math.log((1 / 4) / (3 / 4)),
        }
    )


def test_multinomial_log_odds_divides_by_tokens_and_vocabulary() -> None:
    log_odds = four_links().log_odds("anchor", "multinomial")
    assert log_odds["基金"] == pytest.approx(math.log((3 / 6) / (2 / 6)))
    assert log_odds["足球"] == pytest.approx(math.log((1 / 6) / (3 / 6)))


def test_complement_log_odds_is_the_multinomial_with_weights_of_one_size() -> None:
    counts = four_links()
    counts.add({"anchor": ["足球", "电影", "汽车"]}, False, 5.0)
    tokens, words = counts.tokens["anchor"], ["基金", "股票", "足球", "电影", "汽车"]
    negative, positive = counts.words["anchor"]
    off = {word: math.log((negative[word] + 1) / (tokens[0] + 5)) for word in words}
    on = {word: math.log((positive[word] + 1) / (tokens[1] + 5)) for word in words}
    size_off, size_on = -sum(off.values()), -sum(on.values())
    mean = (size_off + size_on) / 2
    assert counts.log_odds("anchor", "complement") == pytest.approx(
        {word: mean * (on[word] / size_on - off[word] / size_off) for word in words}
    )
    assert Counts().log_odds("url", "complement") == {}


def test_fields_have_totals_of_their_own() -> None:
    counts = four_links()
    counts.add({"url": ["fund"]}, True, 0.5)
    assert (counts.samples["anchor"], counts.samples["url"]) == ([2.0, 2.0], [0.0, 0.5])
    assert counts.tokens["anchor"] == [3.0, 3.0]


def test_two_halves_merged_are_the_whole() -> None:
    other = Counts()
    other.add({"anchor": ["基金"], "context": ["球"]}, False, 2.5)
    both = four_links()
    both.add({"anchor": ["基金"], "context": ["球"]}, False, 2.5)
    assert four_links().merged(other) == both == other.merged(four_links())


def test_pruning_drops_rare_words_then_those_of_least_weight_and_keeps_totals() -> None:
    pruned = four_links().pruned(least=2, most_words=1)
    assert pruned.pairs("anchor") == [("足球", (2, 0))]
    assert pruned.samples["anchor"] == [2.0, 2.0]
    assert [word for word, _ in four_links().pruned(0, 10).pairs("anchor")] == ["基金", "股票", "足球"]
