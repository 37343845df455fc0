"""Worked by hand. Fetched: yes, no, yes, yes, no (5 pages). Oracle: yes, yes, yes, yes, no."""

import pytest

from topiccrawler.lab.measures import Curve, checkpoints, harvest_rate, oracle_ratio, target_recall

CRAWL = Curve.of([True, False, True, True, False])  # 1 1 2 3 3
ORACLE = Curve.of([True, True, True, True, False])  # 1 2 3 4 4


def test_harvest_rate_is_relevant_by_fetched() -> None:
    assert [harvest_rate(CRAWL, n) for n in (1, 2, 4, 5)] == [1.0, 0.5, 0.75, 0.6]


def test_target_recall_is_relevant_by_all_that_can_be_reached() -> None:
    assert [target_recall(CRAWL, n, 4) for n in (1, 3, 5)] == [0.25, 0.5, 0.75]
    assert target_recall(CRAWL, 5, 0) is None


def test_the_oracle_ratio_compares_areas() -> None:
    assert (CRAWL.area(5), ORACLE.area(5)) == (1 + 1 + 2 + 3 + 3, 1 + 2 + 3 + 4 + 4)
    assert oracle_ratio(CRAWL, ORACLE, 5) == 10 / 14
    assert oracle_ratio(CRAWL, ORACLE, 2) == 2 / 3
    assert oracle_ratio(ORACLE, ORACLE, 5) == 1.0
    assert oracle_ratio(CRAWL, Curve.of([False] * 5), 5) is None


def test_a_crawl_that_ran_out_of_pages_keeps_its_count_and_is_still_divided_by_n() -> None:
    short = Curve.of([True, True])  # 1 2, then 2 2 2
    assert short.pages == 2
    assert harvest_rate(short, 5) == 0.4
    assert short.area(5) == 1 + 2 + 2 + 2 + 2
    assert oracle_ratio(short, ORACLE, 5) == 9 / 14
    assert oracle_ratio(CRAWL, short, 5) == 10 / 9  # a strategy may pass the oracle


@pytest.mark.parametrize(
    ("pages", "step", "expected"),
    [(1000, 250, [250, 500, 750, 1000]), (600, 250, [250, 500, 600]), (250, 250, [250]), (10, 250, [10])],
)
def test_checkpoints_are_every_step_and_the_end(pages: int, step: int, expected: list[int]) -> None:
    assert checkpoints(pages, step) == expected
