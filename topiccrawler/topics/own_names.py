"""Names of topics made of a user's words: an id for programs and files, the words for people."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

SEPARATOR = "、"
MOST_CHARACTERS = 60  # of the words in a topic's `zh`

_LATIN = re.compile("[a-z][a-z0-9]*")
_ID = re.compile(r"[a-z][a-z0-9-]*-[0-9a-f]{6}")


def own_id(words: Sequence[str]) -> str:
    """Of the same words always the same: a job goes on with its own topic only."""
    latin = "-".join(_LATIN.findall(" ".join(words).lower()))[:30].strip("-") or "keywords"
    return f"{latin}-{hashlib.sha256(chr(10).join(words).encode()).hexdigest()[:6]}"


def joined_words(words: Sequence[str]) -> str:
    """The words as the topic's `zh`, which is cut where it grows too long."""
    return SEPARATOR.join(words)[:MOST_CHARACTERS]


def display_name(name: str, zh: str) -> str:
    """What people are shown as the name of a topic: its name, which they type; of a topic of their words, the words.

    `name` may be those of several topics with + between them (topics.several); `zh` is then too.
    """
    if not zh or not any(_ID.fullmatch(part) for part in name.split("+")):
        return name
    if len(zh) < MOST_CHARACTERS or "+" in name:
        return zh
    return f"{zh.rpartition(SEPARATOR)[0] or zh}…"  # the last word may have been cut
