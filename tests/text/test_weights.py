"""Worked figures of the thesis' §4.4, recomputed, and agreement with scikit-learn."""

import math

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from topiccrawler.text.weights import (
    counted_tf_idf,
    document_frequencies,
    information_gain,
    inverse_document_frequency,
    term_frequency,
    tf_idf,
    tf_idf_ig,
)


def test_the_worked_document_of_the_thesis_scores_0_264916() -> None:
    tf = {"k1": 100 / 1000, "k2": 200 / 1000, "k3": 50 / 1000}
    weights = tf_idf(tf, 10_000, {"k1": 1_000, "k2": 10_000, "k3": 5_000})
    assert weights["k1"] == pytest.approx(0.230259, abs=1e-6)
    assert weights["k2"] == 0.0
    assert weights["k3"] == pytest.approx(0.034657, abs=1e-6)
    assert sum(weights.values()) == pytest.approx(0.264916, abs=1e-6)


def test_the_two_texts_of_table_4_1_have_the_weights_of_table_4_2() -> None:
    frequencies = {"term1": 2, "term2": 2}
    text1 = counted_tf_idf({"term1": 40, "term2": 10}, 2, frequencies)
    text2 = counted_tf_idf({"term1": 40, "term2": 36}, 2, frequencies)
    assert text1 == pytest.approx({"term1": 0.086427, "term2": 0.021606}, abs=1e-6)
    assert text2 == pytest.approx({"term1": 0.086427, "term2": 0.077784}, abs=1e-6)
    assert counted_tf_idf({"term3": 2}, 200, {"term3": 2})["term3"] == pytest.approx(math.log10(100.01))


def test_information_gain_of_table_4_3_comes_out() -> None:
    assert information_gain([40, 40]) == 0.0
    gain = information_gain([10, 36])
    assert gain == pytest.approx(0.244624, abs=1e-6)
    assert 1.0 - gain == pytest.approx(0.755375, abs=1e-6)


def test_gain_turns_the_order_of_the_two_terms_as_in_table_4_4() -> None:
    rates = {"term1": [40, 40], "term2": [10, 36]}
    frequencies = {"term1": 2, "term2": 2}
    text1 = tf_idf_ig({"term1": 40 / 50, "term2": 10 / 50}, 4, frequencies, rates)
    text2 = tf_idf_ig({"term1": 40 / 76, "term2": 36 / 76}, 4, frequencies, rates)
    assert text1["term1"] == text2["term1"] == 0.0
    assert text2["term2"] > text1["term2"] > 0.0


def test_a_word_without_rates_weighs_nothing() -> None:
    assert tf_idf_ig({"基金": 0.5}, 10, {"基金": 1}, {}) == {"基金": 0.0}


@pytest.mark.parametrize(("documents", "holding"), [(0, 0), (10, 0), (10, 10), (10, 12), (0, 3)])
def test_idf_is_never_negative_nor_infinite(documents: int, holding: int) -> None:
    assert inverse_document_frequency(documents, holding) == 0.0


def test_tf_idf_equals_scikit_learns_with_its_smoothing_taken_off() -> None:
    texts = [["基金", "定投", "基金"], ["股票", "基金"], ["旅游", "酒店", "酒店", "酒店"]]
    oracle = TfidfVectorizer(analyzer=lambda words: words, smooth_idf=False, norm=None)
    theirs = oracle.fit_transform(texts).toarray()
    frequencies = document_frequencies(texts)
    for row, words in zip(theirs, texts, strict=True):
        ours = tf_idf(term_frequency(words), len(texts), frequencies)
        for word, column in oracle.vocabulary_.items():
            if word in ours:  # scikit-learn counts, and adds 1 to every idf
                tf = words.count(word)
                assert row[column] == pytest.approx(ours[word] * len(words) + tf)
