"""The share of pages found, by the overlap of crawls: examples by hand, and drawings from an urn whose size is known."""

import random
from math import exp, log, sqrt

import pytest

from topiccrawler.results.share_found import share_found


def numbered(*ranges: range) -> list[set[str]]:
    return [set(map(str, one)) for one in ranges]


def test_two_crawls_as_chapman_has_it() -> None:
    found = share_found(numbered(range(10), range(5, 20)))  # 10 and 15 pages, 5 in both
    assert (found.pages, found.found, found.common) == ((10, 15), 20, 5)
    assert found.all_pages == pytest.approx(11 * 16 / 6 - 1)
    assert found.share == pytest.approx(20 / (11 * 16 / 6 - 1))
    assert found.share_of(0) == pytest.approx(10 / (11 * 16 / 6 - 1))
    # f0 = 8.33, variance = 11·16·5·10 / (6²·7) = 34.92; c = exp(1.96 √log(1 + 34.92 / 8.33²)) = 3.494
    assert (found.low, found.high) == (pytest.approx(20 + 8.333 / 3.494, rel=2e-3), pytest.approx(20 + 8.333 * 3.494, rel=2e-3))  # fmt: skip
    low, high = found.interval
    assert low < found.share < high < 1


def test_of_three_crawls_all_pairs_count() -> None:
    found = share_found(numbered(range(10), range(5, 20), range(8, 22)))  # in common: 5, 2 and 12
    assert (found.found, found.common, found.apart) == (22, 15, False)
    assert found.all_pages == pytest.approx((11 * 16 + 11 * 15 + 16 * 15) / (5 + 2 + 12 + 3) - 1)
    spread = 11 * 16 * 5 * 10 + 11 * 15 * 8 * 12 + 16 * 15 * 3 * 2
    missing = found.all_pages - 22
    factor = exp(1.96 * sqrt(log(1 + 3 * spread / (22**2 * 25) / missing**2)))
    assert (found.low, found.high) == (
        pytest.approx(22 + missing / factor),
        pytest.approx(22 + missing * factor),
    )


def test_crawls_that_have_nearly_nothing_in_common_are_apart() -> None:
    assert share_found(numbered(range(100), range(96, 300))).apart
    assert not share_found(numbered(range(100), range(95, 300))).apart
    assert share_found(numbered(range(100), range(50, 150), range(149, 250))).apart


@pytest.mark.parametrize("crawls", [[{"a", "b"}, {"a", "b"}], [{"a"}, {"a"}, {"a"}]])
def test_crawls_that_find_the_same_have_found_all(crawls: list[set[str]]) -> None:
    found = share_found(crawls)
    assert (found.share, found.interval, found.all_pages) == (1.0, (1.0, 1.0), len(crawls[0]))


def test_crawls_without_a_page_are_no_error() -> None:
    for crawls in ([set[str](), set[str]()], [set[str](), {"a"}], [{"a"}, {"b"}, {"c"}]):
        found = share_found(crawls)
        assert found.common == 0
        assert 0.0 <= found.interval[0] <= found.interval[1] <= 1.0


@pytest.mark.parametrize("count", [2, 3, 5])
def test_independent_drawings_from_an_urn_tell_its_size(count: int) -> None:
    draw, inside = random.Random(count), 0
    for _ in range(100):
        crawls = [{str(page) for page in range(1000) if draw.random() < 0.4} for _ in range(count)]
        found = share_found(crawls)
        assert found.all_pages == pytest.approx(1000, rel=0.15)
        inside += found.low <= 1000 <= found.high
    assert inside >= 90
