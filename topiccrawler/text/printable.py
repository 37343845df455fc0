"""Text of strangers for a terminal: what would steer it, or turn the direction of writing, is written as an escape."""

from __future__ import annotations

import json
from unicodedata import category


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
