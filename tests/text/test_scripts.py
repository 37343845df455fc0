"""Texts in scripts without blanks, and with marks above and below their letters."""

import pytest

from topiccrawler.text.segmenter import PLAIN, Segmenter, words

JAPANESE = Segmenter(["買い物", "ぼかし", "すし", "プリンター", "カメラ"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("カメラのレンズと写真撮影", ["カメラ", "レンズ", "写真", "撮影"]),
        ("らーめん屋さん", ["らーめん", "さん"]),
        ("फ़ॉन्ट का आकार", ["फ़ॉन्ट", "का", "आकार"]),
        ("กล้องถ่ายรูป", ["กล้องถ่ายรูป"]),
        ("قاموسٌ", ["قاموس"]),
        ("Bu\u0308cher", ["b\u00fccher"]),
        ("ic卡，a股和c++", ["ic卡", "a股", "c++"]),
    ],
)
def test_a_run_of_one_script_with_its_marks_is_a_word(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("買い物に行く", ["买い物"]),
        ("写真をぼかしてみる", ["写真", "ぼかし", "てみる"]),
        ("おいしい、すしを", ["おいしい", "すし"]),
        ("話ですし", ["ですし"]),  # no word of two hiragana behind others
        ("カメラレンズとデジタルカメラ", ["カメラ", "レンズ", "デジタル", "カメラ"]),
        ("カメラマンの話", ["カメラマン"]),
        ("プリンタの設定、プリンタードライバー", ["プリンタ", "设定", "プリンタ", "ドライバ"]),
        ("カメラ\ue000ぼかし", ["カメラ", "ぼかし"]),  # a character for private use is none of ours
        ("a股カメラ", ["a股", "カメラ"]),
    ],
)
def test_phrases_of_a_topic_are_found_within_runs(text: str, found: list[str]) -> None:
    assert JAPANESE.words(text) == found


def test_in_thai_the_words_of_a_topic_are_found_where_the_text_has_them() -> None:
    assert Segmenter(["กล้อง"]).words("ซื้อกล้องใหม่") == ["ซื้อ", "กล้อง", "ใหม่"]
    assert "กล้อง" not in PLAIN.words("ซื้อกล้องใหม่")


def test_phrases_need_no_dictionary_of_their_own() -> None:
    assert not JAPANESE.has_own_dictionary
    assert Segmenter(["纯电动"]).has_own_dictionary
    assert JAPANESE.keeping(["食べ歩き"]) is JAPANESE  # no index has it
    assert JAPANESE.keeping(["纯电动"]).words("纯电动と買い物") == ["纯电动", "买い物"]
