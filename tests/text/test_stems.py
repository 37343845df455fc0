"""Inflected Latin words have the stem of their base form; names, numbers and other scripts stay."""

from __future__ import annotations

import pytest

from topiccrawler.text.segmenter import stem, with_stems, words


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Electric cars", "an electric car"),
        ("Ｃｏｍｐａｎｉｅｓ", "company"),
        ("charging", "charged"),
        ("voitures électriques", "voiture électrique"),
        ("coches eléctricos", "coche eléctrico"),
    ],
)
def test_inflections_are_one_word(first: str, second: str) -> None:
    assert [word for word in words(first) if word in words(second)] == words(first)


@pytest.mark.parametrize("word", ["ios", "gps", "css", "mp3s", "基金", "c++", "москвы"])
def test_short_names_words_with_digits_and_other_scripts_stay(word: str) -> None:
    assert stem(word) == word


def test_a_list_holds_its_words_as_texts_and_as_addresses_have_them() -> None:
    assert with_stems("archives 首页") == {"archives", "archiv", "首页"}
