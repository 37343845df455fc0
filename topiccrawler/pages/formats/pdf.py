"""PDF by PDFium: text page by page, links, the file's own title. Runs in the worker, since PDFium is native code."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_int, create_string_buffer

import pypdfium2
import pypdfium2.raw as pdfium

from topiccrawler.pages.formats.registry import (
    MOST_CHARACTERS,
    MOST_LINKS,
    Extract,
    Part,
    UnreadableError,
    bounded,
    joined_lines,
    tidy,
)
from topiccrawler.pages.formats.standin_font import install

MOST_PAGES = 1_000
MOST_LINKS_OF_PAGE = 500
LONGEST_TITLE = 100
LONGEST_URL = 4_000
_NO_TITLES = ("untitled", "microsoft word", "无标题", "幻灯片")

install()


def read(body: bytes) -> Iterator[Extract]:
    """The extract of a PDF file in pieces: properties and the first page, then a page each.

    UnreadableError when it is locked with a password or damaged.
    """
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        is_locked = error.err_code == pdfium.FPDF_ERR_PASSWORD
        raise UnreadableError("locked with a password" if is_locked else f"damaged ({error})") from error
    parts = _page(document, 0) if len(document) else []
    yield _described(document, parts)
    characters, links = _amount(parts)
    for number in range(1, min(len(document), MOST_PAGES)):
        if characters >= MOST_CHARACTERS or links >= MOST_LINKS:
            return
        parts = _page(document, number)
        characters, links = (a + b for a, b in zip((characters, links), _amount(parts), strict=True))
        if parts:
            yield Extract(parts=parts)


def _amount(parts: list[Part]) -> tuple[int, int]:
    """Characters and links."""
    return sum(len(text) for text, _ in parts), sum(bool(url) for _, url in parts)


def _described(document: pypdfium2.PdfDocument, parts: list[Part]) -> Extract:
    about = {name: tidy(text) for name, text in document.get_metadata_dict().items()}
    title = about.get("Title", "")
    if not title or title.lower().startswith(_NO_TITLES):
        first = next((text for text, _ in parts if text), "")
        title = first if len(first) <= LONGEST_TITLE else ""
    return Extract(
        title=title,
        parts=parts,
        keywords=about.get("Keywords", ""),
        description=about.get("Subject", ""),
        author=about.get("Author", ""),
        published=about.get("CreationDate", "").removeprefix("D:")[:8],
    )


def _page(document: pypdfium2.PdfDocument, number: int) -> list[Part]:
    """The paragraphs and links of a page; none of a damaged one."""
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return []
    try:
        text = page.get_textpage().get_text_range()
        links = list(_links(document, page))
    except pypdfium2.PdfiumError:
        return []
    finally:
        page.close()
    return bounded(
        [*((paragraph, "") for paragraph in joined_lines(text.splitlines())), *(("", url) for url in links)]
    )


def _links(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> Iterator[str]:
    """The URLs to which places of a page link."""
    place, link = c_int(0), pdfium.FPDF_LINK()
    for _ in range(MOST_LINKS_OF_PAGE):
        if not pdfium.FPDFLink_Enumerate(page, byref(place), byref(link)):
            return
        action = pdfium.FPDFLink_GetAction(link)
        size = pdfium.FPDFAction_GetURIPath(document, action, None, 0) if action else 0
        if 1 < size <= LONGEST_URL:
            written = create_string_buffer(size)
            pdfium.FPDFAction_GetURIPath(document, action, written, size)
            yield tidy(written.value.decode("utf-8", "replace"))
