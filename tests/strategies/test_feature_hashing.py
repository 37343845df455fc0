"""Hashed word vectors."""

import json
import math

import pytest

from topiccrawler.strategies.features import IdfVectors, hashed_counts


def test_vectors_have_length_1_and_rare_words_weigh_more() -> None:
    """Of four documents all hold 首页, one holds 基金: idf ln 2 and ln 5."""
    vectors = IdfVectors()
    texts = [vectors.seen(hashed_counts(["首页", *extra])) for extra in (["基金"], [], [], [])]
    row = vectors.matrix(texts[:1])
    [home], [fund] = hashed_counts(["首页"])[0], hashed_counts(["基金"])[0]
    length = math.hypot(math.log(2), math.log(5))
    assert row[0, int(home)] == pytest.approx(math.log(2) / length)
    assert row[0, int(fund)] == pytest.approx(math.log(5) / length)
    assert vectors.heaviest(texts[0], 1)[0].tolist() == [fund]


def test_what_was_seen_comes_back_from_json() -> None:
    vectors = IdfVectors()
    text = vectors.seen(hashed_counts(["首页", "基金"]))
    vectors.seen(hashed_counts(["首页"]))
    again = IdfVectors.load(json.loads(json.dumps(vectors.save())))
    assert again.weights(text).tolist() == vectors.weights(text).tolist()
