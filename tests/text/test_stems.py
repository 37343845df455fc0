"""Inflected words have the stem of their base form, in whichever script; names and numbers stay."""

import pytest

from topiccrawler.text.segmenter import Segmenter, words
from topiccrawler.text.stemmer import OTHER, stem


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Electric cars", "an electric car"),
        ("Ｃｏｍｐａｎｉｅｓ", "company"),
        ("charging", "charged"),
        ("voitures électriques", "voiture électrique"),
        ("coches eléctricos", "coche eléctrico"),
        ("книги", "книга"),
        ("κάμερες", "κάμερα"),
        ("الكتب", "كتب"),
        ("사진을", "사진"),
        ("카메라에서", "카메라"),
        ("プリンター", "プリンタ"),
    ],
)
def test_inflections_are_one_word(first: str, second: str) -> None:
    assert [word for word in words(first) if word in words(second)] == words(first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ebenen", "Ebene"),  # German
        ("Wörterbücher", "Wörterbuch"),
        ("fotografie", "fotografia"),  # Italian
        ("imágenes", "imagen"),  # Spanish
        ("lettertypen", "lettertype"),  # Dutch
        ("drukarkami", "drukarka"),  # Polish
        ("tiskárny", "tiskárna"),  # Czech
        ("kameror", "kamera"),  # Swedish
    ],
)
def test_where_words_are_of_another_language_endings_of_many_are_removed(first: str, second: str) -> None:
    segmenter = Segmenter(language=OTHER)
    assert segmenter.words(first) == segmenter.words(second) != []
    assert len(segmenter.words(second)[0]) >= 4


def test_segmenters_of_two_languages_share_no_words() -> None:
    other = Segmenter(language=OTHER)
    assert (words("Ebenen"), other.words("Ebenen"), words("Ebenen")) == (["ebenen"], ["eben"], ["ebenen"])
    assert other == Segmenter(language=OTHER) != Segmenter()


@pytest.mark.parametrize("word", ["ios", "gps", "css", "mp3s", "基金", "c++", "사진", "かも", "บ้าน", "мир"])
def test_short_names_words_with_digits_and_other_scripts_stay(word: str) -> None:
    assert stem(word) == word
