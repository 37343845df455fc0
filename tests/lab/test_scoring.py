"""Worked by hand: two runs of four pages, relevant 0 and 1; found 1 1 2 2 and 0 1 1 1; oracle 1 2 2 2, area 7."""

import pytest

from topiccrawler.lab.measures import Curve, Truth, band, figures, mean

SITES = {0: "a.example", 1: "b.example"}
TRUTH = Truth("labels", frozenset({0, 1}), frozenset({1}), frozenset({0, 1, 2, 3, 9}), SITES)
ORACLE = Curve.of([True, True, False, False])


def test_one_run_is_given_as_it_is() -> None:
    found = figures([TRUTH.measured([0, 2, 1, 3])], ORACLE, TRUTH, 4, [2, 4])
    assert found == {
        "harvest_rate": {"2": 0.5, "4": 0.5},
        "target_recall": {"2": 0.5, "4": 1.0},
        "content_harvest_rate": {"2": 0.0, "4": 0.25},
        "content_target_recall": {"2": 0.0, "4": 1.0},
        "oracle_ratio": round(6 / 7, 6),
        "pages_to_half": 1,
        "relevant_sites": 2,
        "off_topic_share": 0.5,
        "pages": 4,
    }


def test_several_runs_are_their_mean_with_a_band() -> None:
    found = figures([TRUTH.measured([0, 2, 1, 3]), TRUTH.measured([2, 0, 3])], ORACLE, TRUTH, 4, [4])
    assert found["harvest_rate"] == {"4": (0.5 + 0.25) / 2}
    assert found["oracle_ratio"] == round((6 / 7 + 3 / 7) / 2, 6)
    assert (found["pages"], found["runs"]) == (3.5, 2)
    assert (found["pages_to_half"], found["relevant_sites"]) == (1.5, 1.5)
    assert found["off_topic_share"] == round((1 / 2 + 2 / 3) / 2, 6)
    low, high = found["band"]["oracle_ratio"]
    assert low < found["oracle_ratio"] < high


def test_the_band_is_the_interval_of_the_mean_by_students_t() -> None:
    # mean 2, s 1, n 3: 2 ± 4.302653 · 1/√3
    assert band([1.0, 2.0, 3.0]) == pytest.approx([2 - 2.484138, 2 + 2.484138], abs=1e-5)
    assert band([1.0]) is None
    assert band([None, 1.0]) is None


def test_what_cannot_be_measured_is_none() -> None:
    nowhere = Truth("judge", frozenset(), frozenset(), frozenset({0}))
    found = figures([nowhere.measured([0])], Curve.of([False]), nowhere, 2, [2])
    assert found == {
        "harvest_rate": {"2": 0.0},
        "target_recall": {"2": None},
        "oracle_ratio": None,
        "pages_to_half": None,
        "relevant_sites": 0,
        "off_topic_share": 1.0,
        "pages": 1,
    }
    assert mean([None, 1.0]) is None


def test_half_is_found_where_the_count_first_reaches_it_and_never_when_it_does_not() -> None:
    truth = Truth("labels", frozenset({0, 1, 2}), frozenset(), frozenset({0, 1, 2, 3}))

    def to_half(order: list[int]) -> int | None:
        found: int | None = figures([truth.measured(order)], ORACLE, truth, 4)["pages_to_half"]
        return found

    assert [to_half(order) for order in ([3, 0, 1, 2], [0, 1, 2], [3, 0], [])] == [3, 2, None, None]
