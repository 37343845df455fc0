"""The log-odds of words: worked by hand, forgotten with time, finite, and the same after a restart."""

from __future__ import annotations

import json
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
    found: list[float] = words.log_odds(words.of([[text] for text in texts], 1)).ravel().tolist()
    return found


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


def test_where_most_pages_are_off_topic_one_more_of_them_says_little() -> None:
    """
    5 pages off topic without the word, then one with it, and one relevant: p = 2 / (7 + 2) = 2/9.
    足球: ln (0 + 4/9) / (1 + 14/9) - ln (2/9) / (7/9) = ln (4/23) + ln (7/2) = ln (14/23).
    """
    words = WordStatistics(FOREVER, 2.0)
    for text in ("新闻甲", "新闻乙", "新闻丙", "新闻丁", "新闻戊"):
        learn(words, text, 0.0)
    learn(words, "基金", 1.0)
    learn(words, "足球", 0.0)
    assert odds(words, "足球") == pytest.approx([math.log(14 / 23)])


def test_a_page_half_a_life_ago_counts_half() -> None:
    """
    Weight of a page doubles: one of each class before all has 1, 基金 + has 2, 足球 - has 4; smoothing 2·4,
    p = (1 + 2) / (2 + 2 + 4) = 3/8.
    """
    words = WordStatistics(1.0, 2.0)
    learn(words, "基金", 1.0)
    learn(words, "足球", 0.0)
    expected = (2 + 8 * 3 / 8) / (0 + 8 * 5 / 8) / (3 / 5)
    assert odds(words, "基金") == pytest.approx([math.log(expected)])


def test_what_was_saved_goes_on_as_if_it_had_not_been() -> None:
    through, first = WordStatistics(5.0, 2.0), WordStatistics(5.0, 2.0)
    for at, (text, label) in enumerate([("基金 定投", 1.0), ("足球 体育", 0.05), ("基金 净值", 0.7)] * 20):
        learn(through, text, label)
        if at == 30:
            state = json.loads(json.dumps(first.save(), allow_nan=False))
            first = WordStatistics(5.0, 2.0)
            first.load(state)
        learn(first, text, label)
    assert first.save() == through.save()
    assert odds(first, "基金") == odds(through, "基金") != [0.0]


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
