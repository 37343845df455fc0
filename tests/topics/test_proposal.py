"""Words proposed for a topic of a few: order, weights, reasons, and what becomes of the topic."""

import numpy as np
import pytest

from topiccrawler.text.word_vectors import WordVectors
from topiccrawler.topics.kindred import Kindred
from topiccrawler.topics.proposed_words import Proposed, proposed, reasons, weighed, with_proposed
from topiccrawler.topics.subjects import NARROWER
from topiccrawler.topics.topic import make_topic

WORDS = ["基金", "净值", "股市", "我们", "天气"]
TEXTS = np.array([100, 100, 100, 999, 100], np.uint32)
COLUMNS = np.array([[10, 0], [9, 4], [5, 8], [9, 4], [0, 10]], np.int8)
ONES = np.ones(2, np.float32)


@pytest.fixture
def vectors() -> WordVectors:
    return WordVectors(WORDS, WORDS, TEXTS, 1000, [(COLUMNS, ONES), (COLUMNS, ONES)])


def test_a_weight_is_likeness_squared_times_rarity_measured_by_the_given_word(vectors: WordVectors) -> None:
    first, *rest = weighed({"基金": 2.0}, 10, vectors)
    assert (first.word, first.near) == ("净值", "基金")
    assert first.likeness == pytest.approx(9 / np.hypot(9, 4))
    assert first.weight == pytest.approx(2.0 * first.likeness**2, abs=0.001)  # both stand in as many texts
    assert [one.word for one in rest] == ["股市", "我们"]  # as near as 净值, but in every text
    assert rest[-1].weight < 0.01


def test_terms_of_the_subject_that_a_word_names_are_proposed_by_their_share() -> None:
    found = {one.word: one for one in proposed({"围棋": 2.0, "象棋谱": 2.0})}
    assert "死活题" not in found  # the plain dictionary would lose 题: it would need one of its own
    assert (found["AlphaGo"].weight, found["AlphaGo"].subject, found["AlphaGo"].reason) == (
        pytest.approx(2.0 * NARROWER),
        "围棋",
        "of the subject 围棋",
    )


def test_traditional_and_full_width_words_are_the_same_words() -> None:
    simplified = [(one.word, one.weight) for one in proposed({"基金": 1.0, "etf": 1.0}, 50)]
    assert simplified == [(one.word, one.weight) for one in proposed({"基金": 1.0, "ＥＴＦ": 1.0}, 50)]
    assert [one.word for one in proposed({"證券": 1.0}, 50)] == [
        one.word for one in proposed({"证券": 1.0}, 50)
    ]


def test_a_topic_takes_the_words_it_asks_for_and_asks_no_more() -> None:
    topic = make_topic(
        {"name": "funds", "keywords": {"基金": 1.0, "定投": 0.5}, "proposed_words": 30}, "test"
    )
    grown = with_proposed(topic)
    assert grown.keywords["基金"] == 1.0
    assert grown.keywords["定投"] == 0.5
    assert 20 <= len(grown.keywords) <= 32
    assert list(grown.keywords)[:2] == ["基金", "定投"] == grown.given
    assert grown.lexicon == list(grown.keywords)
    assert with_proposed(grown) is grown
    assert all(0 < weight <= 0.75 for word, weight in grown.keywords.items() if word not in grown.given)


def test_every_proposed_word_has_its_reason() -> None:
    grown = with_proposed(make_topic({"name": "funds", "keywords": ["基金"], "proposed_words": 5}, "test"))
    why = reasons(grown)
    assert list(why) == [word for word in grown.keywords if word != "基金"]
    assert all(reason.startswith("near 基金, likeness 0.") for reason in why.values())
    assert reasons(make_topic({"name": "funds", "keywords": ["基金"]}, "test")) == {}


def test_words_of_the_catalogues_topic_come_by_their_weight_there_and_its_names_by_a_whole_one(
    vectors: WordVectors,
) -> None:
    topic = Kindred("finance", {"基金": 1.0, "净值": 0.8, "申购": 0.8}, 0.5, ("基金", "财经"))
    found = {one.word: one for one in weighed({"基金": 2.0}, 10, vectors, topic)}
    alone = {one.word: one.weight for one in weighed({"基金": 2.0}, 10, vectors)}
    assert found["净值"] == Proposed(
        "净值", alone["净值"], "基金", found["净值"].likeness
    )  # the larger of the two
    assert found["申购"] == Proposed("申购", 2.0 * 0.5 * 0.8, topic="finance")  # the table knows it not
    assert found["财经"] == Proposed("财经", 2.0 * 0.5, topic="finance")
    assert found["股市"].weight == pytest.approx(alone["股市"] / 2, abs=0.001)  # near, and not of the topic
    assert found["申购"].reason.endswith(" finance")
    assert "基金" not in found


def test_who_is_near_to_words_taken_for_their_parts_weighs_less(vectors: WordVectors) -> None:
    sure = {one.word: one.weight for one in weighed({"基金": 1.0}, 10, vectors)}
    guessed = {one.word: one.weight for one in weighed({"基金": 1.0, "茶叶蛋": 1.0}, 10, vectors)}
    assert guessed["净值"] == pytest.approx(sure["净值"] * (1 - 0.7 / 2), abs=0.001)
