"""The measures of the evaluation table, by hand."""

import math

import pytest

from topiccrawler.link_model.training.evaluation import divergence, row


def test_a_row_counts_hits_at_the_threshold_and_at_the_best_one() -> None:
    found = row("x", [True, True, False, True], [2.0, 0.0, 0.5, -1.0])
    assert (found.precision, found.recall, found.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert (found.best_f1, found.best_threshold) == pytest.approx((6 / 7, -1.0))
    assert found.scores()["samples"] == 4


def test_divergence_is_taken_over_common_words_each_side_normalised() -> None:
    pages, links = {"基金": 3, "股票": 1, "只在页": 9}, {"基金": 1, "股票": 1, "只在链": 5}
    assert divergence(pages, links) == pytest.approx(0.75 * math.log(1.5) + 0.25 * math.log(0.5))
    assert divergence(links, pages) == pytest.approx(0.5 * math.log(0.5 / 0.75) + 0.5 * math.log(2))
    assert divergence(pages, pages) == 0.0
    assert divergence(pages, {"另": 1}) == 0.0
