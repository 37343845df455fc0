"""The scale that all page classifiers share: from a similarity to a probability and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.relevance.base import EVEN, relevance_of, similarity_of

SIMILARITY = st.floats(0.0, 1.0)
THRESHOLD = st.floats(0.01, 0.99)


@pytest.mark.parametrize(
    ("similarity", "threshold", "relevance"),
    [
        (0.15, 0.15, 0.5),
        (0.3, 0.15, 8 / 9),  # 1 / (1 + (1/2)³)
        (0.1, 0.2, 1 / 9),  # 1 / (1 + 2³)
        (0.2, 0.15, 64 / 91),  # 1 / (1 + (3/4)³)
        (0.0, 0.15, 0.0),
        (-0.1, 0.15, 0.0),
        (0.0, 0.0, 1.0),  # everything is kept
        (0.3, 0.0, 1.0),
        (1e-300, 0.5, 0.0),
    ],
)
def test_relevance_by_hand(similarity: float, threshold: float, relevance: float) -> None:
    assert relevance_of(similarity, threshold) == pytest.approx(relevance, abs=1e-12)


@pytest.mark.parametrize(
    ("relevance", "threshold", "similarity"),
    [
        (0.5, 0.15, 0.15),
        (8 / 9, 0.15, 0.3),
        (1 / 9, 0.2, 0.1),
        (0.0, 0.15, 0.0),
        (-1.0, 0.15, 0.0),
        (1.0, 0.15, 1.0),
        (7.0, 0.15, 1.0),
    ],
)
def test_similarity_by_hand(relevance: float, threshold: float, similarity: float) -> None:
    assert similarity_of(relevance, threshold) == pytest.approx(similarity, abs=1e-12)


@given(SIMILARITY, SIMILARITY, THRESHOLD)
def test_what_is_more_similar_is_at_least_as_relevant_and_the_same_is_kept(
    one: float, other: float, threshold: float
) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= relevance_of(low, threshold) <= relevance_of(high, threshold) <= 1.0
    assert (relevance_of(one, threshold) >= EVEN) == (one >= threshold) or one == pytest.approx(threshold)
