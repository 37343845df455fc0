"""A page classifier whose topic gains words: explained as ever, and taken back."""

from __future__ import annotations

import pytest

from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.growing import GrowingClassifier
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.topic import make_topic

PAGE = PageWords(title=["龙井"], body=["茶叶", "龙井", "龙井", "杭州", "天气"])


def test_grown_words_count_are_explained_and_can_be_taken_back() -> None:
    topic = make_topic({"name": "tea", "keywords": {"茶叶": 2.0}, "page_threshold": 0.2}, "topic")
    one = GrowingClassifier(VsmClassifier(topic))
    before = one.relevance(PAGE)
    assert not one.grown
    one.use({"龙井": 0.25}, {"龙井": "grown: here"})
    assert one.grown
    assert one.topic.keywords == {"龙井": 0.5, "茶叶": 2.0}
    assert one.topic.given == ["茶叶"]
    assert one.topic.reasons == {"龙井": "grown: here"}
    assert one.threshold == 0.2
    assert one.relevance(PAGE) != before
    shares = dict(one.explain(PAGE))
    assert set(shares) == {"茶叶", "龙井"}
    assert sum(shares.values()) == pytest.approx(one.relevance(PAGE))
    assert one.grown_words == {"龙井"}
    assert one.own.relevance(PAGE) == before
    one.use({}, {})
    assert one.relevance(PAGE) == before
    assert one.grown_words == frozenset()
