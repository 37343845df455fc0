"""The pages of a recorded web as numbers, and which of them link to which.

A page has one number, however many URLs lead to it. Every URL goes the same way: canonical form, then what the recorded web answers, through its redirects, to the record at the
end; a page is that record.

The links are compact arrays: a link is four bytes, and a page's links a slice.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.urls.canonical import canonical, host_of

MOST_REDIRECTS = 5  # as REDIRECT_MAX_TIMES in a live crawl


class RecordedPages:
    """Numbers for the pages of a web that answer 200, in the order of the recording."""

    def __init__(self, web: RecordedWeb) -> None:
        self.web = web
        self.urls: list[str] = []  # number -> canonical URL
        self.recorded: list[str] = []  # number -> URL to read it by
        self._numbers: dict[str, int] = {}  # recorded URL -> number
        self._known: dict[str, int | None] = {}
        for url in web.urls():
            asked = canonical(url)
            found = self._record(asked) if asked else None
            if asked and found and found not in self._numbers:
                self._numbers[found] = len(self.urls)
                self.recorded.append(found)
                self.urls.append(canonical(found) or asked)
        self.hosts = [host_of(url) for url in self.urls]

    def __len__(self) -> int:
        return len(self.urls)

    def number(self, url: str) -> int | None:
        """The page a canonical URL leads to; None where the web holds none."""
        if url not in self._known:
            record = self._record(url)
            self._known[url] = None if record is None else self._numbers.get(record)
        return self._known[url]

    def number_of_any(self, url: str) -> int | None:
        """The same for a URL as people and files write it."""
        asked = canonical(url)
        return None if asked is None else self.number(asked)

    def _record(self, url: str) -> str | None:
        for _ in range(MOST_REDIRECTS + 1):
            found = self.web.find(url)
            if found.status == 200:
                return self.web.record_url(url)
            target = canonical(found.location, url) if found.location else None
            if target is None or target == url:
                return None
            url = target
        return None


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
