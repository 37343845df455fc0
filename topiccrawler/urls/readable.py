"""Writes URLs for people to read: with Chinese characters instead of percent signs."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes

_ESCAPED = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9~_-])*")
_ENCODINGS = ("utf-8", "gb18030")  # what Chinese sites write


def readable(url: str) -> str:
    """The URL with escaped letters and digits decoded. Bytes that are not text, and characters that are not letters, stay escaped."""
    return _ESCAPED.sub(_written_out, url)


def _written_out(escaped: re.Match[str]) -> str:
    for encoding in _ENCODINGS:
        try:
            text = unquote_to_bytes(escaped[0]).decode(encoding)
        except UnicodeDecodeError:
            continue
        return "".join(
            sign if sign.isalnum() or sign in "~_-" else quote(sign, safe="", encoding=encoding)
            for sign in text
        )
    return escaped[0]
