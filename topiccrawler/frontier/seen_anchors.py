"""A 32-bit mask of the anchor texts a URL was seen with: one bit for each text.

A menu names its targets on every page. To score the same words for the same URL again costs most of a strategy's time
and counts one source many times, but a frontier has no room for the anchors of a million URLs.
But: two texts share a bit once in 32 times; the second is then taken for seen. A URL with a dozen texts has been
scored a dozen times by then.
"""

from __future__ import annotations

from zlib import crc32

_BITS = 32


def anchor_bit(text: str) -> int:
    """The text's bit; the same in every process."""
    return 1 << crc32(text.encode("utf-8", "surrogatepass")) % _BITS
