"""Numbers for names: the rows of URLs, groups and words in a strategy's columns.

A number that moved when other names were forgotten would be taken for another name's by whoever still held it. So
numbers never move: forgetting leaves a gap, and a later name gets the lowest one.

Columns of numbers and lists of names as short JSON texts, for a strategy's checkpoint; and columns that grow.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Numbers = NDArray[np.int64]


def packed(column: NDArray[Any]) -> str:
    """The numbers, exactly."""
    return _text(column.tobytes())


def unpacked(text: str, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """What `packed` was given, in one row. ValueError when damaged."""
    return np.frombuffer(_bytes(text), dtype=dtype).copy()


def packed_list(names: Iterable[str]) -> str:
    """Names, whatever they hold: a class name in somebody's HTML may have line ends."""
    return _text(json.dumps(list(names)).encode("ascii"))


def list_of(text: str) -> list[str]:
    """What `packed_list` was given. ValueError when damaged."""
    return [str(name) for name in json.loads(_bytes(text))]


def doubled(column: NDArray[Any], axis: int = 0) -> NDArray[Any]:
    """With as much room again, zeros."""
    return np.concatenate([column, np.zeros_like(column)], axis=axis)


def grown(values: NDArray[Any], size: int, fill: float = 0.0) -> NDArray[Any]:
    """The same values with room for at least `size`; doubled, so that growing by one is cheap."""
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


class Numbering(dict[str, int]):
    """Names, and their numbers 0, 1, 2 …: a dict, since a page asks for thousands; only `add` and `forget` may change it."""

    def __init__(self, names: Iterable[str] = (), gaps: Iterable[int] = ()) -> None:
        self.names = list(names)  # by number; "" at a gap
        self._gaps = sorted(gaps, reverse=True)  # the next one last
        left = set(self._gaps)
        super().__init__((name, number) for number, name in enumerate(self.names) if number not in left)
        self.size = len(self.names)  # all numbers lie below it: so long are the columns

    def add(self, name: str) -> int:
        """Give a new name its number."""
        if self._gaps:
            number = self._gaps.pop()
            self.names[number] = name
        else:
            number = len(self.names)
            self.names.append(name)
            self.size += 1
        self[name] = number
        return number

    def add_all(self, names: Iterable[str]) -> list[int]:
        """Give new names their numbers, each once, in their order; the numbers."""
        return [self.add(name) for name in dict.fromkeys(names) if name not in self]

    def of(self, names: Sequence[str]) -> Numbers:
        """The numbers of known names."""
        return np.fromiter(map(self.__getitem__, names), np.int64, len(names))

    def forget(self, numbers: Numbers) -> None:
        """Forget the names of these numbers."""
        forgotten = numbers.tolist()
        for number in forgotten:
            del self[self.names[number]]
            self.names[number] = ""
        self._gaps = sorted([*self._gaps, *forgotten], reverse=True)

    def used(self) -> NDArray[np.bool_]:
        """Which numbers have a name."""
        used = np.ones(self.size, dtype=bool)
        used[self._gaps] = False
        return used

    def save(self) -> dict[str, Any]:
        """As JSON values."""
        return {"names": packed_list(self.names), "gaps": packed(np.array(self._gaps, dtype=np.int64))}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Numbering:
        """What `save` gave. ValueError when damaged."""
        return cls(list_of(state["names"]), unpacked(state["gaps"], np.int64).tolist())
