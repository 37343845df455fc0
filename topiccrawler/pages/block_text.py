"""Counts what the text of each block consists of, for all blocks of a page at once.

Every character is looked up in one table of kinds, and counts are sums over slices. So a page costs a handful of array
operations whatever it holds, linear in its length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topiccrawler.pages.document import Block

Numbers = npt.NDArray[np.float32]
LETTER, CAPITAL, DIGIT, IDEOGRAPH, STOP, COMMA, MONEY, OTHER = range(8)
WORDS_AN_IDEOGRAPH = 0.6
FEW_WORDS = 10  # more words are a sentence even without a sign
SCRAP = 0.3  # weight as prose of a word in a block that is no sentence
_SIGNS = {".!?;。！？；…": STOP, ",:，、：": COMMA, "$€£¥￥₹": MONEY}


def _kind_table() -> npt.NDArray[np.uint8]:
    table = np.full(0x10000, OTHER, np.uint8)
    for code in range(0x3000):
        if chr(code).isalpha():
            table[code] = CAPITAL if chr(code).isupper() else LETTER
    table[0x3040:0x3100] = table[0x3400:0xA000] = IDEOGRAPH  # kana and Han
    table[0xAC00:0xD7B0] = table[0xF900:0xFB00] = IDEOGRAPH  # Hangul, more Han
    table[0x30:0x3A] = DIGIT
    for signs, kind in _SIGNS.items():
        table[[ord(sign) for sign in signs]] = kind
    return table


_KINDS = _kind_table()


class BlockText(NamedTuple):
    """Counts of the text of each block: one row or number a block."""

    size: Numbers  # characters
    kinds: Numbers  # characters of each kind
    words: Numbers
    link_share: Numbers  # share of the characters that are in links
    prose: Numbers  # words outside links; multiplied by SCRAP in a block that is no sentence
    last_kind: npt.NDArray[np.uint8]  # of the last character


def text_of_blocks(text: str, blocks: list[Block]) -> BlockText:
    """The counts of these blocks of a text. Needs at least one block."""
    count = len(blocks)
    starts, ends, _, in_links = (np.array(column, np.int64) for column in zip(*blocks, strict=True))
    codes = np.frombuffer(text[: ends[-1]].encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _KINDS[np.minimum(codes, 0xFFFF)]
    in_word = kinds <= DIGIT
    begins = in_word.copy()
    begins[1:] &= ~in_word[:-1]
    owner = np.zeros(len(codes), np.int64)
    owner[starts[1:]] = 1
    np.cumsum(owner, out=owner)
    by_kind = np.bincount(owner * 8 + kinds, minlength=8 * count).reshape(count, 8).astype(np.float32)
    words = np.bincount(owner[begins], minlength=count) + WORDS_AN_IDEOGRAPH * by_kind[:, IDEOGRAPH]
    size = np.maximum(ends - starts, 1).astype(np.float32)
    link_share = in_links / size
    is_sentence = (by_kind[:, STOP] + by_kind[:, COMMA] > 0) | (words > FEW_WORDS)
    prose = words * (1 - link_share) * np.where(is_sentence, 1.0, SCRAP)
    return BlockText(
        size,
        by_kind,
        words.astype(np.float32),
        link_share.astype(np.float32),
        prose.astype(np.float32),
        kinds[ends - 1],
    )
