"""Workbooks: a row of cells is a line; hyperlinks behind cells, and the text of drawings and charts follow the sheet. Runs in the worker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import islice

from lxml import etree

from topiccrawler.pages.formats.office import Package, Walk, attribute, name_of, text_of
from topiccrawler.pages.formats.registry import XML_PARSER, Extract, Part, bounded, tidy

MOST_SHEETS = 50
MOST_ROWS = 5_000  # of one sheet, those that are written; a sheet may declare a million
MOST_COLUMNS = 100
MOST_STRINGS = 1_000_000  # that cells share


def read(body: bytes) -> Iterator[Extract]:
    """The extract of an .xlsx file. Errors are as in docx.read."""
    package = Package(body)
    yield package.described(bounded(_parts(package)))


def _parts(package: Package) -> Iterator[Part]:
    walk, book = Walk(package), _Book(package)
    for sheet in package.listed("sheet", "worksheet")[:MOST_SHEETS]:
        yield from book.rows(sheet)
        for drawing in package.parts_of_kind(sheet, "drawing"):
            yield from walk.part(drawing)


class _Book:
    """What the cells of a workbook share: strings, formats of days, the first day."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.strings: list[str] = []
        for part in package.parts_of_kind(package.main, "sharedStrings"):
            self.strings += islice((_text(item) for item in _elements(package, part, "si")), MOST_STRINGS)
        self.days = [
            is_day
            for part in package.parts_of_kind(package.main, "styles")
            for is_day in _day_styles(package.root(part))
        ]
        root = package.root(package.main)
        about = None if root is None else root.find("{*}workbookPr")
        is_1904 = about is not None and attribute(about, "date1904") in {"1", "true"}
        self.first_day = datetime(1904, 1, 1, tzinfo=UTC) if is_1904 else datetime(1899, 12, 30, tzinfo=UTC)

    def rows(self, sheet: str) -> Iterator[Part]:
        """The rows of a sheet that have text, each followed by the URLs that are written in it; then the links behind cells."""
        links, texts, rows = self.package.relations(sheet), dict[str, str](), 0
        for element in _elements(self.package, sheet, "row", "hyperlink"):
            if name_of(element) == "hyperlink":
                link = links.get(attribute(element, "id"))
                if link is not None and link.url:
                    yield texts.get(attribute(element, "ref"), ""), link.url
            elif rows < MOST_ROWS:
                rows += 1
                cells = [
                    (attribute(cell, "r"), tidy(self._cell(cell)))
                    for cell in islice(element.iter("{*}c"), MOST_COLUMNS)
                ]
                texts.update(cells)
                yield " ".join(text for _, text in cells if text), ""
                yield from (("", text) for _, text in cells if text.startswith(("http://", "https://")))

    def _cell(self, cell: etree._Element) -> str:
        kind, inline = cell.get("t", "n"), cell.find("{*}is")
        if inline is not None:
            return _text(inline)
        value = tidy(getattr(cell.find("{*}v"), "text", ""))
        try:
            if kind == "s":
                return self.strings[int(value)]
            if kind == "b":
                return "True" if int(value) else "False"
            if kind == "n":
                return self._number(float(value), int(cell.get("s", "0")), value)
        except (ValueError, IndexError, OverflowError):
            pass
        return value

    def _number(self, number: float, style: int, written: str) -> str:
        if style < len(self.days) and self.days[style]:
            # a second is no exact share of a day
            moment = self.first_day + timedelta(days=number, microseconds=1)
            form = "%H:%M:%S" if number < 1 else "%Y-%m-%d" if number == int(number) else "%Y-%m-%d %H:%M:%S"
            return f"{moment:{form}}"
        return f"{number:.15g}" if "." in written or "E" in written else written


# ECMA-376, 18.8.30
_BUILT_IN_DAYS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_NO_CODE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')  # of a number format: literals, colours, widths


def _day_styles(root: etree._Element | None) -> Iterator[bool]:
    """Whether the cell style of each number shows a day or a time."""
    formats = () if root is None else root.iter("{*}numFmt")
    own = {
        attribute(each, "numFmtId"): bool(
            re.search("[ymdhs]", _NO_CODE.sub("", attribute(each, "formatCode").lower()))
        )
        for each in formats
    }
    for style in () if root is None else root.iterfind("{*}cellXfs/{*}xf"):
        number = attribute(style, "numFmtId")
        yield own.get(number, number.isdigit() and int(number) in _BUILT_IN_DAYS)


def _elements(package: Package, part: str, *names: str) -> Iterator[etree._Element]:
    """The elements of a part with these names, one after another: a sheet may be too long for a tree."""
    tags = [f"{{*}}{name}" for name in names]
    parsing = etree.iterparse(BytesIO(package.bytes_of(part)), tag=tags, **XML_PARSER)
    try:
        for _, element in parsing:
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError:  # what follows the damage
        return


def _text(item: etree._Element) -> str:
    """The text of a string of a workbook, without readings above characters."""
    return "".join(text_of(each) for each in item.iter("{*}t") if name_of(each.getparent()) != "rPh")
