"""A topic of example pages: words, weights, reasons, threshold, and the thesis' statistics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.training.example_topic import THESIS, Examples, Method, learn

FUNDS, BALL = ["基金", "净值", "申购"], ["足球", "比赛", "射门"]


def pages(words: list[str], count: int) -> list[PageWords]:
    return [PageWords(title=words[:1], body=[*words, "今天", words[number % 3]]) for number in range(count)]


def test_weights_are_those_of_the_thesis_each_with_the_pages_it_comes_from() -> None:
    topic = learn("funds", Examples(pages(FUNDS, 4), pages(BALL, 8)), zh="基金").topic
    assert list(topic.keywords) == FUNDS
    assert topic.keywords["基金"] == 1.0
    assert topic.reasons == dict.fromkeys(FUNDS, "in 4 of 4 pages, 0 of 8 others")
    assert (topic.zh, topic.page_threshold) == ("基金", 0.15)


def test_table_4_3_of_the_thesis_decides_the_weights_of_a_learned_topic() -> None:
    """Texts 1 and 2 of table 4-1 (净值 40 and 40, 基金 10 and 36), two more without either, and 申购, only in text 2.

    IG(净值) = 0; IG(基金) = 1 - .755375 = .244625; IG(申购) = 1. 18 times 申购 and ln 4 to 36 times 基金 and ln 2: the same tf·idf, so
    the weight of 基金 is its IG. By shares of pages 基金 (one page of one, one of three) has .1887, and 净值 as much.
    """
    text1, text2 = (PageWords(body=["净值"] * 40 + ["基金"] * count) for count in (10, 36))
    text2.body.extend(["申购"] * 18)
    examples = Examples([text2], [text1, PageWords(body=["足球"]), PageWords(body=["足球"])])
    assert learn("funds", examples, THESIS).topic.keywords == {"申购": 1.0, "基金": 0.245}
    ours = learn("funds", examples, replace(THESIS, by_occurrences=False)).topic.keywords
    assert ours == {"申购": 1.0, "净值": 0.21, "基金": 0.189}


def test_near_words_are_added_at_most_as_heavy_as_the_heaviest() -> None:
    topic = learn("funds", Examples(pages(FUNDS, 4), pages(BALL, 8)), Method(near_words=20, against=2)).topic
    near = {word: why for word, why in topic.reasons.items() if why.startswith("near ")}
    assert 10 <= len(near) <= 20
    assert max(topic.keywords[word] for word in near) == 1.0
    assert all("likeness" in why for why in near.values())
    assert topic.against == {"足球": 1.0, "比赛": 0.216}


def test_enough_pages_give_a_threshold_and_what_the_thesis_counted() -> None:
    found = learn("funds", Examples(pages(FUNDS, 10), pages(BALL, 20)))
    own = found.statistics
    assert own is not None
    assert (own.vsm.f1, own.cosine.f1) == (1.0, 1.0)
    assert (own.titled, own.titled_positive, own.positive) == (10, 10, 10)
    assert (own.first_words, own.first_occurrences) == (1.0, 1.0)  # three words in all
    assert 0 < found.topic.page_threshold < 1


def test_pages_that_nothing_separates_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"^--positive: .*others"):
        learn("funds", Examples(pages(BALL, 3), pages(BALL, 3)))
    with pytest.raises(ArgumentError, match=r"^--positive: "):
        learn("funds", Examples([], pages(BALL, 3)))
