"""Each format read, and each kind of hostile file stopped."""

import errno
import io
import os
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable

import docx
import openpyxl
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from topiccrawler.pages.formats.reader import Formats, WorkerProcess
from topiccrawler.pages.formats.registry import UnreadableError

Pdf = Callable[..., bytes]
Rezip = Callable[[bytes, dict[str, bytes]], bytes]


def text_or_fault(formats: Formats, kind: str, body: bytes) -> str:
    """Both are fine for a hostile file; what must not come is anything else, or nothing for ever."""
    try:
        return formats.read(kind, body).main_text()
    except UnreadableError as fault:
        return f"fault: {fault}"


def test_pdf_gives_paragraphs_over_broken_lines_its_title_day_and_links(formats: Formats, pdf: Pdf) -> None:
    lines = ["股票市场今天上涨，银行和保险", "公司的成交量也放大了。", "完毕"]
    found = formats.read("pdf", pdf(lines, title="市场日报", link="http://a.test/x"))
    assert (found.title, found.published) == ("市场日报", "20230506")
    assert found.parts == [
        ("股票市场今天上涨，银行和保险公司的成交量也放大了。", ""),
        ("完毕", ""),
        ("", "http://a.test/x"),
    ]


def test_a_pdf_without_a_title_is_called_by_its_first_line(formats: Formats, pdf: Pdf) -> None:
    assert formats.read("pdf", pdf(["基金。"], title="Microsoft Word - 1.doc")).title == "基金。"


def test_docx_gives_paragraphs_tables_and_author_in_order(formats: Formats, word_file: bytes) -> None:
    found = formats.read("docx", word_file)
    assert (found.title, found.author) == ("基金年报", "张三")
    assert found.main_text().split("\n") == ["基金年报", "股票市场 回暖。", "合计", "一季度 二季度"]


def test_a_table_of_a_docx_gives_equal_cells_links_and_inner_tables(formats: Formats) -> None:
    document = docx.Document()
    table = document.add_table(2, 4)
    for cell, text in zip(table.rows[0].cells, ["100", "100", "0", "0"], strict=True):
        cell.text = text
    table.cell(1, 0).merge(table.cell(1, 1)).text = "附件"
    paragraph = table.cell(1, 2).paragraphs[0]
    number = document.part.relate_to("http://a.test/more", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), number)
    link.append(OxmlElement("w:r"))
    link[0].text = "详情"
    paragraph._p.append(link)
    table.cell(1, 3).add_table(1, 1).cell(0, 0).text = "内表"
    stream = io.BytesIO()
    document.save(stream)
    assert formats.read("docx", stream.getvalue()).parts == [
        ("100 100 0 0", ""),
        ("附件 详情", ""),
        ("详情", "http://a.test/more"),
        ("内表", ""),
    ]


def test_a_nought_in_a_workbook_is_a_cell(formats: Formats) -> None:
    book = openpyxl.Workbook()
    book.active.append(["亏损", 0, None, 5, 0.0, False])
    stream = io.BytesIO()
    book.save(stream)
    assert formats.read("xlsx", stream.getvalue()).parts == [("亏损 0 5 0 False", "")]


def test_xlsx_gives_a_line_a_row_and_urls_as_links(formats: Formats, workbook: bytes) -> None:
    assert formats.read("xlsx", workbook).parts == [
        ("基金 1.5", ""),
        ("公告 http://a.test/notice", ""),
        ("", "http://a.test/notice"),
        ("股票", ""),
    ]


def test_pptx_gives_shapes_links_and_notes(formats: Formats, slides: bytes) -> None:
    found = formats.read("pptx", slides)
    assert found.title == "理财课"
    assert found.parts == [("理财课", ""), ("详情", ""), ("详情", "http://a.test/more"), ("讲五分钟", "")]


def test_plain_text_gives_lines_and_written_links(formats: Formats) -> None:
    found = formats.read("text", "公告\r\n\r\n详见http://a.test/a?b=1。再见\n".encode("gbk"), "gbk")
    assert found.title == "公告"
    assert found.parts == [
        ("公告", ""),
        ("详见http://a.test/a?b=1。再见", ""),
        ("", "http://a.test/a?b=1"),
    ]


