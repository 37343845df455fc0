"""Word vectors: a small table of known geometry, its file, and what the shipped one knows."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from topiccrawler.errors import ModelError
from topiccrawler.text.word_vectors import WordVectors, load_vectors, save_vectors, shipped_vectors

WORDS = ["基金", "净值", "金鱼", "股市", "invest", "机器", "学习"]
FORMS = ["基金", "净值", "金鱼", "股市", "investment", "机器", "学习"]
# what they mean: 金鱼 only looks like 基金 to the encoder; the company they keep: 股市 stands near 基金, 金鱼 never
ENCODED = np.array(
    [[1, 0, 0], [0.8, 0.6, 0], [0.9, 0, 0.4], [0.6, 0.8, 0], [0.9, 0.4, 0], [0, 0, 1], [0, 0.3, 1]]
)
COOCCURRING = np.array(
    [[1, 0, 0], [0.9, 0.4, 0], [-1, 0, 0], [0.8, 0.6, 0], [0.6, 0.8, 0], [0, 0, 1], [0, 0.1, 1]]
)
TABLES = {"encoded": ENCODED.astype(np.float32), "cooccurring": COOCCURRING.astype(np.float32)}
TEXTS = np.array([100, 10, 10, 400, 10, 10, 10], np.uint32)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "vectors.npz"
    save_vectors(place, WORDS, FORMS, TEXTS, 1000, TABLES, steps=100)
    return place


@pytest.fixture
def vectors(file: Path) -> WordVectors:
    return load_vectors(file)


def test_a_word_is_near_when_both_tables_hold_it_near(vectors: WordVectors) -> None:
    near = vectors.near({"基金": 1.0}, 10)
    assert [one.word for one in near] == ["基金", "净值", "investment", "股市"]
    assert near[0].likeness == pytest.approx(1.0, abs=0.01)
    assert near[1].likeness == pytest.approx((0.8 * 0.9 / np.hypot(0.9, 0.4)) ** 0.5, abs=0.03)


def test_a_word_says_which_of_the_given_it_is_nearest_to(vectors: WordVectors) -> None:
    by = {one.word: one.by for one in vectors.near({"基金": 1.0, "机器": 1.0}, 10)}
    assert by["净值"] == "基金"
    assert by["学习"] == "机器"


@pytest.mark.slow
def test_a_topic_of_thousands_of_words_is_asked_in_little_memory() -> None:
    vectors = shipped_vectors()
    many = dict.fromkeys(vectors.forms[:5000], 1.0)
    tracemalloc.start()
    try:
        found = vectors.near(many, 300)
        assert len(found) == 300
        assert tracemalloc.get_traced_memory()[1] < 150e6
    finally:
        tracemalloc.stop()


def test_an_unknown_word_is_taken_for_its_known_parts(vectors: WordVectors) -> None:
    assert vectors.known("机器学习") == [5, 6]
    assert vectors.known("investments") == [4]  # by its stem
    assert vectors.known("某某") == []
    assert vectors.near({"某某": 1.0}, 5) == []
    assert vectors.near({"机器学习": 1.0}, 2)[0].word in {"机器", "学习"}


def _rewritten(file: Path, **changed: object) -> None:
    with np.load(file) as arrays:
        kept = {name: arrays[name] for name in arrays.files}
    for name, value in changed.items():
        if value is None:
            del kept[name]
        else:
            kept[name] = value
    np.savez_compressed(file, allow_pickle=False, **kept)


@pytest.mark.parametrize(
    "changed",
    [
        {"format": np.frombuffer(b"other", np.uint8)},
        {"tokenizer": np.frombuffer(b"other", np.uint8)},
        {"words": np.frombuffer(b"a\nb", np.uint8)},
        {"words": np.frombuffer("\n".join(["基金"] * 7).encode(), np.uint8)},
        {"forms": np.frombuffer(b"\xff\xfe", np.uint8)},
        {"texts": np.full(6, 20, np.uint32)},
        {"encoded": np.zeros((3, 3), np.int8)},
        {"cooccurring": None},
    ],
)
def test_a_damaged_table_is_refused_in_one_line(file: Path, changed: dict[str, object]) -> None:
    _rewritten(file, **changed)
    with pytest.raises(ModelError, match=r"^word vectors .*vectors\.npz: is damaged: [^\n]+$"):
        load_vectors(file)


@pytest.mark.parametrize("body", [b"", b"PK\x03\x04 no archive", b"\x93NUMPY"])
def test_what_is_no_archive_is_refused(tmp_path: Path, body: bytes) -> None:
    place = tmp_path / "x.npz"
    place.write_bytes(body)
    with pytest.raises(ModelError, match="is damaged"):
        load_vectors(place)


def test_the_shipped_table_is_small_and_knows_both_languages() -> None:
    vectors = shipped_vectors()
    assert len(vectors) == 40_000
    near = {one.word for one in vectors.near({"基金": 1.0, "股票": 1.0}, 60)}
    assert {"债券", "证券", "投资"} <= near
    near = {one.word for one in vectors.near({"vehicle": 1.0, "car": 1.0}, 60)}
    assert {"truck", "driver"} <= near
