"""The measures of the evaluation table, by hand."""

from __future__ import annotations

import math

import pytest

from topiccrawler.link_model.training.evaluation import divergence, row, threshold_for, threshold_keeping


def test_a_row_counts_hits_at_the_threshold_and_at_the_best_one() -> None:
    found = row("x", [True, True, False, True], [2.0, 0.0, 0.5, -1.0])
    assert (found.precision, found.recall, found.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert (found.best_f1, found.best_threshold) == pytest.approx((6 / 7, -1.0))
    assert found.scores()["samples"] == 4


def test_ties_stand_on_one_side_of_the_threshold() -> None:
    found = row("x", [True, False, False], [1.0, 1.0, 0.0], threshold=0.5)
    assert (found.precision, found.best_f1, found.best_threshold) == (0.5, pytest.approx(2 / 3), 1.0)


def test_an_empty_row_is_zero() -> None:
    found = row("x", [], [])
    assert (found.precision, found.recall, found.f1, found.best_f1) == (0.0, 0.0, 0.0, 0.0)


def test_divergence_is_taken_over_common_words_each_side_normalised() -> None:
    pages, links = {"基金": 3, "股票": 1, "只在页": 9}, {"基金": 1, "股票": 1, "只在链": 5}
    assert divergence(pages, links) == pytest.approx(0.75 * math.log(1.5) + 0.25 * math.log(0.5))
    assert divergence(links, pages) == pytest.approx(0.5 * math.log(0.5 / 0.75) + 0.5 * math.log(2))
    assert divergence(pages, pages) == 0.0
    assert divergence(pages, {"另": 1}) == 0.0


def test_the_threshold_for_a_precision_is_the_lowest_that_gives_it() -> None:
    truth, scores = [True, False, True, True, False], [4.0, 3.0, 2.0, 1.0, 0.0]
    assert threshold_for(truth, scores, 0.75) == 1.0
    assert threshold_for(truth, scores, 0.9) == 4.0
    assert threshold_for([False, True], [1.0, 1.0], 0.9) is None  # a tie is not cut


@pytest.mark.parametrize(("recall", "threshold"), [(1.0, -9.001), (0.9, -2.0), (0.5, 2.0), (0.01, 6.0)])
def test_the_threshold_that_keeps_a_share_is_the_highest(recall: float, threshold: float) -> None:
    scores = [6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0, -1.0, -2.0, -9.0004]
    assert threshold_keeping(scores, recall) == threshold
    assert sum(score >= threshold for score in scores) >= recall * len(scores)