@pytest.mark.parametrize(
    ("xml", "title", "parts"),
    [
        (
            (
                '<?xml version="1.0" encoding="gb2312"?><rss version="2.0"><channel><title>新闻</title><item>'
                "<title><![CDATA[基金]]></title><link> http://a.test/1 </link>"
                "<description>&lt;p&gt;股票&lt;b&gt;上涨&lt;/b&gt;&lt;/p&gt;</description></item>"
                "<item><title>黄金</title><guid>http://a.test/2</guid></item><item><title>无</title><guid>7</guid></item>"
                "</channel></rss>"
            ),
            "新闻",
            [("基金", "http://a.test/1"), ("股票上涨", ""), ("黄金", "http://a.test/2"), ("无", "")],
        ),
        (
            (
                '<feed xmlns="http://www.w3.org/2005/Atom"><title>博客</title><entry><title type="html">a &amp;amp; b</title>'
                '<link rel="edit" href="/e"/><link href="/3"/><summary>短</summary><content>长</content></entry></feed>'
            ),
            "博客",
            [("a & b", "/3"), ("短", "")],
        ),
        (
            (
                '<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/"><channel><title>旧</title></channel>'
                "<item><title>债券</title><link>http://a.test/4</link></item></rdf:RDF>"
            ),
            "旧",
            [("债券", "http://a.test/4")],
        ),
        (
            "<rss><channel><title>坏 & 破</title><item><title>未完<link>http://a.test/5</link></item>",
            "坏 & 破",
            None,
        ),
    ],
    ids=["rss", "atom", "rss 1.0", "broken"],
)
def test_feeds_are_lists_of_links_with_headlines(
    formats: Formats, xml: str, title: str, parts: list[tuple[str, str]] | None
) -> None:
    found = formats.read("feed", xml.encode("gb18030"), "gb2312")
    assert found.title == title
    assert parts is None or found.parts == parts
    assert found.main_text() == ""


@pytest.mark.parametrize("fault", ["&", "&nbsp;", "&nosuchname;", "&#11;", "&#x110000;", "&#", "&amp"])
def test_no_fault_in_a_listing_takes_signs_out_of_the_addresses_after_it(
    fault: str, formats: Formats
) -> None:
    written, address = (
        "http://a.test/t.php?fid=1&amp;tid=2&p=3&#38;x=%26",
        "http://a.test/t.php?fid=1&tid=2&p=3&x=%26",
    )
    feed = f"<rss><item><link>{written}</link></item><item><title>x{fault}</title></item><item><link>{written}</link></item>"
    assert [url for _, url in formats.read("feed", feed.encode()).parts if url] == [address, address]
    sitemap = f"<urlset><url><loc>{written}</loc><title>x{fault}</title></url><url><loc>{written}</loc></url>"
    assert [url for _, url in formats.read("sitemap", sitemap.encode()).parts] == [address, address]


def test_cdata_in_a_listing_holds_no_references(formats: Formats) -> None:
    written = "<![CDATA[http://a.test/?a=1&b=2&c]]>"
    feed = f"<rss>&<item><link>{written}</link><!-- & <link> --></item></rss>"
    assert formats.read("feed", feed.encode()).parts == [("", "http://a.test/?a=1&b=2&c")]
    sitemap = f"<urlset>&<url><loc>{written}</loc><!-- & <loc> --></url></urlset>"
    assert formats.read("sitemap", sitemap.encode()).parts == [("", "http://a.test/?a=1&b=2&c")]


