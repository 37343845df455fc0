"""Charsets by bytes; whole pages stand in tests/pages/cases."""

import codecs
from time import process_time

import pytest
import webencodings
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


UNDECLARED = {
    "shift_jis": "積立投資は、毎月一定の金額を貯めたい人に向いています。",
    "euc_jp": "長く続けるほど、市場の値動きの影響は小さくなります。",
    "iso2022_jp": "手数料は商品によって大きく違うので、買う前に比べてみてください。",
    "cp949": "적립식 투자는 매달 일정한 금액을 모으고 싶은 사람에게 알맞습니다.",
    "cp1251": "План накоплений подходит тем, кто хочет откладывать каждый месяц.",
    "koi8-r": "Комиссии фондов сильно различаются, сравните их перед покупкой.",
    "cp866": "Кто ждёт достаточно долго, сглаживает колебания рынка.",
    "cp1253": "Το πρόγραμμα είναι κατάλληλο για όσους θέλουν να βάζουν χρήματα στην άκρη.",
    "iso8859-2": "Opłaty funduszy bardzo się różnią, dlatego warto je dokładnie porównać.",
    "cp1250": "Spořicí plán je vhodný pro ty, kteří chtějí každý měsíc něco odložit. Též šťastný.",
    "cp1252": "Les frais des fonds diffèrent beaucoup ; qui attend assez longtemps s’inquiète moins.",
    "cp1254": "Tasarruf planı, her ay belirli bir tutarı kenara koymak isteyenler için uygundur; ücretler değişir.",
    "cp1255": "תוכנית החיסכון מתאימה למי שרוצה להפריש סכום קבוע בכל חודש",
    "cp1256": "خطة الادخار مناسبة لمن يريد أن يوفر مبلغا ثابتا كل شهر",
}


def page_of(text: str, meta: str = "", before: str = "") -> str:
    return f"<html><head>{before}{meta}<title>{text}</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize("charset", UNDECLARED)
def test_other_languages_are_read_without_a_declaration(charset: str) -> None:
    html = page_of(UNDECLARED[charset])
    assert decode(html.encode(charset))[0] == html


@pytest.mark.parametrize("charset", ["cp1251", "koi8-r", "cp949", "shift_jis", "cp1253"])
def test_a_declaration_that_cannot_be_is_not_obeyed(charset: str) -> None:
    html = page_of(UNDECLARED[charset])
    assert decode(html.encode(charset), "utf-8")[0] == html


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("镇坪县曙坪镇", "gbk"),
        ("珊瑚虫", "gbk"),
        ("江夏郡", "gbk"),
        ("嫁奁捷运局", "gbk"),
        ("麦赐球苤蓝各车厢搅扰", "gbk"),
        ("讲述座舱全额预算", "gbk"),
        ("訂單號", "gbk"),
        ("巡航導彈", "gbk"),
        ("定期定額", "big5"),
        ("標題新聞", "big5"),
    ],
)
@pytest.mark.parametrize("declared", [None, "utf-8"])
def test_a_few_chinese_words_are_not_taken_for_another_language(
    text: str, codec: str, declared: str | None
) -> None:
    html = page_of(text)
    assert decode(html.encode(codec), declared)[0] == html


@pytest.mark.parametrize(
    "text", ["Café", "Gebühren für Anleger größer", "Vergütung", "varían el año que viene"]
)
def test_a_few_letters_of_a_latin_text_are_not_taken_for_chinese(text: str) -> None:
    html = page_of(text)
    assert decode(html.encode("cp1252")) == (html, "cp1252")


POLISH = UNDECLARED["iso8859-2"]
FILLING = "<script>" + "var x = 1;\n" * 1000 + "</script>"


