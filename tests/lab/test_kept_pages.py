"""Worked by hand: ten pages, four on topic, five kept, three of these on topic; one could not be read."""

import pytest

from topiccrawler.crawling.page_filter import Verdict
from topiccrawler.lab.measures import Assessed, Bin, Curve, Kept, Truth, figures, reliability

PAGES = [
    Assessed(True, 0.95, True),
    Assessed(True, 0.75, True),
    Assessed(False, 0.71, True),
    Assessed(True, 0.74, True),
    Assessed(False, 0.55, True),
    Assessed(False, 0.12),
    Assessed(False, 0.16),
    Assessed(False, 0.0),
    Assessed(False, 1.0),  # an alias: as relevant as can be, and not kept
    Assessed(True, None),
]
# bins: .0 (0: 0 of 1), .1 (mean .14: 0 of 2), .5 (.55: 0 of 1), .7 (mean 2.2/3: 2 of 3), .9 (mean .975: 1 of 2); nine pages
ERROR = (1 * 0.0 + 2 * 0.14 + 1 * 0.55 + 3 * (2.2 - 2) / 3 + 2 * 0.475) / 9


def test_precision_recall_and_the_best_by_hand() -> None:
    found = Kept.of(PAGES)
    assert (found.pages, found.precision, found.recall) == (5, 3 / 5, 3 / 4)
    assert found.p_at_25 == 3 / 4, "no more than four are on topic"
    assert found.calibration_error == pytest.approx(ERROR)


def test_only_the_twenty_five_most_relevant_count_among_the_best() -> None:
    """30 kept: of the 25 best 20 on topic, of the rest all; 40 on topic in all. Among equals the first fetched go before."""
    best = [Assessed(at < 20, 0.9, True) for at in range(25)]
    rest = [Assessed(True, 0.3, True)] * 5
    elsewhere = [Assessed(True, 0.1)] * 15
    assert Kept.of([*rest, *elsewhere, *best]).p_at_25 == 20 / 25
    equal = [Assessed(at < 25, 0.5, True) for at in range(30)]
    assert Kept.of(equal).p_at_25 == 1.0


def test_the_bins_are_of_equal_width_and_the_last_has_both_ends() -> None:
    bins = reliability(PAGES)
    assert [(one.start, one.end) for one in bins[:2]] == [(0.0, 0.1), (0.1, 0.2)]
    assert [one.pages for one in bins] == [1, 2, 0, 0, 0, 1, 0, 3, 0, 2]
    assert bins[7].mean_relevance == pytest.approx(2.2 / 3)
    assert (bins[7].on_topic, bins[9].on_topic) == (2 / 3, 1 / 2)
    assert bins[3] == Bin(0.3, 0.4, 0, None, None)
    assert [one.pages for one in reliability([Assessed(True, 0.1), Assessed(True, 0.0999)])][:2] == [1, 1]


def test_a_share_of_nothing_is_none() -> None:
    assert Kept.of([]) == Kept(0, None, None, None, None)
    assert Kept.of([Assessed(False, 0.5)]) == Kept(0, None, None, None, 0.5)
    assert Kept.of([Assessed(True, 0.5)]) == Kept(0, None, 0.0, 0.0, 0.5)


# Pages 0 to 3 are content, 4 is a hub; 0, 1 and 4 are on topic.
TRUTH = Truth(
    "labels", frozenset({0, 1, 4}), frozenset({0, 1}), frozenset(range(5)), {}, frozenset({0, 1, 2, 3})
)
KEEP, DROP = True, False
FIRST = {0: Verdict(0.9, KEEP), 2: Verdict(0.6, KEEP), 4: Verdict(1.0, KEEP), 3: Verdict(0.1, DROP)}
ORACLE = Curve.of([True, True, True])


def test_what_is_kept_is_counted_over_the_pages_fetched() -> None:
    """Fetched 4, 0, 2, 1, 3: 0 is kept second, on topic; 2 third, off. Two content pages on topic can be reached."""
    found = figures([TRUTH.measured([4, 0, 2, 1, 3], FIRST)], ORACLE, TRUTH, 5, [1, 2, 3, 5])
    assert found["kept_precision"] == {"1": None, "2": 1.0, "3": 0.5, "5": 0.5}
    assert found["kept_recall"] == {"1": 0.0, "2": 0.5, "3": 0.5, "5": 0.5}


def test_the_page_classifier_is_not_measured_by_itself() -> None:
    judged = Truth("judge", TRUTH.relevant, frozenset(), TRUTH.reachable)
    assert judged.measured([4, 0], FIRST).assessed is None