def test_titles_and_summaries_of_a_feed_are_what_a_reader_of_their_html_sees(formats: Formats) -> None:
    feed = (
        "<rss><channel><title><![CDATA[Tom &amp; Jerry&#8217;s]]></title><item><title>Q&amp;A: 1 &lt; 2</title>"
        "<description><![CDATA[基金&nbsp;年报 [&hellip;]]]></description></item><item><title>二</title><description>"
        "<![CDATA[<style>p{}</style><p>人<b>工智</b>能</p><p>股票</p><script>var x</script>]]></description></item></channel></rss>"
    )
    found = formats.read("feed", feed.encode())
    assert found.title == "Tom & Jerry’s"
    assert [text for text, _ in found.parts] == ["Q&A: 1 < 2", "基金 年报 […]", "二", "人工智能 股票"]


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("http://b.test/blog/", "http://b.test/blog/x.html"),
        ("/blog/", "/blog/x.html"),
        ("http://[broken", "x.html"),
        ("", "x.html"),
    ],
)
def test_links_of_atom_are_relative_to_its_base(base: str, address: str, formats: Formats) -> None:
    feed = (
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="{base}"><entry><link href="x.html"/></entry>'
        '<entry xml:base="http://c.test/"><link href="y.html"/></entry><entry><link href="http://d.test/z"/></entry></feed>'
    )
    urls = [url for _, url in formats.read("feed", feed.encode()).parts]
    assert urls == [address, "http://c.test/y.html", "http://d.test/z"]


def test_names_of_html_in_a_feed_are_read_and_others_left_out(formats: Formats) -> None:
    feed = (
        "<rss><channel><title>基金&nbsp;年报&copy;&nosuch;&#20013;&#x56fd;&#0;</title><item/></channel></rss>"
    )
    assert formats.read("feed", feed.encode()).title == "基金 年报©中国"


def test_sitemaps_are_lists_of_links_packed_or_not(formats: Formats) -> None:
    xml = (
        '<urlset xmlns:n="news"><url><loc> http://a.test/1 </loc><n:news><n:title>头条</n:title></n:news></url>'
        "<url><loc>http://a.test/2</loc></url><url/></urlset>"
    ).encode()
    packer = zlib.compressobj(wbits=31)
    packed = packer.compress(xml) + packer.flush()
    for body in (xml, packed):
        found = formats.read("sitemap", body)
        assert found.parts == [("头条", "http://a.test/1"), ("", "http://a.test/2")]


def test_an_image_sitemap_gives_captions(formats: Formats) -> None:
    xml = "<urlset><url><loc>http://a.test/1</loc><i:image xmlns:i='i'><i:caption>基金经理</i:caption></i:image></url></urlset>"
    assert formats.read("sitemap", xml.encode()).parts == [("", "http://a.test/1"), ("基金经理", "")]


def test_the_address_of_a_picture_above_that_of_its_page_is_not_the_page(formats: Formats) -> None:
    xml = (
        "<urlset xmlns:i='i'><url><i:image><i:loc>http://a.test/1.jpg</i:loc><i:caption>基金经理</i:caption></i:image>"
        "<loc>http://a.test/1</loc></url><url><i:image><i:loc>http://a.test/2.jpg</i:loc></i:image></url></urlset>"
    )
    assert formats.read("sitemap", xml.encode()).parts == [("", "http://a.test/1"), ("基金经理", "")]


def test_hexos_search_xml_gives_titles_and_the_beginnings_of_texts(formats: Formats) -> None:
    long = "&lt;p&gt;股票上涨&lt;/p&gt;" + "长文" * 5_000
    xml = (
        f"<search><entry><title>基金</title><url>/1/</url><content>{long}</content><tags><tag>理财</tag></tags></entry>"
        '<entry><title>债券</title><link href="/2/"/><url>/2/</url></entry></search>'
    )
    found = formats.read("feed", xml.encode())
    assert [part for part in found.parts if part[1]] == [("基金", "/1/"), ("债券", "/2/")]
    assert found.parts[1][0].startswith("股票上涨")
    assert len(found.parts[1][0]) == 400


@pytest.mark.slow
def test_hostile_listings_of_a_million_lines_are_bounded(formats: Formats) -> None:
    urls = b"".join(b"<url><loc>http://a.test/%d</loc></url>" % number for number in range(1_000_000))
    assert len(formats.read("sitemap", b"<urlset>" + urls).parts) == 5_000
    entries = b"<entry><title>x</title><url>/1</url></entry>" * 100_000
    assert len(formats.read("feed", b"<search>" + entries).parts) == 1_000


