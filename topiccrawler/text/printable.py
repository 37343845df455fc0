"""Makes text of strangers safe for a terminal: control characters, and those that change the direction of writing, are escaped."""

from __future__ import annotations

import json
from unicodedata import category


def one_line(text: str, most: int) -> str:
    """A stranger's text on one line, printable, cut to `most` characters before escaping; "" for blanks."""
    line = " ".join(text[: 4 * most].split())
    return printable(f"{line[:most]}…" if len(line) > most else line)


def printable(text: str) -> str:
    """The text with every character that is not printable escaped as in JSON (`\\u001b`), except line ends and blanks.

    A JSON text keeps its meaning, even with half a surrogate pair.
    """
    return "".join(
        character
        if character.isprintable() or character == "\n" or category(character) == "Zs"
        else json.dumps(character)[1:-1]
        for character in text
    )
