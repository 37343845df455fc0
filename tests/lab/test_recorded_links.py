from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.lab.recorded_web import NOWHERE, LinkTable


def test_a_page_has_its_distinct_links_in_document_order() -> None:
    table = LinkTable([[2, 1, 2], [], [0]])
    assert [list(table[page]) for page in range(3)] == [[2, 1], [], [0]]
    assert (len(table), table.links) == (3, 3)


def test_reachable_are_the_seeds_and_what_they_lead_to() -> None:
    table = LinkTable([[1], [2], [0], [0], []])
    assert table.reachable([1]) == {0, 1, 2}
    assert table.reachable([3, 4]) == {0, 1, 2, 3, 4}
    assert table.reachable([]) == set()


@given(st.lists(st.lists(st.integers(0, 7), max_size=5), min_size=8, max_size=8), st.sets(st.integers(0, 7)))
def test_a_distance_is_one_more_than_the_least_of_its_links(
    rows: list[list[int]], relevant: set[int]
) -> None:
    table = LinkTable(rows)
    steps = table.distances(relevant)
    for page, row in enumerate(rows):
        beyond = [steps[target] for target in row if steps[target] != NOWHERE]
        expected = 0 if page in relevant else min(beyond) + 1 if beyond else NOWHERE
        assert steps[page] == expected
