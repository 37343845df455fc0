"""Numbers for names: the rows of URLs, groups and words in a strategy's columns.

A number that moved when other names were forgotten would be taken for another name's by whoever still held it. So
numbers never move: forgetting leaves a gap, and a later name gets the lowest one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topiccrawler.links.packed_arrays import Numbers, list_of, packed, packed_list, unpacked


class Numbering:
    """Names, and their numbers 0, 1, 2 …"""

    def __init__(self, names: Iterable[str] = (), gaps: Iterable[int] = ()) -> None:
        self.names = list(names)  # by number; "" at a gap
        self._gaps = sorted(gaps, reverse=True)  # the next one last
        left = set(self._gaps)
        self._numbers = {name: number for number, name in enumerate(self.names) if number not in left}

    def __len__(self) -> int:
        """How many names there are."""
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._numbers)

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def __getitem__(self, name: str) -> int:
        """The number of a known name."""
        return self._numbers[name]

    @property
    def size(self) -> int:
        """All numbers lie below it: so long are the columns."""
        return len(self.names)

    def get(self, name: str) -> int | None:
        """The name's number; None when it is unknown."""
        return self._numbers.get(name)

    def add(self, name: str) -> int:
        """Give a new name its number."""
        if self._gaps:
            number = self._gaps.pop()
            self.names[number] = name
        else:
            number = len(self.names)
            self.names.append(name)
        self._numbers[name] = number
        return number

    def of(self, names: Sequence[str]) -> Numbers:
        """The numbers of known names."""
        return np.fromiter(map(self._numbers.__getitem__, names), np.int64, len(names))

    def forget(self, numbers: Numbers) -> None:
        """Forget the names of these numbers."""
        forgotten = numbers.tolist()
        for number in forgotten:
            del self._numbers[self.names[number]]
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
