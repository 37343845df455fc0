"""Reduces words to stems, so that "cars" matches "car" and книги matches книга.

Snowball's algorithms stem Latin, Cyrillic, Greek, Arabic, Devanagari, Tamil and Armenian words, each script by the algorithm for the
language with most pages in it: Latin words as English. Three words of a user do not tell whether they are German or Dutch, so Latin words
of any other language (OTHER) lose their accents and up to two short endings that are usual in many languages. That finds as much as
Snowball's algorithm for the very language (docs/lab.md). The long vowel at the end of a katakana word, which some write and some
do not (プリンター), is removed. For Korean words there is no such algorithm: the particle at their end is removed where two syllables remain.
Latin words of three letters or less (ios, gps, css) and words with digits stay as they are: most are names.
Cost: 2 µs for a word that is not in the cache, else one look-up.
But: inflections of several endings (Finnish, Turkish, Hungarian) remain.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from threading import Lock
from unicodedata import combining, normalize

from Stemmer import Stemmer

ENGLISH, OTHER = "en", "und"
_SCRIPTS = {
    "[\u0370-\u03ff\u1f00-\u1fff]": "greek",
    "[\u0400-\u04ff]": "russian",
    "[\u0531-\u0587]": "armenian",
    "[\u0620-\u065f]": "arabic",
    "[\u0900-\u097f]": "hindi",
    "[\u0b80-\u0bff]": "tamil",
}
_LATIN = re.compile(r"[a-z\u00df-\u024f]{4,40}")
_SCRIPT = re.compile("|".join(f"({letter}{{3,40}})" for letter in _SCRIPTS))
_ALGORITHMS = list(_SCRIPTS.values())
_ENDING = re.compile(
    r"(?<=[^\W\d_]{4})(?:ion(?:e[nrs]?|[is])?|ern|oes|ami|ach|[eo]n|er|em|es|as|os|is|ar|or|an|et|ow|om|ai|ei|ao|[aeiouyns])$"
)
_LAST = re.compile(
    "(?<=[ァ-ヺー]{3})ー$|(?<=[가-힣]{2})(?:으로부터|에게서|에서는|으로는|이라는|에서의|으로써|으로서|에서|에게|으로|까지|부터|처럼|보다|하고|이나|에는|에도|이란|"
    "[은는이가을를의에로와과도만란])$"
)
_REMEMBERED = 50_000  # words
_lock = Lock()  # a stemmer is not thread-safe: it stores the word that it works on


@lru_cache(_REMEMBERED)
def stem(word: str, language: str = ENGLISH) -> str:
    """The stem of a folded word; the word itself if its script has no rule. `language`: of Latin words, ENGLISH or OTHER."""
    if _LATIN.fullmatch(word):
        if language == ENGLISH:
            return _stemmed(word, "english")
        return _ENDING.sub("", _ENDING.sub("", _without_accents(word)))
    if word.isascii():
        return word
    if found := _SCRIPT.fullmatch(word):
        return _stemmed(word, _ALGORITHMS[(found.lastindex or 1) - 1])
    return _LAST.sub("", word)


def with_stems(words: str) -> frozenset[str]:
    """The words of a blank-separated list in both forms: as stems, which texts have, and not stemmed, as in URLs."""
    listed = words.split()
    return frozenset([*listed, *map(stem, listed)])


def _stemmed(word: str, algorithm: str) -> str:
    with _lock:
        found: str = _stemmer(algorithm).stemWord(word)
    return found if len(found) > 1 else word  # the Russian algorithm reduces ось to a single letter


@cache
def _stemmer(algorithm: str) -> Stemmer:
    return Stemmer(algorithm)


def _without_accents(word: str) -> str:
    return word if word.isascii() else "".join(c for c in normalize("NFD", word) if not combining(c))
