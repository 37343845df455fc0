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

The contexts of neighbouring links hold the same clauses, and menus return on every page of a site. So texts are taken
apart where no word can reach across (the boundaries of a page's text, comma and full stop), and what was cut lately is
remembered: on a page of 200 links two thirds of the characters are never shown to the engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from topiccrawler.text.engines import Cut, fastest_cut
from topiccrawler.text.fold import fold

TOKENIZER = "jieba-0.42-hmm+rule-1"

_REMEMBERED_CHARACTERS = 200_000  # some 15 MB with their words
_LONGEST_RUN = 40
_HAN = "一-\u9fd5"  # jieba's own range: beyond it the engines differ
_RUN = re.compile(
    rf"([a-z][{_HAN}])([{_HAN}]*)"  # a股…
    rf"|([a-z]{{2,3}})?([{_HAN}]+)"  # ic卡, 股票
    rf"|([a-z](?:\+\+|#)(?![^\W_{_HAN}])|[^\W_{_HAN}]+|\n)"  # c++, other letters and digits, the end of a text
)

_ALL_HAN = re.compile(rf"[{_HAN}]+").fullmatch
_MARK = "\0"
_BETWEEN = f"{_MARK}\n{_MARK}"


def words(text: str) -> list[str]:
    """The words of one text."""
    return words_of([text])[0]


def words_of(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text; one call of the engine for all."""
    return _lately.words_of(texts)


class _Lately:
    """The words of pieces met lately, up to _REMEMBERED_CHARACTERS of them."""

    def __init__(self) -> None:
        self._words: dict[str, list[str]] = {}
        self._characters = 0

    def words_of(self, texts: Sequence[str]) -> list[list[str]]:
        if self._characters > _REMEMBERED_CHARACTERS:
            self._words, self._characters = {}, 0
        known = self._words  # another thread may begin a new one meanwhile
        split = [text.replace("，", "|").replace("。", "|").split("|") for text in texts]
        new = [piece for piece in dict.fromkeys(chain.from_iterable(split)) if piece not in known]
        if new:
            known.update(_cut_pieces(new, _engine()))
            self._characters += sum(map(len, new))
        words_of_piece = known.__getitem__
        return [list(chain.from_iterable(map(words_of_piece, pieces))) for pieces in split]


def _cut_pieces(pieces: list[str], cut: Cut) -> Iterator[tuple[str, list[str]]]:
    """Each piece with its words. Most are Han from end to end and take the short way."""
    folded = fold("\n".join([piece.replace("\n", " ") for piece in pieces])).split("\n")
    han = {piece: text for piece, text in zip(pieces, folded, strict=True) if _ALL_HAN(text)}
    if han:
        runs = _MARK.join(cut("\n".join(han.values()))).split(_BETWEEN)
        yield from zip(
            han, ([word for word in run.split(_MARK) if len(word) > 1] for run in runs), strict=True
        )
    mixed = [piece for piece in pieces if piece not in han]
    yield from zip(mixed, cut_all(mixed, cut), strict=True)


def cut_all(texts: Sequence[str], cut: Cut) -> list[list[str]]:
    """The words of each text by the engine given; nothing is remembered."""
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


_lately = _Lately()
