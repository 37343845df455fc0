"""The words of a page as a tsvector, with their places: as the segmenter gives them, past PostgreSQL's own parser, which would cut them otherwise.

Words of the title are of weight A. But: of a word PostgreSQL keeps 256 places, and places up to 16 383: phrases behind these are not found.
"""

from __future__ import annotations

from collections.abc import Iterable

from topiccrawler.store.index import MOST_CHARACTERS
from topiccrawler.store.pages import PageRecord
from topiccrawler.text.tokenise import words_of

LAST_PLACE, MOST_PLACES = 16_383, 255
MOST_BYTES = 2_000  # of a word
BREAK = 10  # places between title and text: no phrase goes over


def words_of_page(record: PageRecord) -> str:
    """The tsvector as text; empty for an alias and a page off topic, which are not to be found."""
    if not record.stored or record.alias_of:
        return ""
    title, text = words_of([record.title[:MOST_CHARACTERS], record.text[:MOST_CHARACTERS]])
    places: dict[str, list[str]] = {}
    _add(places, title, 1, "A")
    _add(places, text, 1 + len(title) + BREAK, "")
    return " ".join(f"{quoted(word)}:{','.join(where)}" for word, where in places.items())


def quoted(word: str) -> str:
    """A word as a tsvector or tsquery spells it."""
    escaped = word.replace("\0", " ").replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _add(places: dict[str, list[str]], words: Iterable[str], first: int, weight: str) -> None:
    for place, word in enumerate(words, start=first):
        if len(word.encode("utf-8", "replace")) <= MOST_BYTES:
            of_word = places.setdefault(word.encode("utf-8", "replace").decode(), [])
            if len(of_word) < MOST_PLACES:
                of_word.append(f"{min(place, LAST_PLACE)}{weight}")
