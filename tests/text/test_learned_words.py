"""A topic's own words stay whole, by either engine; words of the dictionary are cut as before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from topiccrawler.text import tokenise
from topiccrawler.text.tokenise import cut_all, is_whole, jieba_cut, learn, rjieba_cut, words, words_of

LEARNED = ["纯电动", "换电站", "增程式"]
TEXTS = [
    "纯电动车去换电站",
    "增程式和纯电动都要换电",
    "買了純電動",
    "电站换了",
    "决定投资，提出道歉，做多少，火车站",
]


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What a test lets the segmenter learn, no other test shall know."""
    yield
    tokenise._engine.cache_clear()
    tokenise._recent.clear()


@pytest.mark.usefixtures("forgotten")
def test_a_word_that_would_lose_characters_is_kept_whole_once_it_is_learned() -> None:
    assert "纯电动" not in words("我家的纯电动车")
    learn(LEARNED)
    assert words_of(TEXTS[:3]) == [["纯电动", "车去", "换电站"], ["增程式", "纯电动"], ["纯电动"]]


@pytest.mark.usefixtures("forgotten")
def test_a_phrase_of_whole_words_is_cut_as_before() -> None:
    learn(["上市公司", "新能源汽车", "electric car", "茶", ""])
    assert words_of(["上市公司", "新能源汽车", "electric cars"]) == [
        ["上市公司"],
        ["新能源", "汽车"],
        ["electr", "car"],
    ]


def test_both_engines_keep_the_same_words() -> None:
    fast, plain = rjieba_cut(), jieba_cut()
    for engine in (fast, plain):
        for word in LEARNED:
            engine.learn(word)
    assert cut_all(TEXTS, fast) == cut_all(TEXTS, plain)
    assert cut_all(TEXTS[4:], fast) == [["决定", "投资", "提出", "道歉", "多少", "火车站"]]


@pytest.mark.parametrize(
    ("phrase", "whole"),
    [
        ("基金", True),
        ("electric cars", True),
        ("a股", True),
        ("c++", True),
        ("vitamin c", False),
        ("茶", False),
    ],
)
def test_whether_a_phrase_is_whole_among_its_words(phrase: str, whole: bool) -> None:
    assert is_whole(phrase, words(phrase)) is whole
