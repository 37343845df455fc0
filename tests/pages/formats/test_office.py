"""Text of Office files, wherever their XML has it: each file is written by hand, as small as the format allows."""

import io
import time
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import UnreadableError, recognise

Rezip = Callable[[bytes, dict[str, bytes]], bytes]

OFFICE = "http://schemas.openxmlformats.org/"
RELATION = f"{OFFICE}officeDocument/2006/relationships"
NAMES = " ".join(
    f'xmlns:{prefix}="{OFFICE}{name}"'
    for prefix, name in {
        "w": "wordprocessingml/2006/main",
        "m": "officeDocument/2006/math",
        "r": "officeDocument/2006/relationships",
        "mc": "markup-compatibility/2006",
        "a": "drawingml/2006/main",
        "p": "presentationml/2006/main",
        "c": "drawingml/2006/chart",
        "dgm": "drawingml/2006/diagram",
    }.items()
)
NAMES += ' xmlns:wps="urn:wps" xmlns:v="urn:schemas-microsoft-com:vml"'


def packed(parts: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return stream.getvalue()


_EXTERNAL = ' TargetMode="External"'


def relations(*rows: tuple[str, str, str]) -> str:
    """`rows`: id, kind, target. A target with a scheme is a URL."""
    written = "".join(
        f'<Relationship Id="{name}" Type="{RELATION}/{kind}" Target="{target}"'
        f"{_EXTERNAL if '://' in target else ''}/>"
        for name, kind, target in rows
    )
    return f'<Relationships xmlns="{OFFICE}package/2006/relationships">{written}</Relationships>'


def word(body: str, *rows: tuple[str, str, str], **parts: str) -> bytes:
    """A Word file: its body, its relations, further parts in the folder `word`."""
    return packed(
        {
            "_rels/.rels": relations(("rId1", "officeDocument", "word/document.xml")),
            "word/document.xml": f"<w:document {NAMES}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": relations(*rows),
            **{f"word/{name}.xml": part for name, part in parts.items()},
        }
    )


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def paragraph(text: str) -> str:
    return f"<w:p>{run(text)}</w:p>"


WORD_BODIES = tomllib.loads(Path(__file__).with_name("word_bodies.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", WORD_BODIES, ids=lambda case: case["shows"])
def test_text_of_word_is_read_in_its_place(case: dict[str, Any], formats: Formats) -> None:
    assert formats.read("docx", word(case["body"])).main_text().split("\n") == case["lines"]


def test_slides_give_groups_tables_charts_and_notes_in_the_order_shown(formats: Formats) -> None:
    show = pptx.Presentation()
    for number in range(11):
        slide = show.slides.add_slide(show.slide_layouts[6])
        group = slide.shapes.add_group_shape().shapes.add_group_shape()
        group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = f"第{number}页"
        if number == 0:
            table = slide.shapes.add_table(2, 2, 0, 0, Inches(2), Inches(2)).table
            for cell, text in zip(table.iter_cells(), ("基金", "收益", "甲", "一成"), strict=True):
                cell.text = text
            data = CategoryChartData()
            data.categories = ["一月", "二月"]
            data.add_series("净值", (1.0, 2.0))
            size = Inches(2)
            chart = slide.shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, size, size, data).chart
            chart.has_title = True
            chart.chart_title.text_frame.text = "历年定投收益"
            slide.notes_slide.notes_text_frame.text = "讲五分钟"
    slide_ids = show.slides._sldIdLst
    slide_ids.append(slide_ids[0])  # the first slide goes last
    stream = io.BytesIO()
    show.save(stream)
    lines = [f"第{number}页" for number in [*range(1, 11), 0]]
    lines += ["基金 收益", "甲 一成", "历年定投收益", "净值", "一月 二月", "讲五分钟"]
    assert formats.read("pptx", stream.getvalue()).main_text().split("\n") == lines


SHEET = f"xmlns='{OFFICE}spreadsheetml/2006/main' xmlns:r='{RELATION}'"
STRICT = "xmlns='http://purl.oclc.org/ooxml/spreadsheetml/main' xmlns:r='http://purl.oclc.org/ooxml/officeDocument/relationships'"


def book(rows: str, *, names: str = SHEET, slash: str = "/", shared: str = "", **more: str) -> bytes:
    """A workbook of one sheet, with these rows and shared strings."""
    parts = {
        "_rels/.rels": relations(("rId1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f"<workbook {names}><sheets><sheet name='一' r:id='rId1'/></sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            ("rId1", "worksheet", "worksheets/sheet1.xml"),
            ("rId2", "sharedStrings", "sharedStrings.xml"),
            ("rId3", "styles", "styles.xml"),
        ),
        "xl/worksheets/sheet1.xml": f"<worksheet {names}><sheetData>{rows}</sheetData>{more.pop('after', '')}</worksheet>",
        "xl/sharedStrings.xml": f"<sst {names}>{shared}</sst>",
        **more,
    }
    return packed({name.replace("/", slash): part for name, part in parts.items()})


SHARED = "<si><t>基金</t></si><si><r><t>定</t></r><r><t>投</t></r><rPh><t>とう</t></rPh></si>"
ROW = "<row><c t='s'><v>1</v></c><c t='inlineStr'><is><r><t>行</t></r><r><t>内</t></r></is></c><c t='str'><v>合计</v></c><c><v>0.1</v></c></row>"


@pytest.mark.parametrize(("names", "slash"), [(SHEET, "/"), (STRICT, "/"), (SHEET, "\\")])
def test_strings_of_a_workbook_are_shared_inline_or_results(names: str, slash: str, formats: Formats) -> None:
    file = book(ROW, names=names, slash=slash, shared=SHARED)
    assert recognise(file) == "xlsx"
    assert formats.read("xlsx", file).parts == [("定投 行内 合计 0.1", "")]


@pytest.mark.parametrize(
    "parts",
    [
        {"xl/workbook.xml": b"<workbook><shee"},
        {"xl/styles.xml": b"\0\xff"},
        {"[Content_Types].xml": b"", "docProps/core.xml": b"<a><b></a>"},
        {"_rels/.rels": b"none"},
    ],
    ids=["workbook", "styles", "properties", "relations"],
)
def test_a_damaged_part_of_a_workbook_loses_no_other(
    parts: dict[str, bytes], formats: Formats, rezip: Rezip
) -> None:
    file = rezip(book(ROW, shared=SHARED), parts)
    assert formats.read("xlsx", file).parts == [("定投 行内 合计 0.1", "")]


def test_the_rows_before_the_damage_are_read_of_a_damaged_sheet(formats: Formats) -> None:
    rows = "".join(f"<row><c><v>{number}</v></c></row>" for number in range(3_000))
    file = bytearray(book(rows))
    name = b"xl/worksheets/sheet1.xml"
    middle = file.index(name) + len(name) + 3_000
    file[middle : middle + 40] = bytes(40)
    found = [int(text) for text, _ in formats.read("xlsx", bytes(file)).parts]
    assert 100 < len(found) < 3_000
    assert found[:-1] == list(range(len(found) - 1))


@pytest.mark.parametrize("name", ["word/document.xml", "word/document2.xml", "Word\\Document.xml"])
def test_the_main_part_of_word_has_several_names(name: str, formats: Formats) -> None:
    file = packed({name: f"<w:document {NAMES}>{paragraph('基金')}</w:document>"})
    assert recognise(file) == "docx"
    assert formats.read("docx", file).main_text() == "基金"


@pytest.mark.slow
def test_hostile_office_files_end_in_time(formats: Formats) -> None:
    deep = "<w:sdt>" * 100_000
    many = "<w:p/>" * 200_000
    wide = f"<w:p>{run('x') * 200_000}</w:p>"
    for body in (deep, many, wide):
        started = time.monotonic()
        try:
            found = formats.read("docx", word(body))
        except UnreadableError:
            continue
        assert sum(len(text) for text, _ in found.parts) <= 500_000
        assert time.monotonic() - started < 60
