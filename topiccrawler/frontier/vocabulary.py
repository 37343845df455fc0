"""Which words a site has used so far, to tell pages that say something new from those made of the same words again.

A bit a word in a table of 2^17 (16 KB a site): after 50 000 words a third of the new ones is taken for known. Generated text has
a fixed vocabulary, natural text keeps adding to it (Heaps' law). Not kept over a restart: a site then counts as new again.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

BITS = 1 << 17


class Vocabulary:
    """The words of one site."""

    __slots__ = ("_bits",)

    def __init__(self) -> None:
        self._bits = bytearray(BITS // 8)

    def add(self, words: Iterable[str]) -> float:
        """The share of these distinct words that are new, 0..1; they are known from now on. 0 when there are none."""
        bits, new, count = self._bits, 0, 0
        for word in words:
            at = crc32(word.encode("utf-8", "replace")) % BITS
            mask = 1 << (at & 7)
            count += 1
            if not bits[at >> 3] & mask:
                bits[at >> 3] |= mask
                new += 1
        return new / count if count else 0.0
