from __future__ import annotations

from topiccrawler.text.characters import RANGES, script_counts

NONE = dict.fromkeys(RANGES, 0)


def test_characters_are_counted_by_script() -> None:
    counts = script_counts("基金㐀 ETF ａ１，ひらカナ 한국 Мир é")
    assert counts == {"kana": 4, "hangul": 2, "han": 3, "cyrillic": 3, "latin": 4}


def test_a_text_without_letters_has_none() -> None:
    assert script_counts("") == script_counts("12 3!") == NONE


def test_characters_beyond_the_basic_plane_and_halves_of_them_are_of_no_script() -> None:
    assert script_counts("𠮷😀\ud840\udfb7\ud840") == NONE
