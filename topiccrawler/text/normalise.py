"""Folds text to one spelling for matching, character by character, so that offsets stay true.

Ａ股, A股 and a股, 貸款 and 贷款 become one word, while anchors and contexts are cut out of a page by offsets.

Full-width forms become half-width, traditional characters simplified ones, upper case lower case. Simplified forms come
from OpenCC's character table, read once, at the first call (15 ms). Only runs that hold something to fold are touched: a
page already simplified costs one regular expression.

But: character by character, so a character with two simplified forms becomes OpenCC's first one; 乾 is not folded,
because on a simplified page it is 乾隆 or 乾坤. For matching only: text that is shown or stored is never folded.
"""

from __future__ import annotations

import re
from functools import cache

_HAN_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))
_AMBIGUOUS = "乾"
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_FULL_WIDTH_SHIFT = 0xFEE0
_CASED = range(0x250 * 10)  # Latin, Greek, Cyrillic, Armenian, Georgian: where letters have case


def fold(text: str) -> str:
    """`text` in the one spelling used for matching; same length, same positions."""
    pattern, table = _folding()
    return pattern.sub(lambda run: run[0].translate(table), text)


@cache
def _folding() -> tuple[re.Pattern[str], dict[int, str]]:
    table = _simplified()
    table |= {code: chr(code).lower() for code in _CASED if _changes_in_place(code)}
    table |= {code: chr(code - _FULL_WIDTH_SHIFT).lower() for code in _FULL_WIDTH}
    table[0x3000] = " "
    return re.compile(f"[{re.escape(''.join(map(chr, table)))}]+"), table


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
