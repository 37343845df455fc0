"""A map from some of the numbers 0, 1, 2 … to positive numbers: 7 bytes for each that has one, none for the others.

Few URLs are raised, so an array over all of them wastes memory, and a dict takes 150 bytes an entry. So numbers are
cut into runs of 4 096; each run has a sorted array of the numbers with a value, beside their values.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

_RUN_BITS = 12
_RUN = (1 << _RUN_BITS) - 1


class SparseMap:
    """0 stands for no value."""

    def __init__(self) -> None:
        self._keys: list[array[int]] = []
        self._values: list[array[int]] = []

    def __getitem__(self, number: int) -> int:
        run = number >> _RUN_BITS
        if run >= len(self._keys):
            return 0
        keys, key = self._keys[run], number & _RUN
        at = bisect_left(keys, key)
        return self._values[run][at] if at < len(keys) and keys[at] == key else 0

    def __setitem__(self, number: int, value: int) -> None:
        run = number >> _RUN_BITS
        while run >= len(self._keys):
            self._keys.append(array("H"))
            self._values.append(array("I"))
        keys, key = self._keys[run], number & _RUN
        at = bisect_left(keys, key)
        if at < len(keys) and keys[at] == key:
            self._values[run][at] = value
        else:
            keys.insert(at, key)
            self._values[run].insert(at, value)