@pytest.mark.parametrize(
    "meta",
    [
        "<meta charset=iso-8859-2>",
        "<META CharSet = ' ISO-8859-2 '/>",
        "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-2'>",
        '<meta content="text/html; Charset = latin2" http-equiv="content-type">',
        "<!-- <meta charset=koi8-r> --><meta charset=l2>",
        "<meta charset=x-unknown><meta charset=csisolatin2>",
        "<meta name=x content='charset=koi8-r'><meta charset=iso-ir-101>",
        "<p title='<meta charset=koi8-r>'><meta charset=iso8859-2>",
        "<meta charset=iso-8859-2><meta charset=koi8-r>",
        f"{FILLING}<meta charset=iso-8859-2>",
        f"{FILLING}<script>document.write('<meta charset=koi8-r>')</script><meta charset=iso-8859-2>",
        f"{FILLING}<style>/*<meta charset=koi8-r>*/</style><!--<meta charset=koi8-r>--><meta charset=iso-8859-2>",
        f"<!--{'x' * 5000}<meta charset=koi8-r>--><meta charset=iso-8859-2>",
    ],
)
def test_a_page_declares_its_charset_where_a_browser_finds_it(meta: str) -> None:
    html = page_of(POLISH, meta)
    assert decode(html.encode("iso8859-2")) == (html, "iso8859-2")


def test_an_xml_declaration_counts_at_the_beginning_alone() -> None:
    feed = f'<?xml version="1.0" encoding="KOI8-R"?><rss><title>{UNDECLARED["koi8-r"]}</title></rss>'
    assert decode(feed.encode("koi8-r")) == (feed, "koi8-r")
    html = page_of("Новости", before="<?xml encoding='iso-8859-7'?>")
    assert decode(html.encode("cp1251"), "windows-1251") == (html, "cp1251")


@pytest.mark.parametrize("label", ["gb2312", "iso-8859-1", "big5", "koi8-r", "x-unknown"])
@pytest.mark.parametrize(
    ("text", "codec"), [(SIMPLIFIED, "gbk"), (TRADITIONAL, "big5"), (TRADITIONAL, "gb18030")]
)
def test_chinese_with_a_wrong_charset_in_its_page_is_read(text: str, codec: str, label: str) -> None:
    html = page_of(text, f"<meta charset={label}>", FILLING)
    assert decode(html.encode(codec))[0] == html


STANDARD = {
    "windows-1251": "cp1251", "koi8-r": "koi8-r", "ibm866": "cp866", "windows-1253": "cp1253", "iso-8859-2": "iso8859-2",
    "windows-1250": "cp1250", "windows-1252": "cp1252", "windows-1254": "cp1254", "windows-1255": "cp1255", "windows-1256": "cp1256",
    "shift_jis": "shift_jis", "euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp", "euc-kr": "cp949",
}  # fmt: skip


@pytest.mark.parametrize("label", [label for label, name in webencodings.LABELS.items() if name in STANDARD])
def test_every_label_of_the_encoding_standard_is_known(label: str) -> None:
    codec = STANDARD[webencodings.LABELS[label]]
    text = UNDECLARED[codec][:12]  # too short for a detector
    assert decode(text.encode(codec), f" {label.upper()} ")[0] == text
    html = f"<meta charset='{label}'>{text}"
    assert decode(html.encode(codec))[0] == html


@pytest.mark.parametrize(
    "hostile",
    [
        b"<meta charset", b"<meta charset='", b"<!--charset", b"<a b=\"charset<", b"<script>charset", b"<meta a=b ", b"<charset =",
        b"charset<!", b"<?xml encoding=", b"<meta http-equiv=content-type content='charset=", b"\x1b$)C", b"~{", b"<p>=charset=\"'",
    ],
)  # fmt: skip
@pytest.mark.parametrize("ending", [b"", b"\xff", b"\xc4\xe3"])
def test_hostile_declarations_cost_no_time(hostile: bytes, ending: bytes) -> None:
    began = process_time()
    decode(hostile * (400_000 // len(hostile)) + ending)
    assert process_time() - began < 2
