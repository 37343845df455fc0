"""Which recorded page links to which, as compact arrays.

The conflict: the oracle and recall need the links of the whole web at once, a million and more. So a link is four bytes, and a
page's links a slice.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Sequence

NOWHERE = -1


class LinkTable:
    """For each page the distinct pages it links to, in document order. Pages are added in order of their numbers."""

    def __init__(self, targets: Iterable[Sequence[int]] = ()) -> None:
        self._ends = array("Q", [0])
        self._targets = array("I")
        for row in targets:
            self.add(row)

    def add(self, targets: Iterable[int]) -> None:
        """The links of the next page."""
        self._targets.extend(dict.fromkeys(targets))
        self._ends.append(len(self._targets))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, page: int) -> array[int]:
        return self._targets[self._ends[page] : self._ends[page + 1]]

    @property
    def links(self) -> int:
        """How many distinct links there are."""
        return len(self._targets)

    def reachable(self, seeds: Iterable[int]) -> set[int]:
        """The pages a crawl from the seeds can come to."""
        found = set(seeds)
        queue = deque(found)
        while queue:
            for target in self[queue.popleft()]:
                if target not in found:
                    found.add(target)
                    queue.append(target)
        return found

    def distances(self, relevant: Iterable[int]) -> list[int]:
        """For each page the fewest links to a relevant page: 0 if it is one, NOWHERE when none can be reached."""
        sources = self._turned()
        steps = [NOWHERE] * len(self)
        queue = deque(dict.fromkeys(relevant))
        for page in queue:
            steps[page] = 0
        while queue:
            page = queue.popleft()
            for source in sources[page]:
                if steps[source] == NOWHERE:
                    steps[source] = steps[page] + 1
                    queue.append(source)
        return steps

    def _turned(self) -> LinkTable:
        """The same links the other way round."""
        counts = [0] * (len(self) + 1)
        for target in self._targets:
            counts[target + 1] += 1
        for page in range(len(self)):
            counts[page + 1] += counts[page]
        turned = LinkTable()
        turned._ends = array("Q", counts)
        turned._targets = array("I", bytes(4 * len(self._targets)))
        free = counts[:-1]
        for page in range(len(self)):
            for target in self[page]:
                turned._targets[free[target]] = page
                free[target] += 1
        return turned
