"""Worked by hand on

0 ─> 1 ─> 3 ─> 6*        distances: 6: 0   3: 1   1: 2
0 ─> 2 ─> 4*             4, 5: 0   2: 1   0: 2
     2 ─> 5*             7: no relevant page beyond it
0 ─> 7 ─> 8              8 likewise
"""

from topiccrawler.lab.recorded_web import link_graph, oracle_order

WEB = link_graph([[1, 2, 7], [3], [4, 5], [6], [], [], [], [8], []])
RELEVANT = [4, 5, 6]


def test_the_oracle_fetches_what_is_nearest_to_a_relevant_page() -> None:
    # queued after 0: 1 (2 links), 2 (1), 7 (never). 2 goes first and brings 4 and 5 (0), then 1 -> 3 -> 6, then the rest
    assert oracle_order(WEB, [0], RELEVANT, 100) == [0, 2, 4, 5, 1, 3, 6, 7, 8]


def test_equal_pages_go_first_in_first_out() -> None:
    fan = link_graph([[3, 1, 2], [], [], []])
    assert oracle_order(fan, [0], [1, 2, 3], 10) == [0, 3, 1, 2]
    assert oracle_order(fan, [2, 0], [], 10) == [2, 0, 3, 1]