def test_an_extract_as_a_page_says_the_same_and_no_more(formats: Formats) -> None:
    found = formats.read("text", b"<script>alert(1)</script> & more\nhttp://a.test/?x=1&y=<2")
    assert found.as_html().count("<script") == 0
    assert '<a href="http://a.test/?x=1&amp;y="></a>' in found.as_html()


LAUGHS = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
BOMB = f'<!DOCTYPE rss [<!ENTITY a "haha"><!ENTITY f SYSTEM "file:///etc/passwd">{LAUGHS}]>'


def test_entities_of_feeds_and_sitemaps_are_not_replaced(formats: Formats) -> None:
    feed = f"{BOMB}<rss><channel><title>x&i;&f;</title><item><title>&i;&f;</title><link>http://a.test/</link></item></channel></rss>"
    found = formats.read("feed", feed.encode())
    assert all(len(text) < 20 and "root" not in text for text, _ in found.parts)
    sitemap = f"{BOMB}<urlset><url><loc>http://a.test/&i;</loc></url></urlset>"
    assert all(len(url) < 30 for _, url in formats.read("sitemap", sitemap.encode()).parts)


@pytest.mark.parametrize(
    ("kind", "member", "xml"),
    [
        (
            "docx",
            "word/document.xml",
            (
                '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>'
                "&i;&f;</w:t></w:r></w:p></w:body></w:document>"
            ),
        ),
        (
            "xlsx",
            "xl/sharedStrings.xml",
            '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>&i;&f;</t></si></sst>',
        ),
    ],
)
def test_entities_of_office_files_are_not_replaced(
    kind: str, member: str, xml: str, formats: Formats, word_file: bytes, workbook: bytes, rezip: Rezip
) -> None:
    file = rezip({"docx": word_file, "xlsx": workbook}[kind], {member: f"{BOMB}{xml}".encode()})
    outcome = text_or_fault(formats, kind, file)
    assert len(outcome) < 350
    assert "root:" not in outcome
    assert "haha" * 10 not in outcome


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["docx", "xlsx", "pptx"])
def test_a_zip_bomb_is_refused_by_its_size(
    kind: str, formats: Formats, word_file: bytes, workbook: bytes, slides: bytes, rezip: Rezip
) -> None:
    file = rezip(
        {"docx": word_file, "xlsx": workbook, "pptx": slides}[kind], {"bomb.xml": bytes(101_000_000)}
    )
    assert len(file) < 500_000
    with pytest.raises(UnreadableError, match=r"parts, 101,.* bytes unpacked"):
        formats.read(kind, file)


@pytest.mark.slow
def test_a_zip_bomb_that_lies_about_its_size_is_refused(
    formats: Formats, word_file: bytes, rezip: Rezip
) -> None:
    size = 101_000_000
    lying = bytearray(rezip(word_file, {"word/document.xml": bytes(size)}))
    true, claimed = size.to_bytes(4, "little"), (1000).to_bytes(4, "little")
    at = lying.find(true)
    while at >= 0:
        lying[at : at + 4] = claimed
        at = lying.find(true)
    with zipfile.ZipFile(io.BytesIO(bytes(lying))) as archive:
        assert archive.getinfo("word/document.xml").file_size == 1000
    with pytest.raises(UnreadableError, match=r"\w"):
        formats.read("docx", bytes(lying))


def test_a_sheet_that_claims_a_million_rows_is_read_quickly(
    formats: Formats, workbook: bytes, rezip: Rezip
) -> None:
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:XFD1048576"/>'
        '<sheetData><row r="1"><c r="A1"><v>7</v></c></row><row r="1048576"><c r="XFD1048576"><v>8</v></c></row>'
        "</sheetData></worksheet>"
    )
    found = formats.read("xlsx", rezip(workbook, {"xl/worksheets/sheet1.xml": sheet.encode()}))
    assert found.parts == [("7", ""), ("8", ""), ("股票", "")]


