"""Folds text to one spelling for matching, character by character, so that offsets stay true.

Ａ股, A股 and a股, 貸款 and 贷款 become one word, while anchors and contexts are cut out of a page by offsets.

Full-width forms become half-width, traditional characters simplified ones, upper case lower case. Simplified forms come
from OpenCC's character table, read once, at the first call (15 ms). Only runs that hold something to fold are touched: a
page already simplified costs one regular expression.

But: character by character, so a character with two simplified forms becomes OpenCC's first one; 乾 is not folded,
because on a simplified page it is 乾隆 or 乾坤. For matching only: text that is shown or stored is never folded.

How many characters of a text are of which script.

One comparison of all characters for each range: 15 µs for the Han characters of 13 000.

Text of strangers for a terminal: what would steer it, or turn the direction of writing, is written as an escape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from unicodedata import category

import numpy as np

_HAN_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))
_AMBIGUOUS = "乾"
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_FULL_WIDTH_SHIFT = 0xFEE0
_CASED = range(0x250 * 10)  # Latin, Greek, Cyrillic, Armenian, Georgian: where letters have case


_MARKS = {mark: chr(ord(mark) - _FULL_WIDTH_SHIFT) for mark in "，：；！？（）"}


def fold(text: str) -> str:
    """`text` in the one spelling used for matching; same length, same positions."""
    pattern, table = _folding()
    for mark, half_width in _MARKS.items():  # most of what the pattern would stop at on a simplified page
        text = text.replace(mark, half_width)
    return pattern.sub(lambda run: run[0].translate(table), text)


def folded(texts: Sequence[str]) -> list[str]:
    """Each of the texts folded, in one pass."""
    whole = fold("".join(texts))
    ends = list(accumulate(map(len, texts)))
    return [whole[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@cache
def _folding() -> tuple[re.Pattern[str], dict[int, str]]:
    table = _simplified()
    table |= {code: chr(code).lower() for code in _CASED if _changes_in_place(code)}
    table |= {code: chr(code - _FULL_WIDTH_SHIFT).lower() for code in _FULL_WIDTH}
    table[0x3000] = " "
    one = f"[{re.escape(''.join(map(chr, table)))}]"
    # not "+": what begins with one character of a set is searched for in a fifth of the time
    return re.compile(f"{one}{one}*"), table


def _changes_in_place(code: int) -> bool:
    lower = chr(code).lower()
    return lower != chr(code) and len(lower) == 1


def _simplified() -> dict[int, str]:
    from opencc import OpenCC  # a C++ library: loaded only when something is folded

    characters = [chr(code) for first, end in _HAN_BLOCKS for code in range(first, end)]
    converted = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return {
        ord(old): new
        for old, new in zip(characters, converted, strict=True)
        if old != new and len(new) == 1 and old not in _AMBIGUOUS
    }


RANGES: Mapping[str, tuple[tuple[str, str], ...]] = {  # first and last characters, by script
    "kana": (("ぁ", "ゖ"), ("ァ", "ヺ")),
    "hangul": (("가", "힣"),),
    "han": (("㐀", "䶿"), ("一", "鿿")),
    "cyrillic": (("Ѐ", "ӿ"),),
    "latin": (("A", "Z"), ("a", "z"), ("À", "ɏ")),
}


_BOUNDS = {name: [(ord(first), ord(last)) for first, last in ranges] for name, ranges in RANGES.items()}


def script_counts(text: str, scripts: Iterable[str] = RANGES) -> dict[str, int]:
    """Characters of each of these scripts of RANGES; those beyond the basic plane are of none."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2")
    return {
        # what lies below a range wraps to above it: one comparison
        name: sum(int(np.count_nonzero(units - first <= last - first)) for first, last in _BOUNDS[name])
        for name in scripts
    }


def one_line(text: str, most: int) -> str:
    """A stranger's text on one line, at most so long, and printable; empty for blanks."""
    line = " ".join(text[: 4 * most].split())
    return printable(f"{line[:most]}…" if len(line) > most else line)


def printable(text: str) -> str:
    """The text with every character that has no shape of its own, but line ends and blanks, as in JSON (`\\u001b`).

    JSON stays the same JSON, half a surrogate pair included.
    """
    return "".join(
        character
        if character.isprintable() or character == "\n" or category(character) == "Zs"
        else json.dumps(character)[1:-1]
        for character in text
    )
