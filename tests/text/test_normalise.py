"""One spelling for matching; every character keeps its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.text.segmenter import fold, folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("貸款與證券投資", "贷款与证券投资"),
        ("Ａ股２０２０　Ｋ線", "a股2020 k线"),
        ("ÉCOLE Москва", "école москва"),
        ("餅乾 乾隆 乾坤", "饼乾 乾隆 乾坤"),
        ("", ""),
        ("已经简化", "已经简化"),
    ],
)
def test_widths_letters_and_cases_fold_into_one(text: str, expected: str) -> None:
    assert fold(text) == expected


@given(st.text())
def test_a_fold_keeps_the_length_and_is_final(text: str) -> None:
    folded = fold(text)
    assert len(folded) == len(text)
    assert fold(folded) == folded


def test_several_texts_are_folded_as_each_alone() -> None:
    texts = ["ＪＡＶＡ", "", "臺灣，Taipei", "一　二"]
    assert folded(texts) == [fold(text) for text in texts] == ["java", "", "台湾,taipei", "一 二"]
    assert folded([]) == []
