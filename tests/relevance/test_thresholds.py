"""Thresholds by hand: where the line lies, what it keeps, and what is done with equal scores."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from topiccrawler.relevance.thresholds import (
    Quality,
    best_threshold,
    quality,
    steady_threshold,
    threshold_at_precision,
)

TRUTHS = [True, True, False, True, False, False]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.1]


def test_quality_counts_what_is_kept_and_what_is_true() -> None:
    assert quality(TRUTHS, SCORES, 0.65) == Quality(2 / 3, 2 / 3, 2 / 3, 3, 6)
    assert quality(TRUTHS, SCORES, 0.95) == Quality(0.0, 0.0, 0.0, 3, 6)
    assert quality([], [], 0.5) == Quality(0.0, 0.0, 0.0, 0, 0)


def test_the_best_threshold_lies_half_way_between_the_two_examples_it_parts() -> None:
    """Keeping four gives P 3/4, R 1, F1 6/7; keeping two 4/5."""
    assert best_threshold(TRUTHS, SCORES) == pytest.approx(0.55)
    assert quality(TRUTHS, SCORES, 0.55).f1 == pytest.approx(6 / 7)


def test_an_asked_precision_keeps_as_much_as_it_can() -> None:
    assert threshold_at_precision(TRUTHS, SCORES, 1.0) == pytest.approx(0.75)
    assert threshold_at_precision(TRUTHS, SCORES, 0.75) == pytest.approx(0.55)
    assert threshold_at_precision(TRUTHS, SCORES, 0.5) == pytest.approx(0.1)


def test_a_precision_no_line_reaches_is_none() -> None:
    assert threshold_at_precision([False, True], [0.9, 0.1], 0.8) is None
    assert threshold_at_precision([False], [0.9], 0.1) is None


def test_equal_scores_are_never_parted() -> None:
    assert best_threshold([True, False, True], [0.5, 0.5, 0.2]) == 0.2
    assert threshold_at_precision([True, False], [0.5, 0.5], 1.0) is None


def test_without_a_positive_example_there_is_no_threshold() -> None:
    with pytest.raises(ValueError, match="positive"):
        best_threshold([False], [0.3])


PAIRS = st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=40)


@example([(True, 5e-324), (True, 5e-324), (False, 0.0)])
@given(PAIRS)
def test_no_other_line_is_better_than_the_best(pairs: list[tuple[bool, float]]) -> None:
    truths, scores = [truth for truth, _ in pairs], [score for _, score in pairs]
    if any(truths):
        best = quality(truths, scores, best_threshold(truths, scores)).f1
        assert best >= max(quality(truths, scores, score).f1 for score in scores) - 1e-12
        asked = threshold_at_precision(truths, scores, 0.7)
        assert asked is None or quality(truths, scores, asked).precision >= 0.7


def test_the_steady_threshold_lies_between_the_sides_of_a_clean_gap_and_is_the_same_again() -> None:
    truths, scores = (
        [True] * 20 + [False] * 20,
        [0.8 + n / 200 for n in range(20)] + [0.1 + n / 200 for n in range(20)],
    )
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


def test_a_steady_threshold_needs_a_positive_example() -> None:
    with pytest.raises(ValueError, match="no positive"):
        steady_threshold([False], [0.5])
