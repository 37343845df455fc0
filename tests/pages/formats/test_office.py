"""Text of Office files, wherever their XML has it: each file is written by hand, as small as the format allows."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable, Mapping

import openpyxl
import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import Part, UnreadableError, recognise

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


def box(text: str) -> str:
    return f"<wps:txbx><w:txbxContent>{paragraph(text)}</w:txbxContent></wps:txbx>"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (
            f"{paragraph('前')}<w:sdt><w:sdtContent>{paragraph('基金')}</w:sdtContent></w:sdt>{paragraph('后')}",
            ["前", "基金", "后"],
        ),
        (
            f"<w:p>{run('前')}<w:sdt><w:sdtContent>{run('基金')}</w:sdtContent></w:sdt>{run('后')}</w:p>",
            ["前基金后"],
        ),
        (
            f"<w:p>{run('每月')}<w:ins>{run('五百元')}</w:ins><w:del><w:r><w:delText>旧稿</w:delText></w:r></w:del></w:p>",
            ["每月五百元"],
        ),
        (
            f"<w:p><w:moveFrom>{run('移走')}</w:moveFrom>{run('甲')}<w:moveTo>{run('移来')}</w:moveTo></w:p>",
            ["甲移来"],
        ),
        (f'<w:p><w:fldSimple w:instr="TITLE">{run("基金")}</w:fldSimple></w:p>', ["基金"]),
        (
            f"<w:p><w:r><w:instrText>PAGE</w:instrText></w:r>{run('第')}<w:smartTag>{run('3')}</w:smartTag>{run('页')}</w:p>",
            ["第3页"],
        ),
        (f"<w:customXml>{paragraph('自定')}</w:customXml>", ["自定"]),
        # a text box stands behind the paragraph in which it is, once, though it is written twice
        (
            (
                f"<w:p>{run('前')}<w:r><mc:AlternateContent><mc:Choice>{box('框中')}</mc:Choice>"
                f"<mc:Fallback><v:textbox><w:txbxContent>{paragraph('框中')}</w:txbxContent></v:textbox></mc:Fallback>"
                f"</mc:AlternateContent></w:r>{run('后')}</w:p>"
            ),
            ["前后", "框中"],
        ),
        (
            (
                f"<w:p>{run('前')}<w:r><mc:AlternateContent><mc:Choice><mc:AlternateContent><mc:Choice>{box('内框')}</mc:Choice>"
                f"<mc:Fallback>{box('内框')}</mc:Fallback></mc:AlternateContent></mc:Choice></mc:AlternateContent></w:r></w:p>"
            ),
            ["前", "内框"],
        ),
        (
            (
                "<w:p><w:r><mc:AlternateContent><mc:Choice><a:blip/></mc:Choice>"
                f"<mc:Fallback><v:textbox><w:txbxContent>{paragraph('旧框')}</w:txbxContent></v:textbox></mc:Fallback>"
                "</mc:AlternateContent></w:r></w:p>"
            ),
            ["旧框"],
        ),
        # readings of characters are no part of the words
        (
            "<w:p>"
            + "".join(
                f"<w:r><w:ruby><w:rt>{run(reading)}</w:rt><w:rubyBase>{run(base)}</w:rubyBase></w:ruby></w:r>"
                for base, reading in (("基", "jī"), ("金", "jīn"))
            )
            + f"{run('定投')}</w:p>",
            ["基金定投"],
        ),
        ("<w:p><m:oMath><m:r><m:t>α</m:t></m:r><m:r><m:t>≤β</m:t></m:r></m:oMath></w:p>", ["α≤β"]),
        (
            f"<w:p>{run('甲')}<w:r><w:tab/></w:r>{run('乙')}<w:r><w:br/><w:noBreakHyphen/></w:r>{run('丙')}</w:p>",
            ["甲 乙 -丙"],
        ),
        (
            (
                f"<w:tbl><w:tr><w:tc>{paragraph('净值')}</w:tc><w:sdt><w:sdtContent><w:tc>{paragraph('规模')}</w:tc></w:sdtContent></w:sdt>"
                f"</w:tr><w:tr><w:tc>{paragraph('甲')}<w:tbl><w:tr><w:tc>{paragraph('内表')}</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>"
            ),
            ["净值 规模", "甲", "内表"],
        ),
    ],
    ids=[
        "content control around a paragraph",
        "content control in a paragraph",
        "insertion and deletion",
        "text that was moved",
        "field",
        "instruction of a field and smart tag",
        "own element",
        "text box written twice",
        "text box in alternatives of alternatives",
        "text box in the fallback alone",
        "ruby",
        "formula",
        "signs",
        "tables",
    ],
)
def test_text_of_word_is_read_in_its_place(body: str, lines: list[str], formats: Formats) -> None:
    assert formats.read("docx", word(body)).main_text().split("\n") == lines


def test_notes_of_word_follow_their_paragraph_and_headers_the_text(formats: Formats) -> None:
    file = word(
        f'<w:p>{run("净值见注")}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>{paragraph("正文")}',
        ("rId1", "footnotes", "footnotes.xml"),
        ("rId2", "header", "header1.xml"),
        ("rId3", "footer", "footer1.xml"),
        footnotes=f'<w:footnotes {NAMES}><w:footnote w:id="2">{paragraph("按季末计")}</w:footnote></w:footnotes>',
        header1=f"<w:hdr {NAMES}>{paragraph('年报')}</w:hdr>",
        footer1=f"<w:ftr {NAMES}>{paragraph('第一页')}</w:ftr>",
    )
    assert formats.read("docx", file).main_text().split("\n") == [
        "净值见注",
        "按季末计",
        "正文",
        "年报",
        "第一页",
    ]


def test_links_of_word_are_elements_or_fields(formats: Formats) -> None:
    begin, separate, end = (
        f'<w:r><w:fldChar w:fldCharType="{mark}"/></w:r>' for mark in ("begin", "separate", "end")
    )
    instruction = "".join(
        f"<w:r><w:instrText>{text}</w:instrText></w:r>"
        for text in (' HYPERLINK "http://b.test/', '年报" \\o "x"')
    )
    field = f"{begin}{instruction}{separate}{run('年')}{run('报')}{end}"
    file = word(
        f'<w:p>{run("见")}<w:hyperlink r:id="rId9">{run("公告")}</w:hyperlink></w:p><w:p>{run("看")}{field}{run("吧")}</w:p>'
        f'<w:p><w:fldSimple w:instr=" HYPERLINK &quot;http://c.test/&quot; ">{run("季报")}</w:fldSimple></w:p>',
        ("rId9", "hyperlink", "http://a.test/公告"),
    )
    assert formats.read("docx", file).parts == [
        ("见公告", ""),
        ("公告", "http://a.test/公告"),
        ("看年报吧", ""),
        ("年报", "http://b.test/年报"),
        ("季报", ""),
        ("季报", "http://c.test/"),
    ]


def test_a_heading_gives_the_title_whatever_the_ids_of_styles(formats: Formats) -> None:
    styles = f'<w:styles {NAMES}><w:style w:styleId="1"><w:name w:val="heading 1"/></w:style></w:styles>'
    heading = f'<w:p><w:pPr><w:pStyle w:val="1"/></w:pPr>{run("基金年报")}</w:p>'
    file = word(f"{paragraph('机密')}{heading}", ("rId1", "styles", "styles.xml"), styles=styles)
    assert formats.read("docx", file).title == "基金年报"


CHART = (
    f"<c:chartSpace {NAMES}><c:title><c:tx><c:rich><a:p><a:r><a:t>历年收益</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    "<c:ser><c:tx><c:strRef><c:strCache><c:pt><c:v>定投</c:v></c:pt></c:strCache></c:strRef></c:tx>"
    "<c:cat><c:strRef><c:strCache><c:pt><c:v>一季</c:v></c:pt><c:pt><c:v>二季</c:v></c:pt></c:strCache></c:strRef></c:cat>"
    "<c:val><c:numRef><c:numCache><c:pt><c:v>3.5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>"
    '<c:userShapes r:id="rId1"/></c:chartSpace>'
)


def test_charts_and_diagrams_are_read_where_they_stand_and_once(formats: Formats) -> None:
    """The chart names a drawing that names the chart."""
    drawing = '<w:drawing><a:graphic><c:chart r:id="rId5"/></a:graphic></w:drawing>'
    diagram = '<w:drawing><dgm:relIds r:dm="rId6"/></w:drawing>'
    body = (
        f"<w:p>{run('图一')}<w:r>{drawing}{drawing}</w:r></w:p><w:p>{run('图二')}<w:r>{diagram}</w:r></w:p>"
    )
    file = word(
        body,
        ("rId5", "chart", "chart1.xml"),
        ("rId6", "diagramData", "data1.xml"),
        chart1=CHART.replace("<c:userShapes", "<c:chart").replace('"rId1"', '"rId5"'),
        data1=f"<dgm:dataModel {NAMES}><dgm:pt><dgm:t><a:p><a:r><a:t>申购</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>",
        **{"_rels/chart1.xml": relations(("rId5", "chart", "chart1.xml"))},
    )
    lines = ["图一", "历年收益", "定投", "一季 二季", "图二", "申购"]
    assert formats.read("docx", file).main_text().split("\n") == lines


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
    shown = show.slides._sldIdLst
    shown.append(shown[0])  # the first slide goes last
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


def test_missing_shared_strings_and_numbers_that_are_none_leave_the_other_cells(formats: Formats) -> None:
    cells = "<c t='s'><v>99</v></c><c><v>x</v></c><c t='b'><v>1</v></c><c t='e'><v>#REF!</v></c><c/><c><v>1e400</v></c>"
    assert formats.read("xlsx", book(f"<row>{cells}</row>")).parts == [("99 x True #REF! 1e400", "")]


def test_days_and_times_of_a_workbook_are_written_as_such(formats: Formats) -> None:
    styles = (
        f"<styleSheet {SHEET}><numFmts><numFmt numFmtId='164' formatCode='yyyy\"年\"m\"月\"'/>"
        "<numFmt numFmtId='165' formatCode='[Red]0.0\"days\"'/></numFmts>"
        "<cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='164'/><xf numFmtId='165'/></cellXfs></styleSheet>"
    )
    cells = "".join(
        f"<c s='{style}'><v>{value}</v></c>"
        for style, value in [(0, 45000), (1, 45000), (2, 45000.75), (1, 0.5), (3, 45000), (1, 10**12), (7, 1)]
    )
    file = book(f"<row>{cells}</row>", **{"xl/styles.xml": styles})
    expected = "45000 2023-03-15 2023-03-15 18:00:00 12:00:00 45000 1000000000000 1"
    assert formats.read("xlsx", file).parts == [(expected, "")]


def test_links_behind_cells_and_text_of_drawings_follow_the_sheet(formats: Formats) -> None:
    file = book(
        "<row><c r='A1' t='str'><v>公告</v></c></row>",
        after="<hyperlinks><hyperlink ref='A1' r:id='rId1'/></hyperlinks><drawing r:id='rId2'/>",
        **{
            "xl/worksheets/_rels/sheet1.xml.rels": relations(
                ("rId1", "hyperlink", "http://a.test/1"), ("rId2", "drawing", "../drawings/drawing1.xml")
            ),
            "xl/drawings/drawing1.xml": f"<xdr {NAMES}><a:p><a:r><a:t>说明</a:t></a:r></a:p></xdr>",
        },
    )
    assert formats.read("xlsx", file).parts == [("公告", ""), ("公告", "http://a.test/1"), ("说明", "")]


def test_a_workbook_of_a_library_is_read(formats: Formats) -> None:
    made = openpyxl.Workbook()
    made.active.append(["基金", 1.5, 7])
    made.properties.title, made.properties.creator = "净值表", "张三"
    stream = io.BytesIO()
    made.save(stream)
    found = formats.read("xlsx", stream.getvalue())
    parts: list[Part] = [("基金 1.5 7", "")]
    assert (found.title, found.author, found.parts) == ("净值表", "张三", parts)


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
