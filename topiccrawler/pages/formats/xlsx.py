"""Workbooks by openpyxl: a row of cells is a line. Runs in the worker.

But: hyperlinks behind cells are not read (openpyxl reads them only when it holds the whole sheet in memory). URLs written
out in cells are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from io import BytesIO

from openpyxl import load_workbook
from openpyxl.workbook import Workbook

from topiccrawler.pages.formats.office import properties, unpacked_safely
from topiccrawler.pages.formats.registry import Extract, Part, bounded, tidy

MOST_SHEETS = 50
MOST_ROWS = 5_000  # of one sheet; a sheet may declare a million
MOST_COLUMNS = 100


def read(body: bytes) -> Extract:
    """The extract of an .xlsx file. Errors are as in docx.read."""
    unpacked_safely(body)
    with closing(load_workbook(BytesIO(body), read_only=True, data_only=True, keep_links=False)) as workbook:
        found = properties(workbook.properties, bounded(_parts(workbook)))
    if not found.title:
        found.title = next((text for text, _ in found.parts if text), "")[:100]
    return found


def _parts(workbook: Workbook) -> Iterator[Part]:
    for sheet in workbook.worksheets[:MOST_SHEETS]:
        for row in sheet.iter_rows(max_row=MOST_ROWS, max_col=MOST_COLUMNS, values_only=True):
            cells = [tidy(value) for value in row if value is not None]
            line = " ".join(cell for cell in cells if cell)
            if line:
                yield line, ""
            for cell in cells:
                if cell.startswith(("http://", "https://")):
                    yield "", cell
