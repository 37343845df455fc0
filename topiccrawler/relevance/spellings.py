"""How a word of a topic is found on a page: by its key, the tokens that the segmenter makes of it, or only where it is written as the user wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from topiccrawler.text.segmenter import HAN, HANGUL, HIRAGANA, KATAKANA, Segmenter, fold, is_whole
from topiccrawler.text.stemmer import ENGLISH, OTHER

_LATIN = re.compile(r"[a-z]+")
_COMPOUNDED = re.compile(f"[{HAN}{KATAKANA}{HIRAGANA}ー]{{2,}}|[{HANGUL}]{{2,}}")
LEAST_STEM = 4  # letters of a stem that the table has: wed is a day too
# ln(texts / texts with the stem): a commoner stem has further meanings (training, train)
LEAST_STEM_RARITY = 7.0
_CONSONANT_Y = re.compile("([a-z]+[^aeiou])(?:y|ies)")
_PLURAL = re.compile("(?:(?<=ss|ch|sh)es|(?<=x)es|(?<![suc])(?<!i[cs])s)$")  # not glass, virus, economics
LEAST_END = 5  # letters of the last part of a compound
_RUN = re.compile(r"[a-z0-9]+")
_NAME = re.compile(r"[a-z0-9.+#_-]*[a-z][a-z0-9.+#_-]*")
_LATIN_LETTER = "[a-z\u00df-\u024f]"  # in folded text; Chinese may follow a Latin word without a blank


def by_key(words: Iterable[str], segmenter: Segmenter, *, whole: bool = False) -> dict[str, list[str]]:
    """Group words by their key: the tokens that the segmenter makes of them, joined.

    Words without tokens are left out; with `whole`, so are words of which the segmenter drops a part.
    """
    found: dict[str, list[str]] = {}
    listed = list(words)
    for word, tokens in zip(listed, segmenter.words_of(listed), strict=True):
        if tokens and (not whole or is_whole(word, tokens)):
            found.setdefault("".join(tokens), []).append(word)
    return found


def keyed(weights: Mapping[str, float], segmenter: Segmenter) -> dict[str, float]:
    """Replace each word by its key: its tokens joined. Words without tokens are left out."""
    keys = ("".join(tokens) for tokens in segmenter.words_of(list(weights)))
    return {key: weight for key, weight in zip(keys, weights.values(), strict=True) if key}


def is_end(key: str, segmenter: Segmenter) -> bool:
    """Whether longer words that end with the key have a narrower meaning."""
    return bool(_COMPOUNDED.fullmatch(key)) or (
        segmenter.language == OTHER and len(key) >= LEAST_END and key.isalpha()
    )


def written_form(key: str, words: Sequence[str], segmenter: Segmenter) -> re.Pattern[str] | None:
    """Return a pattern of the exact spellings of the words with one key; None if for one of them the key alone suffices."""
    patterns = [_pattern(key, fold(word), segmenter) for word in words]
    return re.compile("|".join(patterns)) if all(patterns) else None


def _pattern(key: str, folded: str, segmenter: Segmenter) -> str:
    """Return the pattern of the exact spelling of one folded word; "" if its key suffices."""
    if not _LATIN.fullmatch(folded):
        return _pattern_of_name(key, folded, segmenter)
    if segmenter.language != ENGLISH:
        return ""
    if (stemmed := segmenter.stem(folded)) in {folded, folded.removesuffix("s")} or len(stemmed) < 2:
        return ""
    if _is_main_form(folded, stemmed):
        return ""
    return rf"(?<!{_LATIN_LETTER}){_both_numbers(folded)}(?!{_LATIN_LETTER})"


def _is_main_form(word: str, stemmed: str) -> bool:
    """Whether no common English word but this one has its stem: hiking, not banking."""
    from topiccrawler.text.word_vectors import shipped_vectors  # late: it imports numpy

    if (form := shipped_vectors().form_of(stemmed)) is None:
        return len(stemmed) > 2
    rarity = shipped_vectors().rarity_of(stemmed) or 0.0
    same = {word, f"{word}s", word.removesuffix("s")}
    return len(stemmed) >= LEAST_STEM and form in same and rarity >= LEAST_STEM_RARITY


def _both_numbers(word: str) -> str:
    """A pattern of an English noun in singular and plural."""
    if found := _CONSONANT_Y.fullmatch(word):
        return f"{found[1]}(?:y|ies?)"
    singular = re.escape(_PLURAL.sub("", word))
    return f"{singular}(?:s|es)?"


def _pattern_of_name(key: str, folded: str, segmenter: Segmenter) -> str:
    """Return the pattern of a name with marks or digits, of which the segmenter may drop a part (a single letter or digit, or a mark);
    "" if its key suffices.
    """
    runs = _RUN.findall(folded)
    is_whole = folded == key or (folded[0].isalnum() and "".join(map(segmenter.stem, runs)) == key)
    if is_whole or not _NAME.fullmatch(folded):
        return ""
    written = "[-._ ]?".join(map(re.escape, runs))
    before, after = folded[: folded.index(runs[0])], folded[folded.rindex(runs[-1]) + len(runs[-1]) :]
    return f"(?<![a-z0-9]){re.escape(before)}{written}{re.escape(after)}(?![a-z0-9])"
