"""Hashed word vectors."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from topiccrawler.strategies.features import SIZE, IdfVectors, as_rows, hashed_counts


def test_words_are_counted_and_a_mapping_brings_its_own_counts() -> None:
    words, counts = hashed_counts(["基金", "股票", "基金"])
    assert sorted(counts.tolist()) == [1.0, 2.0]
    assert (np.diff(words) > 0).all()
    again = hashed_counts({"股票": 1.0, "基金": 2.0})
    assert (again[0].tolist(), again[1].tolist()) == (words.tolist(), counts.tolist())
    assert hashed_counts([])[0].size == 0


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


def test_a_text_without_words_is_a_row_of_zeros() -> None:
    rows = IdfVectors().matrix([hashed_counts([]), hashed_counts(["基金"])])
    assert rows.sum(axis=1).tolist() == pytest.approx([0.0, 1.0])
    assert as_rows([]).shape == (0, SIZE)


def test_what_was_seen_comes_back_from_json() -> None:
    vectors = IdfVectors()
    text = vectors.seen(hashed_counts(["首页", "基金"]))
    vectors.seen(hashed_counts(["首页"]))
    again = IdfVectors.load(json.loads(json.dumps(vectors.save())))
    assert again.weights(text).tolist() == vectors.weights(text).tolist()
