"""Which recorded page links to which, as compact arrays: a link is four bytes, and a page's links a slice."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

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
        return {page for page, steps in enumerate(_steps(self._graph(), seeds)) if steps != NOWHERE}

    def distances(self, relevant: Iterable[int]) -> list[int]:
        """For each page the fewest links to a relevant page: 0 if it is one, NOWHERE when none can be reached."""
        return _steps(self._graph().T, relevant)

    def _graph(self) -> csr_array:
        ones = np.ones(len(self._targets), dtype=np.int8)
        targets, ends = (np.asarray(numbers, dtype=np.int32) for numbers in (self._targets, self._ends))
        return csr_array((ones, targets, ends), shape=(len(self), len(self)))


def _steps(graph: csr_array, sources: Iterable[int]) -> list[int]:
    """For each page the fewest links from one of the sources; NOWHERE when none leads there."""
    at = list(dict.fromkeys(sources))
    if not at:
        return [NOWHERE] * graph.shape[0]
    steps = dijkstra(graph, indices=at, unweighted=True, min_only=True)
    return [NOWHERE if far == np.inf else int(far) for far in steps]
