"""What a person's answers change in the page classifier of a user's own words."""

import math
from typing import Any

import pytest

from topiccrawler.pages.read import PageWords
from topiccrawler.pages.site_repeats import stored_segments, with_words
from topiccrawler.relevance.evidence import FEATURES, EvidenceClassifier
from topiccrawler.text.segmenter import PLAIN
from topiccrawler.text.weights import log_odds
from topiccrawler.topics.topic import Topic, make_topic

WEIGHTS = {"bias": -2.0, **dict.fromkeys(FEATURES, 1.0), "length": 0.0, "main text": 0.0}


def topic_of(**taught: Any) -> Topic:
    keywords = {"台风": 1.0, "暴雨": 1.0}
    fields = {"name": "sky", "keywords": keywords, "given": list(keywords), "narrow": True}
    return make_topic({**fields, **taught}, "test")


def page(title: str, *lines: str) -> PageWords:
    return PageWords(segments=with_words([("title", title), *(("text", line) for line in lines)], PLAIN))


def odds(topic: Topic, words: PageWords) -> float:
    return log_odds(EvidenceClassifier(topic, WEIGHTS).relevance(words))


STORM = page("台风登陆", "台风带来暴雨")


def test_a_word_counts_by_its_trust() -> None:
    both = [EvidenceClassifier(topic, WEIGHTS) for topic in (topic_of(), topic_of(trust={"台风": 0.5}))]
    before, after = (dict(zip(FEATURES, one.features(one.observe(STORM)), strict=True)) for one in both)
    assert (before["title"], before["title words"], before["words"]) == (1.0, 1.0, 2.0)
    assert (after["title"], after["title words"], after["words"]) == (0.5, 0.5, 1.5)
    assert before["count"] == pytest.approx(math.log(3))
    assert after["count"] == pytest.approx(math.log(2.5))


def test_a_near_word_counts_by_likeness_and_trust_and_taught_ones_count_too() -> None:
    plain = EvidenceClassifier(topic_of(), WEIGHTS)
    word = max(plain.near, key=lambda one: plain.near[one])
    half = EvidenceClassifier(topic_of(trust={word: 0.5}), WEIGHTS)
    assert half.near[word] == pytest.approx(0.5 * plain.near[word])
    assert "风球" not in plain.near
    assert EvidenceClassifier(topic_of(near={"风球": 0.4}), WEIGHTS).near["风球"] == 0.4


def test_words_against_the_topic_lower_the_log_odds() -> None:
    words = page("台风 网吧", "台风网吧优惠")
    lost = odds(topic_of(), words) - odds(topic_of(against={"网吧": 0.5}), words)
    length = len(words.segments[1].words)  # of the title none
    assert lost == pytest.approx(10 * math.sqrt(0.5 / (length + 20)) + 1.5 * 0.5, abs=1e-3)
    shares = EvidenceClassifier(topic_of(against={"网吧": 0.5}), WEIGHTS).explain(words)
    assert shares[-1][0] == "网吧"
    assert shares[-1][1] < 0


def test_a_word_given_is_never_against_its_own_topic() -> None:
    assert odds(topic_of(against={"台风": 1.0}), STORM) == odds(topic_of(), STORM)


def test_the_intercept_moves_every_page() -> None:
    assert odds(topic_of(intercept=0.7), STORM) - odds(topic_of(), STORM) == pytest.approx(0.7, abs=1e-6)


def test_words_against_do_not_lead_away() -> None:
    words = PageWords(body=["台风", "网吧"])
    plain, taught = EvidenceClassifier(topic_of()), EvidenceClassifier(topic_of(against={"网吧": 1.0}))
    assert taught.similarity(words) == plain.similarity(words)


def test_a_stored_page_has_its_title_tags_description_and_lines() -> None:
    written = ("台风登陆 - 晚报", "台风,天气", "台风 消息", "台风登陆\n暴雨")
    segments = stored_segments(*written, PLAIN, is_main=True, url="http://a.cn/weather/2019/1.html")
    assert [(one.kind, one.text) for one in segments] == [
        ("title", "台风登陆"), ("title", "晚报"), ("tag", "台风"), ("tag", "天气"), ("description", "台风 消息"), ("folder", "weather"),
        ("text", "台风登陆"), ("text", "暴雨"),
    ]  # fmt: skip
    assert stored_segments("", "", "", "短", PLAIN, is_main=False)[0].kind == "block"
