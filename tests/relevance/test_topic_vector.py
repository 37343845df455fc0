"""Topic vectors by hand: tf·idf·IG against other pages, jieba's frequencies without one."""

import math

import pytest

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.linear import keywords_of_pages, running_words
from topiccrawler.text.weights import information_gain
from topiccrawler.topics.keywords import keywords_of_texts, keywords_of_words, merged


def test_against_other_texts_a_word_weighs_tf_idf_ig() -> None:
    """基金 3/4 in one, 1/2 in the other text, nowhere else; 市场 in all: both sides hold it alike.

    mean tf 基金 .625, idf ln(4/2), IG(1, 0) = 1; 定投 mean tf 1/8, idf ln(4/2·2/1) = ln 4, IG(.5, 0) = 1.
    """
    topic = [["基金", "基金", "基金", "定投"], ["基金", "市场", "基金", "市场"]]
    others = [["市场", "足球"], ["市场", "旅游"]]
    found = keywords_of_words(topic, others)
    assert list(found) == ["基金", "定投"]
    assert found["基金"] == 1.0
    assert found["定投"] == pytest.approx(0.125 * math.log(4) / (0.625 * math.log(2)), abs=5e-4)


def test_a_word_on_both_sides_weighs_by_its_information_gain() -> None:
    topic = [["基金", "市场"]] * 4
    others = [["市场", "足球"], ["足球"], ["足球"], ["足球"]]
    found = keywords_of_words(topic, others)
    gain = information_gain([1.0, 0.25])
    assert found["市场"] == pytest.approx(gain * math.log(8 / 5) / math.log(8 / 4), abs=5e-4)
    assert "足球" not in found


def test_without_other_texts_common_words_of_the_language_weigh_less() -> None:
    found = keywords_of_texts(["定投指数基金，买基金的人", "基金定投的复利，我们觉得一个人应该学习"])
    assert list(found) == ["定投", "基金", "指数", "复利", "学习"]
    assert found["定投"] == 1.0
    assert found["学习"] < found["复利"]


def test_a_word_the_language_does_not_know_must_stand_there_twice() -> None:
    assert list(keywords_of_words([["基金", "基准侠"]])) == ["基金"]
    assert set(keywords_of_words([["基金", "基准侠", "基准侠"]])) == {"基金", "基准侠"}


def test_only_the_asked_number_of_words_is_given_and_ties_go_by_word() -> None:
    topic, others = [["乙", "甲", "丙"]], [["丁"]]
    assert keywords_of_words(topic, others, size=2) == {"丙": 1.0, "乙": 1.0}


def test_numbers_and_stop_words_never_speak_for_a_topic() -> None:
    assert keywords_of_words([["2015", "我们", "基金"]], [["足球"]]) == {"基金": 1.0}


def test_with_ten_texts_a_word_of_one_text_is_left_out() -> None:
    topic = [["基金"]] * 9 + [["基金", "张三"]]
    assert keywords_of_words(topic, [["足球"]]) == {"基金": 1.0}


def test_words_of_a_page_count_by_their_field() -> None:
    page = PageWords(title=["基金"], headings=["股票"], body=["天气"])
    assert running_words(page) == ["基金"] * 5 + ["股票"] * 2 + ["天气"]
    others = [PageWords(body=["足球"])]
    assert keywords_of_pages([page], others) == {"基金": 1.0, "股票": 0.4, "天气": 0.2}


def test_nothing_gives_nothing() -> None:
    assert keywords_of_texts([]) == {}
    assert keywords_of_words([[]], [["足球"]]) == {}


def test_two_vectors_merge_by_their_share_each_on_its_own_scale() -> None:
    assert merged({"甲": 2.0, "乙": 1.0}, {"乙": 10.0}, 0.25) == {"甲": 0.75, "乙": 0.625}
