"""The VSM classifier by hand: cosine, share, fields, joined words; and on the shared documents and pages when they are there."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from topiccrawler.errors import TopicError
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.text.segmenter import PLAIN, words
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.contrasts import contrast_vectors
from topiccrawler.topics.topic import Topic, make_topic, token_weights


def topic_of(keywords: dict[str, float], **fields: object) -> Topic:
    return make_topic({"name": "test", "keywords": keywords, **fields}, "test")


def page_classifier_of(keywords: dict[str, float], **parameters: float) -> VsmClassifier:
    return VsmClassifier(topic_of(keywords), prior_words=0, **parameters)


def test_a_negative_topic_subtracts_its_share_of_the_similarity() -> None:
    """基金 once, 足球 once of 100 words: each alone has cosine 1 and a share of .01, similarity √(1 · .01 / .1) = .3162."""
    negative_topics = {"sport": {"足球": 2.0}, "travel": {"酒店": 1.0}}
    page_classifier = VsmClassifier(topic_of({"基金": 1.0}), prior_words=0, negative_topics=negative_topics)
    both = PageWords(body=["基金", "足球", *["天气"] * 98])
    assert page_classifier.similarity(both) == pytest.approx(0.2 * math.sqrt(0.1))
    alone = PageWords(body=["基金", *["天气"] * 99])
    assert page_classifier.similarity(alone) == pytest.approx(math.sqrt(0.1))
    assert page_classifier.similarity(PageWords(body=["基金", *["足球"] * 4, *["天气"] * 95])) == 0.0
    assert page_classifier.similarity(PageWords(body=["足球", "酒店"])) == 0.0
    assert page_classifier.explain(both) == [("基金", pytest.approx(page_classifier.similarity(both)))]


def test_contrast_turns_a_page_that_is_nearer_to_another_topic_but_for_words_near_its_own() -> None:
    """A page on 基金 with more words of sport falls just below the threshold when own · own / sport is below it; with 股票 and 区块链, which
    stand near 基金, or a lower threshold, it keeps its similarity."""
    plain = VsmClassifier(topic_of({"基金": 1.0}))
    sport = contrast_vectors(topic_of({"基金": 1.0}))["sport"]
    ball = PageWords(body=["基金", *list(sport)[:20], *["这样"] * 100])
    own, to_sport = plain.similarity(ball), VsmClassifier(topic_of(sport)).similarity(ball)
    limit = own * own / to_sport
    assert limit < 0.9 * own
    for threshold, similarity in (
        (limit * 0.99, own),
        (limit * 1.01, limit * 1.01 * 0.999),
        (own * 1.01, own),
    ):
        contrasted = VsmClassifier(topic_of({"基金": 1.0}, contrast=True, page_threshold=threshold))
        assert contrasted.similarity(ball) == pytest.approx(similarity)
        shares = dict(contrasted.explain(ball))
        assert sum(shares.values()) == pytest.approx(similarity)
        assert [name.split()[-1] for name in shares] == (["基金"] if similarity == own else ["sport", "基金"])
    contrasted = VsmClassifier(topic_of({"基金": 1.0}, contrast=True, page_threshold=0.2))
    for word in ("股票", "区块链", "这样"):
        page = PageWords(body=["基金", *[word] * 20, *["这样"] * 100])
        assert contrasted.similarity(page) == plain.similarity(page) > 0.2


def test_similarity_is_the_root_of_cosine_times_share() -> None:
    """基金 twice, 股票 once, 97 other words; w = (1, .5).

    x·w = (2, .5); cosine = (2·1 + .5·.5) / (√4.25 · √1.25) = .976187; share = 2.5 / 100; full share .1.
    """
    page_classifier = page_classifier_of({"基金": 1.0, "股票": 0.5}, full_share=0.1)
    page = PageWords(body=["基金", "基金", "股票", *["天气"] * 97])
    assert page_classifier.similarity(page) == pytest.approx(math.sqrt(0.976187 * 0.25), abs=1e-6)


def test_the_cosine_is_that_of_scikit_learn() -> None:
    """full_share so small that every page is full of topic words: similarity is the root of the cosine alone.

    Equal weights: the oracle counts and scales by itself. Unequal: each count is multiplied by its word's weight.
    """
    pages = [
        ["基金", "基金", "股票", "天气"],
        ["债券", "利率", "利率", "利率", "银行"],
        ["基金", "股票", "债券", "利率", "银行"],
        ["银行"],
        ["天气", "足球"],
    ]
    for weights in (
        dict.fromkeys(["基金", "股票", "债券", "利率", "银行"], 1.0),
        {"基金": 1.0, "股票": 0.5, "债券": 0.25, "利率": 0.7, "银行": 0.1},
    ):
        vectors = TfidfVectorizer(vocabulary=list(weights), analyzer=list, use_idf=False)
        counts = vectors.fit_transform(pages).toarray()
        topic = [list(weights.values())]
        oracle = cosine_similarity(counts * topic, topic)[:, 0]
        page_classifier = page_classifier_of(weights, full_share=1e-9)
        ours = [page_classifier.similarity(PageWords(body=page)) ** 2 for page in pages]
        assert ours == pytest.approx(oracle.tolist(), abs=1e-9)
    assert ours[2] == max(ours)
    assert ours[4] == 0.0


@pytest.mark.parametrize(
    ("field", "weight"), [("title", 5.0), ("headings", 2.0), ("meta", 2.0), ("emphasis", 1.0), ("body", 1.0)]
)
def test_each_field_weighs_as_many_words_of_the_body(field: str, weight: float) -> None:
    page_classifier = page_classifier_of({"基金": 1.0, "股票": 1.0}, full_share=1.0)
    others = ["天气"] * 40
    there = PageWords(body=["股票", *others], **({field: ["基金"]} if field != "body" else {}))
    if field == "body":
        there = PageWords(body=["基金", "股票", *others])
    in_body = PageWords(body=["基金"] * int(weight) + ["股票", *others])
    assert page_classifier.similarity(there) == page_classifier.similarity(in_body)


def test_a_keyword_that_the_segmenter_cuts_is_found_again() -> None:
    assert len(words("宏观经济政策利率")) > 1
    page_classifier = page_classifier_of({"宏观经济政策利率": 1.0})
    assert page_classifier.similarity(PageWords(body=words("关于宏观经济政策利率的消息"))) > 0
    assert page_classifier.similarity(PageWords(body=words("宏观经济好，政策稳，利率低"))) > 0
    assert page_classifier.similarity(PageWords(body=words("利率政策与宏观经济"))) == 0.0


def test_keywords_are_folded_as_the_words_of_a_page_are() -> None:
    page_classifier = page_classifier_of({"貸款": 1.0, "Ａ股": 1.0, "Python": 1.0})
    explained = page_classifier.explain(PageWords(body=words("贷款买Ａ股，學python")))
    assert [word for word, _ in explained] == ["a股", "python", "贷款"]


def test_a_keyword_cut_down_to_a_part_counts_half() -> None:
    weights, unmatched = token_weights({"vitamin c": 1.0, "大数据": 1.0, "基金": 0.8, "茶": 1.0}, PLAIN)
    assert weights == {"vitamin": 0.5, "大数据": 1.0, "基金": 0.8}
    assert unmatched == ["茶"]


def test_single_chinese_characters_are_words_and_single_letters_are_refused_in_one_line() -> None:
    tea = VsmClassifier(topic_of({"茶": 1.0, "酒": 1.0}))
    assert tea.relevance(PageWords(title=["茶"], body=["茶", "杯子"])) > 0.5
    with pytest.raises(TopicError, match="c, r"):
        VsmClassifier(topic_of({"c": 1.0, "r": 1.0}))


def test_explain_names_the_words_largest_first_and_they_sum_to_the_similarity() -> None:
    page_classifier = page_classifier_of({"基金": 1.0, "股票": 0.5, "银行": 0.5})
    page = PageWords(title=["银行"], body=["基金", "股票", *["天气"] * 30])
    explained = page_classifier.explain(page)
    assert [word for word, _ in explained] == ["银行", "基金", "股票"]
    assert sum(part for _, part in explained) == pytest.approx(page_classifier.similarity(page))


def test_the_examples_of_each_topic_are_about_it_and_of_the_others_hardly_any() -> None:
    page_classifiers = {name: VsmClassifier(load_topic(name)) for name, _ in topic_names()}
    wrong = own = 0
    for name, page_classifier in page_classifiers.items():
        for other in page_classifiers:
            for example in load_topic(other).examples:
                kept = page_classifier.relevance(PageWords(body=words(example))) >= page_classifier.threshold
                own += kept and name == other
                wrong += kept and name != other
    assert own == 3 * len(page_classifiers)
    assert wrong <= 0.15 * 3 * len(page_classifiers) * (len(page_classifiers) - 1)


LISTED = st.lists(st.sampled_from(["基金", "股票", "天气", "定投", "甲乙", ""]), max_size=60)


@given(LISTED, LISTED, LISTED)
def test_relevance_always_lies_between_0_and_1(title: list[str], meta: list[str], body: list[str]) -> None:
    page_classifier = VsmClassifier(topic_of({"基金": 1e-300, "股票": 1e150, "基金定投股票": 2.0}))
    page = PageWords(title=title, meta=meta, body=body)
    assert 0.0 <= page_classifier.similarity(page) <= 1.0
    assert 0.0 <= page_classifier.relevance(page) <= 1.0
    assert all(math.isfinite(part) for _, part in page_classifier.explain(page))


@pytest.mark.slow
def test_a_hostile_page_costs_time_in_proportion_only() -> None:
    page_classifier = VsmClassifier(topic_of({"甲乙" * 20: 1.0, "基金": 1.0}))
    started = time.process_time()
    page_classifier.relevance(PageWords(body=["甲乙"] * 200_000))
    assert time.process_time() - started < 10


def test_a_phrase_of_latin_words_matches_in_any_inflection_and_its_words_apart_do_not() -> None:
    classifier = VsmClassifier(topic_of({"electric car": 1.0, "battery": 0.5}))

    def similarity(title: str) -> float:
        return classifier.similarity(PageWords(title=words(title), body=words(title)))

    many, one = "Electric cars and their batteries", "electric car and their battery"
    assert similarity(many) == similarity(one) > 0.9
    assert similarity("car insurance, electric guitars") == 0.0
