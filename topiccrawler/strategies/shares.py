"""What a score is made of, as a few bytes that are kept beside it in the queue.

A strategy whose score is a sum of several shares packs them when it scores, for its weights may have changed by the time
somebody asks. All shares but the last are kept as 32-bit floats; the last is what is left of the score, so that the sum is
the score. A strategy with one share packs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack, unpack
from typing import Any

from topiccrawler.errors import StateError

Shares = list[tuple[str, float]]
"""Name and share, in the strategy's order; together the score."""


def packed(*parts: float) -> bytes:
    """All shares of one score but the last."""
    return pack(f"<{len(parts)}f", *parts)


def packed_rows(parts: Any) -> list[bytes]:
    """The same for a matrix (links, shares), the last column included in it and left out here."""
    columns = parts.shape[1] - 1
    raw, width = parts[:, :columns].astype("<f4").tobytes(), 4 * columns
    return [raw[start : start + width] for start in range(0, width * len(parts), width)]


def unpacked(shares: bytes, score: float, names: Sequence[str]) -> Shares:
    """The shares under their names. StateError when they were packed by another version of the strategy."""
    if len(shares) != 4 * (len(names) - 1):
        raise StateError(
            "the shares of a score", "are of another version", "go on with the program that wrote them"
        )
    parts = unpack(f"<{len(names) - 1}f", shares)
    return list(zip(names, [*parts, score - sum(parts)], strict=True))
