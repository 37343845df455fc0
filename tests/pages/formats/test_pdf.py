"""PDF files of programs: encodings of Chinese, Japanese and Korean fonts, damage, and files that are read in part."""

import zlib
from collections.abc import Callable

import pytest

from topiccrawler.pages.formats.reader import Formats, WorkerProcess
from topiccrawler.pages.formats.registry import UnreadableError

Pdf = Callable[..., bytes]


def stream(content: str) -> str:
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"


def with_font(pdf: Pdf, encoding: str, ordering: str, content: str) -> bytes:
    """A page whose font is named and not in the file. `content`: operators of text."""
    return pdf(
        ["x"],
        extra={
            4: stream(f"BT /F1 12 Tf 72 700 Td {content} ET"),
            5: f"<< /Type /Font /Subtype /Type0 /BaseFont /SimSun /Encoding /{encoding} /DescendantFonts [6 0 R] >>",
            6: "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /SimSun /CIDSystemInfo << /Registry (Adobe) "
            f"/Ordering ({ordering}) /Supplement 2 >> /DW 1000 /FontDescriptor 9 0 R >>",
            9: "<< /Type /FontDescriptor /FontName /SimSun /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 "
            "/Descent -120 /CapHeight 700 /StemV 80 >>",
        },
    )


@pytest.mark.parametrize(
    ("encoding", "ordering", "codec", "text"),
    [
        ("GBK-EUC", "GB1", "gbk", "债券的收益与风险"),
        ("GBKp-EUC", "GB1", "gbk", "债券的收益与风险"),
        ("GBK2K", "GB1", "gb18030", "债券的收益与风险"),
        ("UniGB-UTF16", "GB1", "utf-16-be", "债券的收益与风险"),
        ("UniGB-UCS2", "GB1", "utf-16-be", "债券的收益与风险"),
        ("B5pc", "CNS1", "big5", "債券的收益與風險"),
        ("HKscs-B5", "CNS1", "big5hkscs", "債券的收益與風險"),
        ("ETen-B5", "CNS1", "big5", "債券的收益與風險"),
        ("90msp-RKSJ", "Japan1", "cp932", "株式の収益"),
        ("EUC", "Japan1", "euc_jp", "株式の収益"),
        ("UniJIS-UTF16", "Japan1", "utf-16-be", "株式の収益"),
        ("KSCms-UHC", "Korea1", "cp949", "채권투자수익"),
        ("KSC-EUC", "Korea1", "euc_kr", "채권투자수익"),
    ],
)
def test_each_encoding_of_a_font_that_is_not_in_the_file_is_read(
    encoding: str, ordering: str, codec: str, text: str, formats: Formats, pdf: Pdf
) -> None:
    whole = f"<{text.encode(codec).hex()}> Tj"
    each = " ".join(f"<{character.encode(codec).hex()}> Tj" for character in text)
    for direction, content in (("H", whole), ("H", each), ("V", whole), ("V", each)):
        file = with_font(pdf, f"{encoding}-{direction}", ordering, content)
        assert formats.read("pdf", file).main_text() == text, (direction, content)


def test_a_character_alone_is_read(formats: Formats, pdf: Pdf) -> None:
    lines = " 0 -20 Td ".join(
        f"<{line.encode('gbk').hex()}> Tj" for line in ("一季度净值", "涨", "二季度净值", "跌")
    )
    file = with_font(pdf, "GBK-EUC-H", "GB1", lines)
    assert formats.read("pdf", file).main_text().split("\n") == ["一季度净值涨", "二季度净值跌"]


def test_a_pdf_without_its_table_is_read_as_viewers_do(formats: Formats, pdf: Pdf) -> None:
    whole = pdf(["基金定投。", "净值。"], link="http://a.test/x")
    body = whole[: whole.index(b"xref\n")] + b"trailer << /Size 9 /Root 1 0 R >>\n"
    expected = [("基金定投。", ""), ("净值。", ""), ("", "http://a.test/x")]
    assert formats.read("pdf", body).parts == expected
    assert formats.read("pdf", b"HTTP junk\r\n" + whole[: whole.index(b"startxref")]).parts == expected


def test_characters_beyond_the_basic_plane_are_read(formats: Formats, pdf: Pdf) -> None:
    assert formats.read("pdf", pdf(["吉𠮷野家"])).main_text() == "吉𠮷野家"


def test_a_url_in_chinese_behind_a_place_is_a_link(formats: Formats, pdf: Pdf) -> None:
    written = "http://a.test/公告?页=2".encode().decode("latin-1")
    found = formats.read("pdf", pdf(["基金"], link=written))
    assert found.parts == [("基金", ""), ("", "http://a.test/公告?页=2")]


def with_second_page(pdf: Pdf, operators: bytes) -> bytes:
    packed = zlib.compress(operators, 9).decode("latin-1")
    return pdf(
        ["第一页"],
        extra={
            2: "<< /Type /Pages /Kids [3 0 R 9 0 R] /Count 2 >>",
            9: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 10 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
            10: f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n{packed}\nendstream",
        },
    )


SHOW = b"BT /F1 12 Tf 72 700 Td <000100020003> Tj ET\n"


def test_pages_are_read_one_after_another(formats: Formats, pdf: Pdf) -> None:
    found = formats.read("pdf", with_second_page(pdf, SHOW))
    assert found.main_text().split("\n") == ["第一页", "一第页"]
    assert found.title == "第一页"


@pytest.mark.slow
def test_the_pages_before_one_that_takes_too_long_stay(pdf: Pdf) -> None:
    worker = WorkerProcess(seconds=5)
    assert worker.read("pdf", pdf(["起动"])).main_text() == "起动"
    assert worker.read("pdf", with_second_page(pdf, SHOW * 4_000_000)).main_text() == "第一页"
    assert worker._process is None  # it was killed
    assert worker.read("pdf", pdf(["还在"])).main_text() == "还在"
    worker.close()


def test_a_locked_pdf_is_called_so(formats: Formats, pdf: Pdf) -> None:
    encryption = "<< /Filter /Standard /V 1 /R 2 /O (" + "o" * 32 + ") /U (" + "u" * 32 + ") /P -4 >>"
    body = pdf(["基金"], extra={9: encryption}).replace(
        b"/Root 1 0 R", b"/Root 1 0 R /Encrypt 9 0 R /ID [(a) (a)]"
    )
    with pytest.raises(UnreadableError, match=r"^locked with a password$"):
        formats.read("pdf", body)
