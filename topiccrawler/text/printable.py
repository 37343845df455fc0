"""Text of strangers for a terminal: what would steer it, or turn the direction of writing, is written as an escape."""

from __future__ import annotations

import json
from unicodedata import category


def one_line(text: str, most: int) -> str:
    """A stranger's text on one line, at most so long, and printable; empty for blanks."""
    line = " ".join(text[: 4 * most].split())
    return printable(f"{line[:most]}…" if len(line) > most else line)


def printable(text: str) -> str:
    """The text with every character that has no shape of its own, but line ends and blanks, as in JSON (`\\u001b`).

    JSON stays the same JSON, half a surrogate pair included.
    """
    return "".join(
        character
        if character.isprintable() or character == "\n" or category(character) == "Zs"
        else json.dumps(character)[1:-1]
        for character in text
    )
