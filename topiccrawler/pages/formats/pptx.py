"""Slides by python-pptx: text of all shapes, tables, notes and hyperlinks. Runs in the worker."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from pptx import Presentation

from topiccrawler.pages.formats.office import properties, unpacked_safely
from topiccrawler.pages.formats.registry import Extract, Part, bounded

MOST_SLIDES = 500
MOST_DEPTH = 20  # of nested groups of shapes


def read(body: bytes) -> Extract:
    """The extract of a .pptx file. Errors are as in docx.read."""
    unpacked_safely(body)
    presentation = Presentation(BytesIO(body))
    found = properties(presentation.core_properties, bounded(_parts(presentation)))
    if not found.title:
        found.title = next((text for text, _ in found.parts if text), "")[:100]
    return found


def _parts(presentation: Any) -> Iterator[Part]:
    for number, slide in enumerate(presentation.slides):
        if number >= MOST_SLIDES:
            return
        for shape in slide.shapes:
            yield from _shape(shape, MOST_DEPTH)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            yield slide.notes_slide.notes_text_frame.text, ""


def _shape(shape: Any, depth: int) -> Iterator[Part]:
    if hasattr(shape, "shapes"):
        if depth:
            for inner in shape.shapes:
                yield from _shape(inner, depth - 1)
    elif shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            yield paragraph.text, ""
            for run in paragraph.runs:
                if run.hyperlink.address:
                    yield run.text, run.hyperlink.address
    elif getattr(shape, "has_table", False):
        for row in shape.table.rows:
            yield " ".join(cell.text for cell in row.cells), ""
