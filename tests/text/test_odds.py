"""Log-odds and probabilities."""

import math

import pytest

from topiccrawler.text.weights import logistic


@pytest.mark.parametrize(
    ("log_odds", "expected"), [(0.0, 0.5), (800.0, 1.0), (-800.0, 0.0), (math.log(3), 0.75)]
)
def test_a_probability_never_overflows(log_odds: float, expected: float) -> None:
    assert logistic(log_odds) == pytest.approx(expected)
