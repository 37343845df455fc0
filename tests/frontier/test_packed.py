"""Ranks as integers: the order of (-score, number)."""

from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.frontier.leasing import packed

SCORES = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.integers(0, 2**32 - 1)


@given(st.lists(st.tuples(SCORES, NUMBERS)))
def test_packed_ranks_sort_as_pairs_do(pairs: list[tuple[float, int]]) -> None:
    by_pair = sorted(pairs, key=lambda pair: (-pair[0], pair[1]))
    assert sorted(packed(*pair) for pair in pairs) == [packed(*pair) for pair in by_pair]
