"""Slides: text of all shapes, tables, charts and diagrams, hyperlinks, then the notes of the slide. Runs in the worker."""

from __future__ import annotations

from collections.abc import Iterator

from topiccrawler.pages.formats.office import Package, Walk
from topiccrawler.pages.formats.registry import Extract, Part, bounded

MOST_SLIDES = 500


def read(body: bytes) -> Iterator[Extract]:
    """The extract of a .pptx file. Errors are as in docx.read."""
    package = Package(body)
    walk = Walk(package)
    parts: list[Part] = []
    for slide in package.listed("sldId", "slide")[:MOST_SLIDES]:
        parts += walk.part(slide)
        for notes in package.parts_of_kind(slide, "notesSlide"):
            parts += walk.part(notes)
    yield package.described(bounded(parts))
