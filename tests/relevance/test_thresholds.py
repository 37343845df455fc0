"""Thresholds by hand: where the line lies, what it keeps, and what is done with equal scores."""

import pytest

from topiccrawler.relevance.thresholds import best_threshold, quality, steady_threshold


def test_the_steady_threshold_lies_between_the_sides_of_a_clean_gap_and_is_the_same_again() -> None:
    truths = [True] * 20 + [False] * 20
    scores = [low + n / 200 for low in (0.8, 0.1) for n in range(20)]
    found = steady_threshold(truths, scores)
    assert 0.195 < found < 0.85
    assert quality(truths, scores, found).f1 == 1.0
    assert steady_threshold(truths, scores) == found != steady_threshold(truths, scores, seed=1)


def test_one_stray_example_moves_the_steady_threshold_less_than_the_best() -> None:
    """Nine of ten true ones lie at .6 to .7; keeping the stray one at .3 as well costs no wrong page here."""
    truths = [True] * 10 + [False] * 10
    scores = [0.6 + n / 90 for n in range(9)] + [0.3] + [0.2 - n / 100 for n in range(10)]
    assert best_threshold(truths, scores) == pytest.approx(0.25)
    assert 0.25 < steady_threshold(truths, scores) < 0.6
