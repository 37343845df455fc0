"""Which texts a URL was met with, in one number: a bit for each text, 32 of them.

The conflict: a menu names its targets on every page, and to look at the same words for the same URL again and again costs
most of a strategy's time and counts one voice as many; yet a frontier has no room for the words of a million URLs.
But: two texts share a bit once in 32 times, and the second then passes for heard. A URL with a dozen texts has been
looked at a dozen times.
"""

from __future__ import annotations

from zlib import crc32

_BITS = 32


def anchor_bit(text: str) -> int:
    """The text's bit; the same in every process."""
    return 1 << crc32(text.encode("utf-8", "surrogatepass")) % _BITS
