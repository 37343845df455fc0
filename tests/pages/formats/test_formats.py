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
    with monkeypatch.context() as full:
        full.setattr("subprocess.Popen", _fail_for_want_of_space)
        with pytest.raises(UnreadableError, match="No space left on device"):
            worker.read("docx", word_file)
    assert worker.read("docx", word_file).title == "基金年报"
    worker.close()


def _fail_for_want_of_space(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_the_libraries_of_the_worker_are_in_no_other_process(pdf: Pdf) -> None:
    code = (
        "import sys; from topiccrawler import read; body = sys.stdin.buffer.read();"
        "assert read(body).format == 'pdf' and read(b'<rss><item><title>x</title></item></rss>').text == 'x';"
        "print(*{'pypdfium2', 'feedparser'} & set(sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], input=pdf(["基金"]), capture_output=True, check=True, timeout=120
    )
    assert ran.stdout.split() == []
