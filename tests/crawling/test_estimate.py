"""What a crawl has still to gain, from what its latest fetches gave."""

import numpy as np
import pytest
from message_facts import numbers

from topiccrawler.crawling.estimate import Estimator, calibration, words_of
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Score, Visit


def queue(*scores: float) -> MemoryFrontier:
    frontier = MemoryFrontier()
    rows = [(f"http://a.cn/{number}", score) for number, score in enumerate(scores)]
    frontier.push([(Link(url, "a.cn"), Score(url, score)) for url, score in rows], now=0.0)
    return frontier


def visit(score: float, *, stored: bool) -> Visit:
    return Visit("http://a.cn/", 200, score, 0.0, stored, 0.0)


def test_the_rate_rises_with_the_score_and_is_never_0() -> None:
    scores, kept = np.array([3.0, 1.0, 2.0, 2.0]), np.array([1.0, 0.0, 0.0, 1.0])
    lowest, rates = calibration(scores, kept, np.ones(4))
    assert lowest.tolist() == [1.0, 2.0, 3.0]
    assert rates.tolist() == pytest.approx([0.15 / 6, 0.5, 1.0])
    falling = calibration(np.array([1.0, 2.0]), np.array([1.0, 0.0]), np.ones(2))
    assert [part.tolist() for part in falling] == [[1.0], pytest.approx([1.15 / 7])]


def test_nothing_is_said_before_a_hundred_fetches_and_then_what_waits_is_weighed() -> None:
    frontier = queue(*[1.0] * 30, *[0.0] * 170)
    estimator = Estimator(frontier.look(), [visit(1.0, stored=True)] * 50)
    assert estimator.estimate() is None
    for number in range(50):
        estimator.ended(number % 2, kept=number % 2 == 1)
    found = estimator.estimate()
    assert found is not None
    assert found.relevant == pytest.approx(31, abs=1)  # the 30, and a few invented ones
    assert found.promise == pytest.approx((0.3 + 0.67) / 2, abs=0.02)
    assert [numbers(line) for line in words_of(found)] == [["31", "100", "49"]]
