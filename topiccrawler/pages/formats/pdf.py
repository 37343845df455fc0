"""PDF by pypdf: text page by page, written links, the file's own title. Runs in the worker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

from pypdf import PageObject, PdfReader
from pypdf.errors import PyPdfError

from topiccrawler.pages.formats.registry import Extract, Part, UnreadableError, bounded, joined_lines, tidy

MOST_PAGES = 200
MOST_ANNOTATIONS = 500  # of one page
LONGEST_TITLE = 100
_NO_TITLES = ("untitled", "microsoft word", "无标题", "幻灯片")


def read(body: bytes) -> Extract:
    """The extract of a PDF file. UnreadableError when it is locked with a password or damaged."""
    try:
        reader = PdfReader(BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableError("locked with a password")
        parts = bounded(_parts(reader))
        about: Mapping[str, Any] = reader.metadata or {}
        title = tidy(about.get("/Title"))
        created = tidy(about.get("/CreationDate")).removeprefix("D:")[:8]
    except PyPdfError as error:
        raise UnreadableError(f"damaged ({error})") from error
    if not title or title.lower().startswith(_NO_TITLES):
        first = next((text for text, _ in parts if text), "")
        title = first if len(first) <= LONGEST_TITLE else ""
    return Extract(
        title=title,
        parts=parts,
        keywords=tidy(about.get("/Keywords")),
        description=tidy(about.get("/Subject")),
        author=tidy(about.get("/Author")),
        published=created,
    )


def _parts(reader: PdfReader) -> Iterator[Part]:
    for number, page in enumerate(reader.pages):
        if number >= MOST_PAGES:
            return
        for paragraph in joined_lines(page.extract_text().splitlines()):
            yield paragraph, ""
        for url in _links(page):
            yield "", url


def _links(page: PageObject) -> Iterator[str]:
    for reference in list(page.annotations or [])[:MOST_ANNOTATIONS]:
        annotation: Any = reference.get_object()
        action = annotation.get("/A") if hasattr(annotation, "get") else None
        action = action.get_object() if action is not None else None
        url = action.get("/URI") if action is not None and hasattr(action, "get") else None
        if url is not None:
            yield tidy(url)
