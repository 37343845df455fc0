"""Ranks as integers: the order of (-score, number)."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.frontier.leasing import packed, packed_all

SCORES = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.integers(0, 2**32 - 1)


@given(st.lists(st.tuples(SCORES, NUMBERS)))
def test_packed_ranks_sort_as_pairs_do(pairs: list[tuple[float, int]]) -> None:
    by_pair = sorted(pairs, key=lambda pair: (-pair[0], pair[1]))
    assert sorted(packed(*pair) for pair in pairs) == [packed(*pair) for pair in by_pair]


@given(SCORES, NUMBERS, SCORES, NUMBERS)
def test_ranks_are_equal_only_of_equal_pairs(one: float, first: int, other: float, second: int) -> None:
    assert (packed(one, first) == packed(other, second)) == ((one, first) == (other, second))


@given(st.lists(st.tuples(SCORES, NUMBERS)))
def test_many_are_packed_as_each_is(pairs: list[tuple[float, int]]) -> None:
    scores, numbers = (
        np.array([score for score, _ in pairs]),
        np.array([number for _, number in pairs], dtype=np.uint32),
    )
    assert packed_all(scores, numbers) == [packed(*pair) for pair in pairs]
