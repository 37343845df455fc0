"""Words of Chinese text: one stream, whichever engine cuts it.

The conflict: rjieba runs jieba's algorithm thirteen times as fast, but the two differ at Latin letters, digits and rare
characters, and a model trained with one must score the same with the other. So the engine is shown only runs of common
Han characters, on which both agree; everything else is cut here, by our own rule:

- text is folded first (half-width, simplified, lower case);
- a run of letters and digits is a word; c++, c# and f# keep their sign; runs longer than 40 characters are junk;
- a single Latin letter and the Han character behind it are a word: a股, k线, b超;
- a single Han character is dropped, except one that stands alone behind two or three letters: ic卡;
- other single characters are dropped, punctuation separates. Stop words stay.

Many texts are cut in one call, joined by a newline, which both engines keep as a token of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from topiccrawler.text.engines import Cut, fastest_cut
from topiccrawler.text.fold import fold

TOKENIZER = "jieba-0.42-hmm+rule-1"

_LONGEST_RUN = 40
_HAN = "一-\u9fd5"  # jieba's own range: beyond it the engines differ
_RUN = re.compile(
    rf"([a-z][{_HAN}])([{_HAN}]*)"  # a股…
    rf"|([a-z]{{2,3}})?([{_HAN}]+)"  # ic卡, 股票
    rf"|([a-z](?:\+\+|#)(?![^\W_{_HAN}])|[^\W_{_HAN}]+|\n)"  # c++, other letters and digits, the end of a text
)


def words(text: str) -> list[str]:
    """The words of one text."""
    return words_of([text])[0]


def words_of(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text; one call of the engine for all."""
    return cut_all(texts, _engine())


def cut_all(texts: Sequence[str], cut: Cut) -> list[list[str]]:
    """The same with the engine given."""
    if not texts:
        return []
    folded = fold("\n".join([text.replace("\n", " ") for text in texts]))
    runs = _RUN.findall(folded)
    pieces = iter(cut("\n".join([tail or han for _, tail, _, han, _ in runs if tail or han])))
    found: list[str] = []
    all_found = [found]
    for joined, tail, letters, han, other in runs:
        if han:
            found += (
                _after_letters(_next_run(pieces), letters) if letters else _long_enough(_next_run(pieces))
            )
        elif joined:
            found.append(joined)
            if tail:
                found += _long_enough(_next_run(pieces))
        elif other == "\n":
            found = []
            all_found.append(found)
        elif 2 <= len(other) <= _LONGEST_RUN:
            found.append(other)
    return all_found


def _next_run(pieces: Iterator[str]) -> Iterator[str]:
    """What the engine gives for one run of Han characters: up to the next newline."""
    return iter(pieces.__next__, "\n")


def _long_enough(run: Iterator[str]) -> list[str]:
    return [word for word in run if len(word) > 1]


def _after_letters(run: Iterator[str], letters: str) -> list[str]:
    found = list(run)
    if len(found) == 1 and len(found[0]) == 1:
        return [letters + found[0]]
    return [letters, *_long_enough(iter(found))]


@cache
def _engine() -> Cut:
    return fastest_cut()
