"""The share of pages found, by the overlap of crawls: examples by hand, and drawings from an urn whose size is known."""

from __future__ import annotations

import random

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


def test_three_crawls_as_chao_has_it() -> None:
    found = share_found([{"a", "b", "c"}, {"b", "c", "d"}, {"c", "e"}])  # once: a, d, e; twice: b
    assert (found.found, found.common) == (5, 2)
    assert found.all_pages == pytest.approx(5 + (2 / 3) * 3 * 2 / (2 * 2))
    # its variance: 2/3 · 3·2/4 + 4/9 · 3·5²/16 + 4/9 · 3²·1·2²/64
    variance = 2 / 3 * 1.5 + 4 / 9 * 75 / 16 + 4 / 9 * 36 / 64
    assert variance == pytest.approx(3.3333, rel=1e-3)
    assert found.high == pytest.approx(5 + 10.73, rel=1e-3)  # exp(1.96 √log(1 + 3.333)) = 10.73


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
