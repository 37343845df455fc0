"""What is not seen is removed where it does not belong to the writing; other signs for a letter become the letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.text.folding import LONG_TEXT, RADICALS, spelled_out, visible
from topiccrawler.text.segmenter import PLAIN, fold, spelled_and_folded

FAMILY = "👨\u200d👩\u200d👧"
SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    "sign",
    [
        *"\u200b\ufeff\u2060\u00ad\u200d\u200c\u200e\u202e\u2066\u034f\u180e\ufe0f\x08\x00\x9d\ufffb",
        "\U000e0100",
        "\U000e0041",
    ],
)
def test_what_is_not_seen_splits_no_word(sign: str) -> None:
    assert visible(f"基{sign}金") == visible(f"{sign}基金{sign}") == "基金"
    assert PLAIN.words(f"基{sign}金定{sign}投") == ["基金", "定投"]
    assert PLAIN.words(f"貸{sign}款，Unter{sign}nehmen") == ["贷款", *PLAIN.words("Unternehmen")]


@pytest.mark.parametrize(
    "text",
    [
        FAMILY,
        "❤️‍🔥 1️⃣ ☎︎",
        SCOTLAND,
        "شुल्‍क क्‍ष",  # Hindi
        "می‌خواهم",  # Persian
        "แผน\u200bการออม",  # Thai: a blank in effect
        "ᠮᠣᠩᠭᠣᠯ᠋",
        "一行\n二行\t三",
        "café 한국어 Ａ股 ﬁ",
    ],
)
def test_what_belongs_to_the_writing_stays(text: str) -> None:
    assert visible(text) == text
    assert visible(f"基金。{text}") == f"基金。{text}"


def test_a_filler_is_a_blank_and_a_tag_without_a_flag_is_nothing() -> None:
    assert visible("기금\u3164투자") == "기금 투자"
    assert visible("🏳\U000e0067\U000e007f 基金") == "🏳 基金"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ﬁnance ofﬁce ﬂow", "finance office flow"),
        ("ﾒﾓﾘ ｶﾞｰﾄﾞ ﾌﾟﾘﾝﾀｰ", "メモリ ガード プリンター"),
        ("cafe\u0301 か\u3099く", "café がく"),
        ("한국 \uffa1\uffc2", "한국 가"),
        ("𝐅𝐮𝐧𝐝", "Fund"),
        ("\ufee3\ufeae\ufea3\ufe92\ufe8e", "مرحبا"),
        ("Ⅱ ① ㈱ ㎡", "Ⅱ ① ㈱ ㎡"),  # signs of their own
    ],
)
def test_other_signs_for_letters_are_spelled_out(text: str, expected: str) -> None:
    assert spelled_out(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("⾦融", "金融"),
        ("⻓期持有", "长期持有"),
        ("⾼效", "高效"),
        ("⽤户", "用户"),
        ("⾧⾞", "长车"),
        ("⻢⻋", "马车"),
    ],
)
def test_radicals_are_the_characters_that_they_look_like(text: str, expected: str) -> None:
    assert fold(text) == expected
    assert PLAIN.words(text) == PLAIN.words(expected)


def test_every_radical_has_one_character_which_is_none_itself() -> None:
    assert all(len(meant) == 1 and ord(meant) not in RADICALS for meant in RADICALS.values())
    assert [*range(0x2F00, 0x2FD6)] == [code for code in RADICALS if code >= 0x2F00]


@given(st.text())
def test_both_are_final_and_long_texts_are_read_as_short_ones(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    lead = "基" * LONG_TEXT
    assert visible(lead + text) == lead + visible(f"基{text}")[1:]
    assert spelled_out(lead + text) == lead + spelled_out(f"基{text}")[1:]


@given(st.text())
def test_one_table_spells_and_folds(text: str) -> None:
    for whole in (text, f"全角ＡＢ與繁體{text}", f"ﬁ ｶﾞ \uffff{text}"):
        assert spelled_and_folded(whole) == fold(spelled_out(whole))
