"""Sparse vectors by hand, and against scikit-learn."""

import pytest

from topiccrawler.text.weights import centroid, cosine, top_k


def test_cosine_of_vectors_at_a_right_angle_alike_and_between() -> None:
    assert cosine({"甲": 1.0}, {"乙": 1.0}) == 0.0
    assert cosine({"甲": 2.0, "乙": 1.0}, {"甲": 20.0, "乙": 10.0}) == pytest.approx(1.0)
    assert cosine({"甲": 3.0, "乙": 4.0}, {"甲": 1.0}) == pytest.approx(0.6)


def test_cosine_with_an_empty_vector_is_nothing() -> None:
    assert cosine({}, {"甲": 1.0}) == 0.0


def test_centroid_is_the_mean_and_absent_words_count_nothing() -> None:
    assert centroid([{"甲": 1.0, "乙": 4.0}, {"甲": 3.0}]) == {"甲": 2.0, "乙": 2.0}
    assert centroid([]) == {}


def test_top_k_are_the_largest_in_order_and_equals_go_by_word() -> None:
    vector = {"b": 1.0, "c": 5.0, "a": 1.0, "d": 3.0}
    assert list(top_k(vector, 3).items()) == [("c", 5.0), ("d", 3.0), ("a", 1.0)]
    assert top_k(vector, 0) == {}
    assert list(top_k(vector, 9)) == ["c", "d", "a", "b"]
