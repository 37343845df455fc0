"""Kappa and intervals by worked examples."""

import pytest

from topiccrawler.lab.agreement import Share, cohen_kappa, fleiss_kappa, kappa, majority


def test_cohens_kappa_by_hand() -> None:
    """50 pages: both yes 20, first only 5, second only 10, both no 15: P .7, Pe .5·.6 + .5·.4 = .5, kappa .4."""
    first = [True] * 25 + [False] * 25
    second = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    assert cohen_kappa(list(zip(first, second, strict=True))) == pytest.approx(0.4)
    assert cohen_kappa([(True, True), (True, True)]) is None
    assert cohen_kappa([]) is None


def test_fleiss_kappa_by_hand() -> None:
    """Three raters, four pages with 3, 2, 0, 1 yes: P = (1 + 1/3 + 1 + 1/3) / 4 = 2/3, share 1/2, Pe 1/2, kappa 1/3."""
    answers = [[True] * 3, [True, True, False], [False] * 3, [False, True, False]]
    assert fleiss_kappa(answers) == pytest.approx(1 / 3)
    assert fleiss_kappa([[True]]) is None


def test_two_raters_are_cohens_and_only_pages_of_all_count() -> None:
    one, two, three = {"a": True, "b": False, "c": True}, {"a": True, "b": False}, {"b": False, "a": False}
    assert kappa([one]) == ("", None, 0)
    assert kappa([one, two]) == ("Cohen", 1.0, 2)
    assert kappa([one, two, three])[::2] == ("Fleiss", 2)
    assert majority([one, two, three]) == {"a": True, "b": False, "c": True}
    assert majority([one, {"a": False}]) == {"b": False, "c": True}


def test_wilsons_interval_as_published() -> None:
    """8 of 10: .490 to .943."""
    share = Share.of_answers([True] * 8 + [False] * 2)
    assert (share.share, share.yes, share.of) == (0.8, 8, 10)
    assert (share.low, share.high) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert Share.of_answers([]) == Share(0, 0, 0.0, 1.0)
    assert Share.of_answers([True]).high == pytest.approx(1.0)
