"""Packs arrays of numbers and lists of names into short texts for the JSON checkpoint of a strategy, and enlarges arrays."""

from __future__ import annotations

import base64
import json
import zlib
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Numbers = NDArray[np.int64]


def packed(column: NDArray[Any]) -> str:
    """Pack an array into a text; the numbers are kept exactly."""
    return _text(column.tobytes())


def unpacked(text: str, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """The array that `packed` made the text of, in one dimension. ValueError when the text is damaged."""
    return np.frombuffer(_bytes(text), dtype=dtype).copy()


def packed_list(names: Iterable[str]) -> str:
    """Pack names with any characters into a text: a class name in somebody's HTML may have line ends."""
    return _text(json.dumps(list(names)).encode("ascii"))


def list_of(text: str) -> list[str]:
    """The names that `packed_list` made the text of. ValueError when the text is damaged."""
    return [str(name) for name in json.loads(_bytes(text))]


def plain(value: Any) -> Any:
    """A value of a strategy's state as JSON: arrays are packed, an object that can be saved is saved."""
    if isinstance(value, np.ndarray):
        return packed(value)
    return value.save() if hasattr(value, "save") else list(value) if isinstance(value, deque) else value


def restored(former: Any, kept: Any) -> Any:
    """The value that `plain` made `kept` of, of the type of `former`. ValueError or TypeError when it is damaged."""
    if isinstance(former, np.ndarray):
        return unpacked(kept, former.dtype)
    return type(former).load(kept) if hasattr(former, "load") else type(former)(kept)


def grown(values: NDArray[Any], size: int, fill: float = 0.0) -> NDArray[Any]:
    """The array, or a copy with room for at least `size` values; the size doubles, so that growing by one is cheap."""
    if values.size >= size:
        return values
    larger = np.full(max(size, 2 * values.size, 1024), fill, values.dtype)
    larger[: values.size] = values
    return larger


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 1)).decode("ascii")


def _bytes(text: str) -> bytes:
    try:
        return zlib.decompress(base64.b64decode(text))
    except zlib.error as error:
        raise ValueError(f"packed numbers are damaged: {error}") from error
