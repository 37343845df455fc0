"""What a message says, without its wording: tests hold its figures, names and places, and leave its English alone."""

from __future__ import annotations

import re

_FIGURE = re.compile(r"\d+(?:\.\d+)?")


def numbers(text: str) -> list[str]:
    """The figures in a text, as they are written."""
    return _FIGURE.findall(text)
