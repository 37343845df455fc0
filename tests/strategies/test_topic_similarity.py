"""How similar link texts are to the topic."""

import math

import pytest

from topiccrawler.strategies.features import TopicSimilarity, WordSimilarity
from topiccrawler.text.thesaurus import CodedThesaurus
from topiccrawler.topics.topic import Topic

TOPIC = Topic(name="fund", keywords={"基金": 1.0, "股票": 1.0, "银行": 1.0, "天气": 0.1})


def test_one_keyword_of_a_short_text_is_its_cosine_under_the_root() -> None:
    """cosine = 1 / sqrt(3.01); the share of topic words is full from a tenth of the words on."""
    similarity = TopicSimilarity(TOPIC)
    assert similarity.relevance(["基金"]) == pytest.approx(math.sqrt(1 / math.sqrt(3.01)))
    assert similarity.relevance(["基金", *["足球"] * 9]) == pytest.approx(similarity.relevance(["基金"]))
    assert similarity.relevance(["基金", *["足球"] * 39]) == pytest.approx(similarity.relevance(["基金"]) / 2)
    assert similarity.relevance(["足球"]) == similarity.relevance([]) == 0.0


def test_the_nearest_topic_word_counts_among_the_heaviest() -> None:
    thesaurus = CodedThesaurus(["Aa01A01= 基金 公募", "Aa01A02= 储蓄", "Ba01A01= 天气 气候"])
    similarity = WordSimilarity(TOPIC, thesaurus, top_words=3)
    assert similarity.of_words(["足球", "储蓄", "公募"]) == 1.0
    assert similarity.of_words(["储蓄"]) == 0.6
    assert similarity.of_words(["气候"]) == similarity.of_words([]) == 0.0
    assert WordSimilarity(TOPIC, thesaurus, top_words=4).of_words(["气候"]) == 1.0
