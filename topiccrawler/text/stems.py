"""Stems of Latin words, so that "cars" matches "car": Snowball's English algorithm.

A word alone does not tell its language, so all Latin words are stemmed as English ones: that also joins most plurals of French,
Spanish, Portuguese and Dutch, not the inflections of German or Italian.
Words of three letters or less (ios, gps, css) and words with digits stay as they are: most are names.
Cost: 70 µs a word not met lately; the others one look-up.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from threading import Lock

from snowballstemmer import stemmer
from snowballstemmer.basestemmer import BaseStemmer

_WORD = re.compile(r"[a-z\u00df-\u024f]{4,40}")
_REMEMBERED = 50_000  # words
_lock = Lock()  # the stemmer keeps the word it works on


@lru_cache(_REMEMBERED)
def stem(word: str) -> str:
    """The stem of a folded word; what is no Latin word is given back."""
    if not _WORD.fullmatch(word):
        return word
    with _lock:
        stemmed: str = _english().stemWord(word)
    return stemmed


def with_stems(words: str) -> frozenset[str]:
    """A list of words, blanks between them, as they occur in texts (stems) and in addresses (not stemmed)."""
    listed = words.split()
    return frozenset([*listed, *map(stem, listed)])


@cache
def _english() -> BaseStemmer:
    return stemmer("english")
