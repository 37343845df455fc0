"""A font that stands in for Chinese, Japanese and Korean fonts that a PDF file names and does not contain.

PDFium leaves out text that covers no area. Without a glyph, a character on its own covers none, and neither does vertical text; many
programs write each Chinese character on its own. So PDFium gets a font, by its interface for fonts of the system, in which every character
is a box. No font of the system is used, so that a file is read alike everywhere.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from io import BytesIO
from typing import Any

import pypdfium2.raw as pdfium

_CHARSETS = frozenset(
    {
        pdfium.FXFONT_SHIFTJIS_CHARSET,
        pdfium.FXFONT_HANGEUL_CHARSET,
        pdfium.FXFONT_GB2312_CHARSET,
        pdfium.FXFONT_CHINESEBIG5_CHARSET,
    }
)
_HANDLE = 1
_WHOLE_FILE = 0
_LAST, _SURROGATES = 0xFFFE, range(0xD800, 0xE000)


@lru_cache(maxsize=1)
def font() -> bytes:
    """The font as TrueType: one box, and a table that maps each character of the basic plane to it."""
    from fontTools.fontBuilder import FontBuilder  # here, because few files need it
    from fontTools.pens.ttGlyphPen import TTGlyphPen
    from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

    pen = TTGlyphPen(None)
    pen.moveTo((0, -120))
    for corner in ((0, 880), (1000, 880), (1000, -120)):
        pen.lineTo(corner)
    pen.closePath()
    names = [".notdef", "box"]
    builder = FontBuilder(unitsPerEm=1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupGlyf(dict.fromkeys(names, pen.glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (1000, 0)))
    builder.setupHorizontalHeader(ascent=880, descent=-120)
    builder.setupNameTable({"familyName": "Box", "styleName": "Regular"})
    builder.setupCharacterMap({0x20: "box"})
    builder.setupOS2()
    builder.setupPost(keepGlyphNames=False)
    many_to_one = CmapSubtable.newSubtable(13)
    many_to_one.platformID, many_to_one.platEncID = 3, 10  # Windows, Unicode
    many_to_one.language = many_to_one.reserved = many_to_one.length = 0
    many_to_one.cmap = {code: "box" for code in range(0x20, _LAST) if code not in _SURROGATES}
    builder.font["cmap"].tables = [many_to_one]
    stream = BytesIO()
    builder.save(stream)
    return stream.getvalue()


def install() -> None:
    """Give the font to PDFium."""
    pdfium.FPDF_SetSystemFontInfo(ctypes.byref(_interface()))


@lru_cache(maxsize=1)  # PDFium keeps its address
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
