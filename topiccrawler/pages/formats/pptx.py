"""Slides: text of all shapes, tables, charts and diagrams, hyperlinks, then the notes of the slide. Runs in the worker."""

from __future__ import annotations

from collections.abc import Iterator

from topiccrawler.pages.formats.office import Package, Walk, attribute
from topiccrawler.pages.formats.registry import Extract, Part, bounded

MOST_SLIDES = 500


def read(body: bytes) -> Iterator[Extract]:
    """The extract of a .pptx file. Errors are as in docx.read."""
    package = Package(body)
    walk = Walk(package)
    parts: list[Part] = []
    for slide in _slides(package)[:MOST_SLIDES]:
        parts += walk.part(slide)
        for notes in package.parts_of_kind(slide, "notesSlide"):
            parts += walk.part(notes)
    found = package.described(bounded(parts))
    if not found.title:
        found.title = next((text for text, _ in found.parts if text), "")[:100]
    yield found


def _slides(package: Package) -> list[str]:
    """The parts of the slides as they are shown; by their names, when the presentation is damaged."""
    root, relations = package.root(package.main), package.relations(package.main)
    shown = [] if root is None else [relations.get(attribute(slide, "id")) for slide in root.iter("{*}sldId")]
    slides = [slide.part for slide in shown if slide is not None]
    return slides or package.parts_of_kind(package.main, "slide")
