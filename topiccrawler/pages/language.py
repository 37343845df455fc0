"""The language of a page, as a short tag: zh-Hans, zh-Hant, ja, ko, ru, en … or und.

`lang` attributes are often wrong ("en" on Chinese pages), so the characters decide between scripts, and the declaration
only among languages that share one.
Formula    shares among the letters of a sample of MOST_CHARACTERS: kana > .05 -> ja; hangul > .3 -> ko; Han > .15 -> zh,
           Hant when more than .06 of its Han characters have a simplified form, else Hans; Cyrillic > .5 -> ru; Latin > .5 ->
           what is declared, else en when common English words stand in it; else und.
Parameters by trial on sentences (tests/pages/test_language.py).
"""

from __future__ import annotations

import re
from operator import ne

from topiccrawler.text.normalise import fold
from topiccrawler.text.script_counts import script_counts

MOST_CHARACTERS = 1_000
LEAST_LETTERS = 10
UNKNOWN = "und"
_HAN = re.compile(r"[㐀-䶿一-鿿]+")
_TAG = re.compile(r"^[a-z]{2,3}$")
_ENGLISH = re.compile(
    r"\b(?:the|and|of|to|in|for|with|is|on|by|from|our|your|you|we|are|at)\b", re.IGNORECASE
)
_CYRILLIC = frozenset({"ru", "uk", "bg", "sr", "mk", "be", "kk", "mn"})
_NOT_LATIN = frozenset({"zh", "ja", "ko", "ar", "he", "th", "el", "und"}) | _CYRILLIC


def language_of(text: str, declared: str = "") -> str:
    """The language of a text; `declared` is what the page says (`<html lang>`)."""
    sample = text[:MOST_CHARACTERS]
    counts = script_counts(sample)
    # a Latin or Cyrillic word has some five letters, a Han or Hangul word two
    counts["latin"] = counts["latin"] * 2 // 5
    counts["cyrillic"] = counts["cyrillic"] * 2 // 5
    letters = sum(counts.values())
    tag = declared.strip().lower().replace("_", "-").partition("-")[0]
    tag = tag if _TAG.match(tag) else ""
    if sample.count("\ufffd") * 50 > len(sample):
        return UNKNOWN  # bytes that were no text
    if letters < LEAST_LETTERS:
        return tag if tag and tag != "zh" else UNKNOWN
    share = {name: count / letters for name, count in counts.items()}
    if share["kana"] > 0.05:
        return "ja"
    if share["hangul"] > 0.3:
        return "ko"
    if share["han"] > 0.15:
        return "zh-Hant" if _is_traditional(sample) else "zh-Hans"
    return _alphabetic(sample, tag, share)


def _alphabetic(sample: str, tag: str, share: dict[str, float]) -> str:
    """Among languages that share an alphabet."""
    if share["cyrillic"] > 0.5:
        return tag if tag in _CYRILLIC else "ru"
    if share["latin"] > 0.5 and tag and tag not in _NOT_LATIN:
        return tag
    is_english = share["latin"] > 0.5 and len(_ENGLISH.findall(sample)) * 12 >= len(sample.split())
    return "en" if is_english else UNKNOWN


def _is_traditional(sample: str) -> bool:
    han = "".join(_HAN.findall(sample))
    folded = fold(han)
    return folded != han and sum(map(ne, han, folded)) > 0.06 * len(han)