def test_a_pdf_whose_pages_lead_in_a_circle_ends(formats: Formats, pdf: Pdf) -> None:
    circle = pdf(["股票"], extra={2: "<< /Type /Pages /Kids [3 0 R 2 0 R 2 0 R] /Count 99999999 >>"})
    started = time.monotonic()
    assert text_or_fault(formats, "pdf", circle)[:6] in ("股票", "", "fault:")
    assert time.monotonic() - started < 60


@pytest.mark.slow
def test_a_pdf_stream_that_unpacks_to_gigabytes_hurts_nobody(formats: Formats, pdf: Pdf) -> None:
    packed = zlib.compress(bytes(200_000_000), 9).decode("latin-1")
    bomb = pdf(
        ["股票"],
        extra={4: f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n{packed}\nendstream"},
    )
    assert "股票" not in text_or_fault(formats, "pdf", bomb)
    assert formats.read("pdf", pdf(["还在"])).main_text() == "还在"


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "pptx"])
@pytest.mark.parametrize("body", [b"", b"%PDF-1.4", b"PK\x03\x04", b"PK\x05\x06" + bytes(18)])
def test_damaged_files_give_a_reason(kind: str, body: bytes, formats: Formats) -> None:
    with pytest.raises(UnreadableError, match=r"\w"):
        formats.read(kind, body)


def test_too_large_a_file_is_not_given_to_the_worker(word_file: bytes) -> None:
    with pytest.raises(UnreadableError, match="bytes"):
        Formats(most_bytes=100).read("docx", word_file)


def test_a_file_that_takes_too_long_ends_its_worker_and_the_next_file_gets_another(word_file: bytes) -> None:
    worker = WorkerProcess(seconds=0.001)
    with pytest.raises(UnreadableError, match="took too long"):
        worker.read("docx", word_file)
    worker.seconds = 60.0
    assert worker.read("docx", word_file).title == "基金年报"
    worker.close()


def test_a_worker_that_dies_is_replaced(word_file: bytes) -> None:
    worker = WorkerProcess(seconds=60)
    assert worker.read("docx", word_file).title == "基金年报"
    process = worker._process
    assert process is not None
    process.kill()
    process.wait()
    assert worker.read("docx", word_file).title == "基金年报"
    assert worker._process is not process
    worker.close()


def test_a_file_that_no_room_is_left_for_is_unreadable_and_the_next_is_read(
    word_file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = WorkerProcess(seconds=60)
    for lacking in ("tempfile.NamedTemporaryFile", "subprocess.Popen"):
        with monkeypatch.context() as full:
            full.setattr(lacking, _fail_for_want_of_space)
            with pytest.raises(UnreadableError, match="No space left on device"):
                worker.read("docx", word_file)
    assert worker.read("docx", word_file).title == "基金年报"
    worker.close()


def _fail_for_want_of_space(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_the_reason_is_written_as_the_reader_wrote_it(formats: Formats, rezip: Rezip) -> None:
    stream = io.BytesIO()
    zipfile.ZipFile(stream, "w").close()
    file = rezip(stream.getvalue(), {"word/document.xml": b"no markup"})
    with pytest.raises(UnreadableError, match=r"^damaged \(word/document\.xml is no XML\)$"):
        formats.read("docx", file)


def test_no_reader_means_unreadable(formats: Formats) -> None:
    with pytest.raises(UnreadableError, match="no format 'unknown'"):
        formats.read("unknown", b"x")


def test_the_libraries_of_the_worker_are_in_no_other_process(pdf: Pdf) -> None:
    code = (
        "import sys; from topiccrawler import read; body = sys.stdin.buffer.read();"
        "assert read(body).format == 'pdf' and read(b'<rss><item><title>x</title></item></rss>').text == 'x';"
        "print(*{'pypdfium2', 'feedparser', 'fontTools'} & set(sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], input=pdf(["基金"]), capture_output=True, check=True, timeout=120
    )
    assert ran.stdout.split() == []
