"""A thesaurus in the format of the Tongyici Cilin: words by code.

Idea: a thesaurus is a tree; the deeper the branch two words share, the nearer they are.
Formula: sim = 1 for equal words and for one line marked `=` (synonyms); 0.8 for one line marked `#` (related);
    0.6 for a shared code of four levels (near), 0.4 of three, 0.2 of two, 0.1 of one (distant); else 0. Of a word's several
    codes the nearest pair counts.
Format: a line is `CODE words…`, CODE = level letters and digits as in `Aa01A01=`: 1 + 1 + 2 + 1 + 2 characters and a
    mark `=`, `#` or `@` (a word alone).
Cost: two dictionary look-ups and the product of the words' codes, which are few.
But: the numbers are ours (text.thesaurus).
Reference: Mei et al., Tongyici Cilin, 1983, for the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from topiccrawler.text.normalise import fold
from topiccrawler.text.stems import stem
from topiccrawler.text.thesaurus import Thesaurus

NEAREST_BY_MARK: Mapping[str, float] = {"=": 1.0, "#": 0.8}
SIMILARITY = (0.0, 0.1, 0.2, 0.4, 0.6)  # by levels shared

_LINE = re.compile(r"\ufeff?([A-Z][a-z]\d\d[A-Z]\d\d)([=#@])\s+(.*)")
_LEVEL_ENDS = (1, 2, 4, 5)


class CodedThesaurus(Thesaurus):
    """Words by code; a line of another form is passed over."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._codes: dict[str, tuple[str, ...]] = {}
        for line in lines:
            match = _LINE.match(line)
            if match is None:
                continue
            code, mark, words = match.groups()
            for word in map(stem, fold(words).split()):
                self._codes[word] = (*self._codes.get(word, ()), code + mark)

    def __len__(self) -> int:
        return len(self._codes)

    def similarity(self, first: str, second: str) -> float:
        if first == second:
            return 1.0
        ours, theirs = self._codes.get(first), self._codes.get(second)
        if ours is None or theirs is None:
            return 0.0
        return max(_nearness(one, other) for one in ours for other in theirs)


def _nearness(first: str, second: str) -> float:
    if first == second:
        return NEAREST_BY_MARK.get(first[-1], 0.0)
    shared = 0
    for level, end in enumerate(_LEVEL_ENDS, 1):
        if first[:end] != second[:end]:
            break
        shared = level
    return SIMILARITY[shared]
