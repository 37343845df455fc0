"""Columns of numbers and lists of names as short JSON texts, for a strategy's checkpoint."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


def packed(column: NDArray[Any]) -> str:
    """The numbers, exactly."""
    return _text(column.tobytes())


def unpacked(text: str, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """What `packed` was given, in one row. ValueError when damaged."""
    return np.frombuffer(_bytes(text), dtype=dtype)


def packed_lines(names: Iterable[str]) -> str:
    """Names without line ends."""
    return _text("\n".join(names).encode("utf-8", "surrogatepass"))


def lines_of(text: str) -> list[str]:
    """What `packed_lines` was given, but a list of one empty name comes back as none."""
    lines = _bytes(text).decode("utf-8", "surrogatepass")
    return lines.split("\n") if lines else []


def doubled(column: NDArray[Any], axis: int = 0) -> NDArray[Any]:
    """With as much room again, zeros."""
    return np.concatenate([column, np.zeros_like(column)], axis=axis)


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 1)).decode("ascii")


def _bytes(text: str) -> bytes:
    try:
        return zlib.decompress(base64.b64decode(text))
    except zlib.error as error:
        raise ValueError(f"packed numbers are damaged: {error}") from error
