"""Word documents by python-docx: paragraphs and tables in order, hyperlinks. Runs in the worker."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import docx
from docx.document import Document
from docx.table import Table
from docx.text.paragraph import Paragraph

from topiccrawler.pages.formats.office import properties, unpacked_safely
from topiccrawler.pages.formats.registry import Extract, Part, bounded, tidy

MOST_CELLS = 50_000
_TITLE_STYLES = ("Title", "Heading 1", "标题", "标题 1")


def read(body: bytes) -> Extract:
    """The extract of a .docx file. A damaged file raises whatever the library raises, and the worker reports it."""
    unpacked_safely(body)
    document = docx.Document(BytesIO(body))
    found = properties(document.core_properties, bounded(_parts(document)))
    found.title = found.title or _first_heading(document)
    return found


def _parts(document: Document) -> Iterator[Part]:
    for block in document.iter_inner_content():
        if isinstance(block, Paragraph):
            yield from _paragraph(block)
        else:
            yield from _rows(block)


def _paragraph(paragraph: Paragraph) -> Iterator[Part]:
    yield paragraph.text, ""
    yield from _links(paragraph)


def _links(paragraph: Paragraph) -> Iterator[Part]:
    for link in paragraph.hyperlinks:
        if link.address:
            yield link.text, link.address


def _rows(table: Table) -> Iterator[Part]:
    cells = 0
    for row in table.rows:
        own = dict.fromkeys(row.cells)  # the library repeats a merged cell for each place that it covers
        cells += len(own)
        yield " ".join(filter(None, (tidy(cell.text) for cell in own))), ""
        for cell in own:
            for paragraph in cell.paragraphs:
                yield from _links(paragraph)
            for inner in cell.tables:
                yield from _rows(inner)
        if cells > MOST_CELLS:
            return


def _first_heading(document: Document) -> str:
    for paragraph in document.paragraphs[:200]:
        style = paragraph.style
        if style is not None and style.name in _TITLE_STYLES and tidy(paragraph.text):
            return tidy(paragraph.text)
    return ""
