"""Topic vectors by hand: tf·idf·IG against other pages, jieba's frequencies without one."""

import math

import pytest

from topiccrawler.text.weights import information_gain
from topiccrawler.topics.keywords import keywords_of_words, merged


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


def test_two_vectors_merge_by_their_share_each_on_its_own_scale() -> None:
    assert merged({"甲": 2.0, "乙": 1.0}, {"乙": 10.0}, 0.25) == {"甲": 0.75, "乙": 0.625}
