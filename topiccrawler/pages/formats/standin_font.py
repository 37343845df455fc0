"""A font that stands in for Chinese, Japanese and Korean fonts that a PDF file names and does not contain.

PDFium leaves out text that covers no area. Without a glyph, a character on its own covers none, and neither does vertical text; many
programs write each Chinese character on its own. So PDFium gets a font, by its interface for fonts of the system, in which every character
is a box. No font of the system is used, so that a file is read alike everywhere.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import pypdfium2.raw as pdfium

from topiccrawler.resources import folder

_NAMES = ("SHIFTJIS", "HANGEUL", "GB2312", "CHINESEBIG5")
_CHARSETS = frozenset(getattr(pdfium, f"FXFONT_{name}_CHARSET") for name in _NAMES)
_HANDLE = 1
_WHOLE_FILE = 0


@cache
def font() -> bytes:
    """The font as TrueType. Each character of the basic plane from the blank on has the same glyph, a box of 1 em."""
    return folder("pages/formats").joinpath("standin_font.ttf").read_bytes()


def install() -> None:
    """Give the font to PDFium."""
    pdfium.FPDF_SetSystemFontInfo(ctypes.byref(_interface()))


@cache  # PDFium keeps its address
def _interface() -> Any:
    given = {
        "MapFont": _map_font,
        "GetFontData": _font_data,
        "GetFaceName": lambda *_: 0,
        "GetFontCharset": lambda *_: pdfium.FXFONT_DEFAULT_CHARSET,
        **dict.fromkeys(("Release", "EnumFonts", "GetFont", "DeleteFont"), lambda *_: None),
    }
    types = dict(pdfium.FPDF_SYSFONTINFO._fields_)
    return pdfium.FPDF_SYSFONTINFO(
        version=1, **{name: types[name](function) for name, function in given.items()}
    )


def _map_font(_this: object, _weight: int, _italic: int, charset: int, *_: object) -> int | None:
    return _HANDLE if charset in _CHARSETS else None  # None: one of PDFium's own


def _font_data(_this: object, _handle: int, table: int, buffer: int | None, size: int) -> int:
    """The length of the font, which is written to the buffer if it is large enough."""
    if table != _WHOLE_FILE:
        return 0
    if buffer and size >= len(font()):
        ctypes.memmove(buffer, font(), len(font()))
    return len(font())
