"""Word similarity: by codes, by the shipped list and word vectors."""

from errno import ENOENT
from os import strerror
from pathlib import Path

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.text.thesaurus import CodedThesaurus, load_thesaurus, shipped

LINES = [
    "Aa01A01= 股票 个股",
    "Aa01A02# 牛市 熊市",
    "Aa01B01= 基金",
    "Aa02A01= 银行 河岸",
    "Ab01A01= 保险",
    "Ba01A01= 河流 河岸",
    "Ca01A01@ 孤单 孤独",
]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("股票", "股票", 1.0),
        ("股票", "个股", 1.0),
        ("牛市", "熊市", 0.8),
        ("股票", "牛市", 0.6),
        ("股票", "基金", 0.4),
        ("股票", "银行", 0.2),
        ("股票", "保险", 0.1),
        ("股票", "河流", 0.0),
        ("孤单", "孤独", 0.0),
        ("没见过", "没见过", 1.0),
        ("没见过", "股票", 0.0),
    ],
)
def test_the_deeper_the_shared_branch_the_nearer(first: str, second: str, expected: float) -> None:
    thesaurus = CodedThesaurus(LINES)
    assert thesaurus.similarity(first, second) == expected
    assert thesaurus.similarity(second, first) == expected


def test_of_several_meanings_the_nearest_pair_counts() -> None:
    thesaurus = CodedThesaurus(LINES)
    assert thesaurus.similarity("河岸", "河流") == 1.0
    assert thesaurus.similarity("河岸", "银行") == 1.0


@pytest.mark.parametrize(
    "words",
    [[], ["没见过"], ["孤单"], ["河岸"], ["保险", "没见过"], ["个股", "熊市"], ["孤单", "银行", "河流"]],
)
def test_the_nearest_of_many_words_is_that_of_the_pairs(words: list[str]) -> None:
    """By branches, without looking at each pair: a topic has hundreds of words."""
    thesaurus = CodedThesaurus([*LINES, "Ca01A01= 孤单 寂寞"])
    nearest = thesaurus.nearest(words)
    every = {word for line in LINES for word in line.split()[1:]} | {"寂寞", "没见过", "别的"}
    pairs = {word: max((thesaurus.similarity(word, one) for one in words), default=0.0) for word in every}
    assert {word: nearest(word) for word in every} == pairs
    assert not words or max(pairs.values()) == 1.0


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_a_file_in_cilin_format_is_read_in_any_chinese_encoding(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "cilin.txt"
    file.write_bytes("".join(f"{line}\r\n" for line in LINES * 20).encode(encoding))
    assert load_thesaurus(file).similarity("股票", "个股") == 1.0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00\xff" * 500,
        "股票 个股\n".encode(),
        b"Aa01A01=\n" * 10,
        b'<?xml version="1.0"?><LexicalResource/>',
    ],
)
def test_a_file_without_a_usable_line_is_refused(tmp_path: Path, body: bytes) -> None:
    file = tmp_path / "words.txt"
    file.write_bytes(body)
    with pytest.raises(ArgumentError, match=r"words\.txt.*TOPIC_THESAURUS.*Aa01A01="):
        load_thesaurus(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=rf"gone\.txt: .*{strerror(ENOENT)}.*TOPIC_THESAURUS"):
        load_thesaurus(tmp_path / "gone.txt")


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ("旅游", "旅行", 1.0, 1.0),  # the list
        ("旅游", "观光", 0.4, 0.95),
        ("电脑", "计算机", 0.6, 0.95),
        ("股票", "基金", 0.4, 0.4),
        ("照相机", "摄影机", 0.4, 0.95),  # by their parts
        ("股票", "旅游", 0.0, 0.15),
        ("银行", "河流", 0.0, 0.15),
        ("没见过的词", "股票", 0.0, 0.5),
    ],
)
def test_the_shipped_one_knows_words_beyond_the_list(
    first: str, second: str, low: float, high: float
) -> None:
    assert low <= shipped().similarity(first, second) <= high
    assert shipped().similarity(second, first) == pytest.approx(shipped().similarity(first, second))
