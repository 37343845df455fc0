"""Charsets by bytes; whole pages stand in tests/pages/cases."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.text.characters import decode

SIMPLIFIED = "今天的市场表现很好，大家对未来有信心。但是也有人说，风险还没有过去。"
TRADITIONAL = "今天的市場表現很好，大家對未來有信心。但是也有人說，風險還沒有過去。"
LABELS = [
    None,
    "utf-8",
    "gb2312",
    "GBK",
    "gb18030",
    "big5",
    "iso-8859-1",
    "windows-1252",
    "euc-kr",
    "euc-jp",
    "shift_jis",
    "windows-874",
    "utf-16",
    "nonsense",
    "",
]


@pytest.mark.parametrize("declared", LABELS)
@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (SIMPLIFIED, "utf-8", "utf-8"),
        (SIMPLIFIED, "gbk", "gb18030"),
        (SIMPLIFIED + "㐀𠮷", "gb18030", "gb18030"),
        (TRADITIONAL, "big5", "big5hkscs"),
        (TRADITIONAL, "utf-8", "utf-8"),
        (TRADITIONAL, "gbk", "gb18030"),
    ],
)
def test_running_chinese_is_read_whatever_is_declared(
    text: str, codec: str, name: str, declared: str | None
) -> None:
    assert decode(text.encode(codec), declared) == (text, name)


@pytest.mark.parametrize("codec", ["utf-8", "gbk", "big5"])
def test_only_the_bad_byte_is_replaced(codec: str) -> None:
    before, after = TRADITIONAL.encode(codec), ("<p>" + TRADITIONAL).encode(codec)
    assert decode(before + b"\xff" + after)[0] == f"{TRADITIONAL}�<p>{TRADITIONAL}"


def test_the_encoding_with_fewer_errors_wins_over_the_declared_one() -> None:
    body = SIMPLIFIED.encode() + b"\xff" + SIMPLIFIED.encode()
    assert decode(body, "gb2312") == (f"{SIMPLIFIED}�{SIMPLIFIED}", "utf-8")


@pytest.mark.parametrize("declared", [None, "utf-8", "gbk", "big5", "iso-8859-1", "shift_jis"])
@pytest.mark.parametrize("bad", [b"\xff", b"\xe4\xb8", b"\xa0"])
@pytest.mark.parametrize(
    "text",
    [
        "Электронные книги и новости рынка. ",
        "Les élèves français étudient à l'école. ",
        "ארבעה ספרים חדשים. ",
    ],
)
def test_one_bad_byte_does_not_make_another_encoding_of_utf8(
    text: str, bad: bytes, declared: str | None
) -> None:
    whole = text.encode() * 30
    assert decode(bad + whole, declared) == ("�" + text * 30, "utf-8")
    assert decode(whole + bad + whole, declared) == (text * 30 + "�" + text * 30, "utf-8")
    assert decode(whole + b" " * 2000 + bad, declared) == (text * 30 + " " * 2000 + "�", "utf-8")


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32-le"),
        (b"\x84\x31\x95\x33", "gb18030", "gb18030"),
    ],
)
def test_a_byte_order_mark_beats_the_declaration_and_is_no_text(mark: bytes, codec: str, name: str) -> None:
    assert decode(mark + "<p>中文".encode(codec), "big5") == ("<p>中文", name)


def test_words_too_short_to_decide_follow_the_declaration() -> None:
    assert decode("联通".encode("gbk"), "gbk") == ("联通", "gb18030")
    assert decode("¶Ô".encode(), "utf-8") == ("¶Ô", "utf-8")


def test_valid_utf8_of_another_language_is_not_taken_for_declared_gbk() -> None:
    text = "Привет, мир, как дела сегодня"
    assert decode(text.encode(), "gbk") == (text, "utf-8")


@pytest.mark.parametrize(
    ("text", "codec", "label"),
    [
        ("Привет, мир, как дела", "cp1251", "windows-1251"),
        ("こんにちは、世界", "shift_jis", "Shift_JIS"),
        ("こんにちは、世界", "euc-jp", "euc-jp"),
        ("안녕하세요, 세계", "euc-kr", "EUC-KR"),
        ("디지털 카메라와 렌즈를 고르는 방법을 설명합니다", "euc-kr", "ks_c_5601-1989"),  # valid GBK too
        ("デジタルカメラのレンズと写真の撮り方", "euc-jp", "x-euc-jp"),
        ("กล้องถ่ายรูปและเลนส์", "cp874", "windows-874"),
        ("Фотоаппараты и объективы", "koi8-r", "koi8"),
        ("Türkçe şarkı sözleri ışık", "cp1254", "iso-8859-9"),
        ("Lietuvių kalba", "iso8859-13", "iso885913"),
        ("שלום עולם", "cp1255", "x-cp1255"),
        ("مرحبا بالعالم", "iso8859-6", "ISO-8859-6-I"),
        ("déjà l’été", "cp1252", "iso-8859-1"),
    ],
)
def test_other_languages_are_read_by_their_declaration(text: str, codec: str, label: str) -> None:
    assert decode(text.encode(codec), label)[0] == text
    assert decode(f"<meta charset='{label}'>{text}".encode(codec))[0] == f"<meta charset='{label}'>{text}"


def test_a_lone_80_in_gbk_is_the_euro_sign() -> None:
    assert decode(b"\x80 100", "gbk") == ("€ 100", "gb18030")


def test_zeros_of_a_binary_file_are_not_utf16() -> None:
    assert decode(b"PK\x03\x04" + bytes(200) + b"<\x00\x00\x00" * 40)[1] != "utf-16-le"


def test_pure_ascii_is_utf8_whatever_is_declared() -> None:
    assert decode(b"<p>plain</p>", "gbk") == ("<p>plain</p>", "utf-8")
    assert decode("市场".encode("hz"), "hz-gb-2312") == ("市场", "hz")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_gb18030_text_of_usual_chinese_decodes_without_replacement(text: str) -> None:
    body = (SIMPLIFIED * 3 + text.replace("�", "")).encode("gb18030")
    assert "�" not in decode(body, "gbk")[0]


@given(
    st.binary(max_size=300),
    st.sampled_from([*LABELS, "hex", "rot13", "utf-7", "idna", "unicode_escape", "a\0b", "x" * 5000, "中"]),
)
def test_no_bytes_and_no_label_raise(body: bytes, declared: str | None) -> None:
    text, name = decode(body, declared)
    assert isinstance(text, str)
    codecs.lookup(name)


def test_an_encoding_by_which_markup_can_be_hidden_is_not_obeyed() -> None:
    body = rb"<meta charset=unicode_escape>\u003cscript\u003e \x3c\<" + "股票".encode("gbk")
    assert decode(body) == (body.decode("gb18030"), "gb18030")
    assert decode(body, "raw_unicode_escape")[1] == "gb18030"
