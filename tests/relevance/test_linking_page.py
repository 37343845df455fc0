"""What the page that links a page does to its relevance."""

from __future__ import annotations

import pytest

from topiccrawler.relevance.base import NEUTRAL, linking_page_factor, with_linking_page


def test_the_formula() -> None:
    assert linking_page_factor(0.45, 0.5) == pytest.approx(2**0.5)  # (.45 + .05) / (.2 + .05) = 2
    assert with_linking_page(0.3, 0.45, 0.5) == pytest.approx(0.3 * 2**0.5)
    assert with_linking_page(0.3, 0.0, 1.0) == pytest.approx(0.3 * 0.2)


def test_a_neutral_page_and_no_weight_change_nothing() -> None:
    assert with_linking_page(0.3, NEUTRAL, 1.0) == pytest.approx(0.3)
    assert with_linking_page(0.3, 0.9, 0.0) == 0.3


@pytest.mark.parametrize(
    ("damaged", "as_if"), [(-5.0, 0.0), (7.0, 1.0), (float("nan"), 0.0), (float("inf"), 1.0)]
)
def test_a_relevance_out_of_range_is_cut(damaged: float, as_if: float) -> None:
    assert linking_page_factor(damaged, 0.5) == linking_page_factor(as_if, 0.5)


def test_it_stays_within_its_bounds_and_rises_with_both() -> None:
    assert with_linking_page(0.0, 1.0, 1.0) == 0.0
    assert with_linking_page(0.9, 1.0, 1.0) == 1.0
    steps = [0.0, 0.1, 0.2, 0.5, 1.0]
    by_linking = [with_linking_page(0.1, linking, 0.5) for linking in steps]
    by_words = [with_linking_page(words, 0.3, 0.5) for words in steps]
    assert by_linking == sorted(set(by_linking))
    assert by_words == sorted(set(by_words))
