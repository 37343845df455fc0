"""A threshold that sets itself where good links part best from poor ones, within bounds and not too soon."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.relevance.own_threshold import BOUND, LEAST_PAGES, PRIOR, STEPS, OwnThreshold


def filled(threshold: float, pages: int = 1000, given: float = 0.15) -> OwnThreshold:
    """Pages of all relevances; the links of those from `threshold` on looked good."""
    own = OwnThreshold(given)
    for number in range(pages):
        relevance = 0.4 * (number * 7919 % 1000) / 1000
        own.add(relevance, 0.9 if relevance >= threshold else 0.2)
    return own


@pytest.mark.parametrize("threshold", [0.1, 0.15, 0.22, 0.28])
def test_it_goes_where_the_links_part(threshold: float) -> None:
    share = 1000 / (1000 + PRIOR)
    expected = math.exp(share * math.log(threshold) + (1 - share) * math.log(0.15))
    assert filled(threshold).value == pytest.approx(expected, rel=BOUND ** (2 / (STEPS - 1)) - 1)


def test_it_stays_before_enough_pages_and_where_links_say_nothing() -> None:
    assert filled(0.25, LEAST_PAGES - 1).value == 0.15
    assert filled(0.25, LEAST_PAGES).value > 0.15
    assert filled(0.0).value == 0.15  # all links look alike
    contrary = OwnThreshold(0.15)
    for number in range(1000):
        contrary.add(0.4 * number / 1000, 0.9 if number < 600 else 0.2)
    assert contrary.value == 0.15  # the less relevant pages had the better links
    assert OwnThreshold(0.15).value == 0.15


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1))
def test_it_stays_within_half_and_twice(pages: list[tuple[float, float]]) -> None:
    own = OwnThreshold(0.2)
    for relevance, expected in pages * LEAST_PAGES:
        own.add(relevance, expected)
    assert 0.2 / BOUND <= own.value <= 0.2 * BOUND


def test_it_is_kept() -> None:
    own = filled(0.25)
    assert OwnThreshold.load(own.save()).value == own.value
    with pytest.raises(ValueError, match="number of steps"):
        OwnThreshold.load({**own.save(), "pages": [1]})
