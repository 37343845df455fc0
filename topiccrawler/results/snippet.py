"""The part of a text in which a query's words stand together, with their places.

The index keeps no texts, so FTS5's own snippets are not to be had; and texts are folded to be compared, which keeps their offsets.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from topiccrawler.text.normalise import fold
from topiccrawler.text.stems import stem

WIDTH = 120  # characters
LEAD = 30  # of these before the first word
MOST_CHARACTERS = 100_000  # of a text that are looked at; as many as are indexed
_LATIN = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text; marks are offsets into it."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def marked(self, begin: str = "«", end: str = "»") -> str:
        """The text with its marks written out."""
        parts, at = [], 0
        for start, stop in self.marks:
            parts += [self.text[at:start], begin, self.text[start:stop], end]
            at = stop
        return "".join([*parts, self.text[at:]])


def snippet(text: str, words: Sequence[str], width: int = WIDTH) -> Snippet:
    """The `width` characters with most different words, the first such; without any, the text's beginning."""
    text = " ".join(text[:MOST_CHARACTERS].split())
    found = places(text, words)
    starts = [start for start, _, _ in found]
    best, most = 0, 0
    for number, (start, _, _) in enumerate(found):
        inside = found[number : bisect_left(starts, start + width - LEAD)]
        different = len({word for _, _, word in inside})
        if different > most:
            best, most = start, different
    begin = max(0, min(best - LEAD, len(text) - width))
    cut = text[begin : begin + width]
    lead, trail = "…" if begin else "", "…" if begin + width < len(text) else ""
    shift = len(lead) - begin
    marks = [(s + shift, e + shift) for s, e, _ in found if begin <= s and e <= begin + len(cut)]
    return Snippet(f"{lead}{cut}{trail}", tuple(marks))


def places(text: str, words: Sequence[str]) -> list[tuple[int, int, str]]:
    """Where words of a query stand: start, end, word; in order, none within another. Latin words are found by their stems."""
    folded = fold(text)
    latin = {word for word in words if word.isascii()}
    found = [(m.start(), m.end(), stem(m[0])) for m in _LATIN.finditer(folded) if latin]
    found = [place for place in found if place[2] in latin]
    others = [re.escape(word) for word in words if not word.isascii()]  # the longest first
    if others:
        found += [(m.start(), m.end(), m[0]) for m in re.finditer("|".join(others), folded)]
    kept: list[tuple[int, int, str]] = []
    for place in sorted(found):
        if not kept or place[0] >= kept[-1][1]:
            kept.append(place)
    return kept
