"""Word documents: paragraphs and tables in order, with text boxes, fields, formulas and notes where they stand, links. Runs in the worker.

Headers and footers follow at the end, because they are on every page.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from topiccrawler.pages.formats.office import Package, Walk, attribute
from topiccrawler.pages.formats.registry import Extract, bounded, tidy

_TITLE_STYLES = ("title", "heading 1", "标题", "标题 1")
_LOOK_PARAGRAPHS = 200  # in which a heading is looked for


def read(body: bytes) -> Iterator[Extract]:
    """The extract of a .docx file; UnreadableError when it is damaged, locked or too large."""
    package = Package(body)
    walk = Walk(package)
    for kind in ("footnote", "endnote"):
        for name in package.parts_of_kind(package.main, f"{kind}s"):
            walk.with_notes(kind, name)
    parts = walk.part(package.main)
    for name in package.parts_of_kind(package.main, "header", "footer"):
        parts += walk.part(name)
    yield package.described(bounded(parts), _first_heading(package, walk))


def _first_heading(package: Package, walk: Walk) -> str:
    root = package.root(package.main)
    styles = _title_styles(package)
    for paragraph in () if root is None else islice(root.iter("{*}p"), _LOOK_PARAGRAPHS):
        style = paragraph.find("{*}pPr/{*}pStyle")
        if style is not None and attribute(style, "val") in styles and (text := walk.text(paragraph)):
            return text
    return ""


def _title_styles(package: Package) -> set[str]:
    """The ids of the styles of titles. Ids depend on the language of Word; most names do not."""
    found: set[str] = set()
    for part in package.parts_of_kind(package.main, "styles"):
        root = package.root(part)
        for style in () if root is None else root.iter("{*}style"):
            name = style.find("{*}name")
            if name is not None and tidy(attribute(name, "val")).lower() in _TITLE_STYLES:
                found.add(attribute(style, "styleId"))
    return found
