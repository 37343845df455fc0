"""Compresses whole files as one Zstandard frame with a checksum, and decompresses them up to a limit; `zstd` is the library's module."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd  # Scrapy brings it

__all__ = ["compress", "decompress", "zstd"]


def compress(body: bytes, level: int) -> bytes:
    """The bytes as one frame. The same bytes, level and version of the library give the same frame."""
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: level,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    return zstd.compress(body, options=options)


def decompress(body: bytes, most: int) -> bytes:
    """The content of one frame. Raises ValueError, whose text is the fault, when it is damaged, truncated, followed by other bytes, or when
    its content has more than `most` bytes: no more than that are made."""
    frame = zstd.ZstdDecompressor()
    try:
        content = frame.decompress(body, most + 1)
    except zstd.ZstdError:
        raise ValueError("is damaged or not compressed with zstd") from None
    if len(content) > most:
        raise ValueError(f"is larger than {most} bytes when decompressed")
    if not frame.eof or frame.unused_data:
        raise ValueError("is damaged or not compressed with zstd")
    return content
