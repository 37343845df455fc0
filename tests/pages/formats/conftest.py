"""Files made in memory: each as small as its format allows."""

import io
import zipfile
from collections.abc import Callable, Iterator

import docx
import openpyxl
import pptx
import pytest

from topiccrawler.pages.formats.reader import Formats


@pytest.fixture(scope="module")
def formats() -> Iterator[Formats]:
    """One worker for all tests of a module, with room for a busy machine."""
    shared = Formats(seconds=60)
    yield shared
    shared.close()


def _pdf(lines: list[str], *, title: str = "", link: str = "", extra: dict[int, str] | None = None) -> bytes:
    """A one-page PDF whose font maps codes 1, 2 … to the characters of the text."""
    characters = sorted({character for line in lines for character in line})
    code = {character: number for number, character in enumerate(characters, 1)}
    displayed = "".join(f"<{''.join(f'{code[c]:04x}' for c in line)}> Tj 0 -20 Td\n" for line in lines)
    content = f"BT /F1 12 Tf 72 700 Td\n{displayed}ET"
    pairs = "\n".join(f"<{number:04x}> <{c.encode('utf-16-be').hex()}>" for c, number in code.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(code)} beginbfchar\n{pairs}\nendbfchar\nendcmap end end"
    )
    annotations = (
        f"/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI ({link}) >> >>]"
    )
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        f"/Resources << /Font << /F1 5 0 R >> >> {annotations if link else ''} >>",
        4: f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        5: "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>",
        6: "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
        "/Supplement 0 >> /DW 1000 >>",
        7: f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream",
        8: f"<< /Title <feff{title.encode('utf-16-be').hex()}> /CreationDate (D:20230506120000) >>",
        **(extra or {}),
    }
    body, offsets = b"%PDF-1.4\n", {}
    for number, written in sorted(objects.items()):
        offsets[number] = len(body)
        body += f"{number} 0 obj\n{written}\nendobj\n".encode("latin-1")
    table = "".join(f"{offsets[number]:010} 00000 n \n" for number in sorted(offsets))
    size = len(objects) + 1
    return body + (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R /Info 8 0 R >>\n"
        f"startxref\n{len(body)}\n%%EOF"
    ).encode("latin-1")


@pytest.fixture
def pdf() -> Callable[..., bytes]:
    """`pdf(lines, title=, link=, extra={object number: source})`."""
    return _pdf


@pytest.fixture
def word_file() -> bytes:
    """A heading, a paragraph, a table and a title of its own."""
    document = docx.Document()
    document.core_properties.author = "张三"
    document.add_heading("基金年报", 1)
    document.add_paragraph("股票市场\n回暖。")
    table = document.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "合计"
    table.cell(1, 0).text, table.cell(1, 1).text = "一季度", "二季度"
    return _saved(document)


@pytest.fixture
def workbook() -> bytes:
    """Two sheets, with a gap, a number and a URL."""
    book = openpyxl.Workbook()
    book.active.append(["基金", None, 1.5])
    book.active.append([])
    book.active.append(["公告", "http://a.test/notice"])
    book.create_sheet("二").append(["股票"])
    return _saved(book)


@pytest.fixture
def slides() -> bytes:
    """A title, a line with a link, and notes."""
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = "理财课"
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    run = paragraph.add_run()
    run.text, run.hyperlink.address = "详情", "http://a.test/more"
    slide.notes_slide.notes_text_frame.text = "讲五分钟"
    return _saved(presentation)


@pytest.fixture
def rezip() -> Callable[[bytes, dict[str, bytes]], bytes]:
    """An Office file with some members replaced or added."""

    def replaced(file: bytes, members: dict[str, bytes]) -> bytes:
        stream = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(file)) as old,
            zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            for name in {*old.namelist(), *members}:
                new.writestr(name, members[name] if name in members else old.read(name))
        return stream.getvalue()

    return replaced


def _saved(document: object) -> bytes:
    stream = io.BytesIO()
    document.save(stream)  # type: ignore[attr-defined]
    return stream.getvalue()
