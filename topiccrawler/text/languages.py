"""Recognizes the language of a text in Latin or Cyrillic letters by its function words.

Idea: running text has a quarter of function words, and each language has its own.
Formula: score of a language = Σ over words of the text that are function words of it, 1 / number of languages that have the word, divided by
the number of words. The best language, if it has LEAST_DIFFERENT different function words, LEAST_SHARE, and is ahead of the next by LEAD.
Parameters: by trial on sentences (tests/text/test_languages.py).
But: a text of one short sentence, a list of names, and languages as near as Danish and Norwegian often stay unknown.
Reference: function words as in Grefenstette, Comparing two language identification schemes (1995); lists of the package stop-words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache

LEAST_DIFFERENT, LEAST_SHARE, LEAD = 4, 0.06, 1.25
_WORD = re.compile(r"[^\W\d_]+")
_LANGUAGES = "bg ca cs da de en es fi fr hr hu id it nl nb no pl pt ro ru sk sl sv tr uk vi"


def language_by_words(text: str) -> str:
    """The code of the language (de, es, uk …) of a text; "" when unknown."""
    words = _WORD.findall(text.lower())
    having, scores, different = _having(), defaultdict[str, float](float), Counter[str]()
    for word, count in Counter(words).items():
        languages = having.get(word, ())
        for language in languages:
            scores[language] += count / len(languages) / len(words)
            different[language] += 1
    ranked = sorted(scores, key=lambda language: (-scores[language], language))
    if not ranked:
        return ""
    best, second = ranked[0], scores[ranked[1]] if len(ranked) > 1 else 0.0
    is_clear = scores[best] >= LEAST_SHARE and scores[best] >= LEAD * second
    return best if is_clear and different[best] >= LEAST_DIFFERENT else ""


@cache
def _having() -> Mapping[str, tuple[str, ...]]:
    """The languages that have a function word."""
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    found = defaultdict[str, list[str]](list)
    for language in filter(LANGUAGE_MAPPING.__contains__, _LANGUAGES.split()):
        for word in dict.fromkeys(get_stop_words(language)):
            found[word.lower()].append(language)
    return {word: tuple(languages) for word, languages in found.items()}
