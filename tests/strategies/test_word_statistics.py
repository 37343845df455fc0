"""The log-odds of words: worked by hand, forgotten with time, finite, and the same after a restart."""

import math
from math import inf
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from topiccrawler.links.columns import packed
from topiccrawler.strategies.numbering import Numbering, WordStatistics, label_of

FOREVER = 1e12  # pages


def learn(words: WordStatistics, text: str, label: float) -> None:
    words.learn(words.of([text.split()], 8), label)


def odds(words: WordStatistics, *texts: str) -> list[float]:
    return words.log_odds(words.of([[text] for text in texts], 1)).ravel().tolist()


@pytest.mark.parametrize(
    ("relevance", "threshold", "label"),
    [(0.2, 0.2, 0.5), (0.4, 0.2, 0.8), (0.1, 0.2, 0.2), (0.0, 0.2, 0.0), (0.3, 0.0, 1.0), (0.0, 0.0, 0.0)],
)
def test_a_page_is_half_relevant_at_the_threshold(relevance: float, threshold: float, label: float) -> None:
    assert label_of(relevance, threshold) == pytest.approx(label)


def test_one_text_of_each_class_gives_the_log_odds_worked_by_hand() -> None:
    """
    Without decay: 基金 (+), 足球 (-). p = (1 + 1) / (2 + 2) = 1/2, m = 2.
    基金: ln (1 + 2/2) / (0 + 2/2) - ln 1 = ln 2; 足球: -ln 2; a word never met: 0.
    """
    words = WordStatistics(FOREVER, 2.0)
    learn(words, "基金", 1.0)
    learn(words, "足球", 0.0)
    assert odds(words, "基金", "足球", "天气") == pytest.approx([math.log(2), -math.log(2), 0.0])


def test_counts_stay_finite_however_long_the_crawl() -> None:
    words = WordStatistics(1.0, 2.0)
    for _ in range(3000):
        learn(words, "基金", 1.0)
        learn(words, "足球", 0.0)
    for_it, against_it = odds(words, "基金", "足球")
    assert inf > for_it > 0 > against_it > -inf


def spoiled(counts: NDArray[np.float64], totals: list[float], weight: float) -> dict[str, Any]:
    """A state without words."""
    return {"words": Numbering([""]).save(), "counts": packed(counts), "totals": totals, "weight": weight}


@pytest.mark.parametrize(
    "state",
    [
        {},
        spoiled(np.zeros(2), [1.0, 1.0], inf),
        spoiled(np.zeros(2), [1.0], 1.0),
        spoiled(np.zeros(4), [1.0, 1.0], 1.0),
        spoiled(-np.ones(2), [1.0, 1.0], 1.0),
    ],
)
def test_a_damaged_state_is_refused_whole(state: dict[str, Any]) -> None:
    words = WordStatistics(5.0, 2.0)
    learn(words, "基金", 1.0)
    before = words.save()
    with pytest.raises((ValueError, KeyError)):
        words.load(state)
    assert words.save() == before
