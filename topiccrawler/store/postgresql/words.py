"""The words of a page as a tsvector, with their places: as the segmenter gives them, past PostgreSQL's own parser, which would cut them otherwise.

Words of the title are of weight A. But: of a word PostgreSQL keeps 256 places, and places up to 16 383: phrases behind these are not found.
"""

from __future__ import annotations

from collections.abc import Sequence

from topiccrawler.store.index import MOST_CHARACTERS
from topiccrawler.store.pages import PageRecord, storable
from topiccrawler.text.tokenise import words_of

LAST_PLACE, MOST_PLACES = 16_383, 255
MOST_BYTES = 2_000  # of a word
SHORT = MOST_BYTES // 4  # characters that are no more bytes, whatever they are
BREAK = 10  # places between title and text: no phrase goes over


def words_of_page(record: PageRecord) -> str:
    """The tsvector as text; empty for an alias and a page off topic, which are not to be found."""
    if not record.stored or record.alias_of:
        return ""
    texts = [str(storable(text[:MOST_CHARACTERS])) for text in (record.title, record.text)]
    title, text = words_of(texts)
    places: dict[str, list[str]] = {}
    _add(places, title, 1, "A")
    _add(places, text, 1 + len(title) + BREAK, "")
    return " ".join(f"{quoted(word)}:{','.join(where[:MOST_PLACES])}" for word, where in places.items())


def quoted(word: str) -> str:
    """A word as a tsvector or tsquery spells it."""
    if word.isalnum():
        return f"'{word}'"
    escaped = word.replace("\0", " ").replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _add(places: dict[str, list[str]], words: Sequence[str], first: int, weight: str) -> None:
    last = min(first + len(words), LAST_PLACE)
    numbers = [f"{place}{weight}" for place in range(first, last)]
    numbers += [f"{LAST_PLACE}{weight}"] * (len(words) - len(numbers))
    for word, number in zip(words, numbers, strict=True):
        if len(word) < SHORT or len(word.encode()) <= MOST_BYTES:
            places.setdefault(word, []).append(number)
