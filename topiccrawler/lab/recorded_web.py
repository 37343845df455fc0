"""Numbers the pages of a recorded web, and stores which of them link to which.

`RecordedPages` gives each page one number, however many URLs lead to it. Every URL is resolved alike: to its canonical form, then through
the redirects of the recorded web to the final record, which is the page.

`LinkTable` stores the links in compact arrays: a link takes four bytes, and the links of a page are a slice.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.urls.canonical import canonical, host_of

MOST_REDIRECTS = 5  # equal to REDIRECT_MAX_TIMES in a live crawl


class RecordedPages:
    """The pages of a recorded web with status 200, numbered in the order of the recording."""

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
        """The number of the page that a canonical URL leads to; None if the web does not have it."""
        if url not in self._known:
            record = self._record(url)
            self._known[url] = None if record is None else self._numbers.get(record)
        return self._known[url]

    def number_of_any(self, url: str) -> int | None:
        """The number of the page that a URL leads to, which need not be canonical; None if the web does not have it."""
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
    """The distinct pages that each page links to, in document order. Pages are added in the order of their numbers."""

    def __init__(self, targets: Iterable[Sequence[int]] = ()) -> None:
        self._ends = array("Q", [0])
        self._targets = array("I")
        for row in targets:
            self.add(row)

    def add(self, targets: Iterable[int]) -> None:
        """Add the links of the next page."""
        self._targets.extend(dict.fromkeys(targets))
        self._ends.append(len(self._targets))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, page: int) -> array[int]:
        return self._targets[self._ends[page] : self._ends[page + 1]]

    @property
    def links(self) -> int:
        """The number of distinct links."""
        return len(self._targets)

    def reachable(self, seeds: Iterable[int]) -> set[int]:
        """The pages that can be reached from the seeds."""
        return {page for page, steps in enumerate(_steps(self._graph(), seeds)) if steps != NOWHERE}

    def distances(self, relevant: Iterable[int]) -> list[int]:
        """For each page the smallest number of links to a relevant page: 0 if it is one, NOWHERE when none can be reached."""
        return _steps(self._graph().T, relevant)

    def _graph(self) -> csr_array:
        ones = np.ones(len(self._targets), dtype=np.int8)
        targets, ends = (np.asarray(numbers, dtype=np.int32) for numbers in (self._targets, self._ends))
        return csr_array((ones, targets, ends), shape=(len(self), len(self)))


def _steps(graph: csr_array, sources: Iterable[int]) -> list[int]:
    """For each page the smallest number of links from one of the sources; NOWHERE when it cannot be reached."""
    at = list(dict.fromkeys(sources))
    if not at:
        return [NOWHERE] * graph.shape[0]
    steps = dijkstra(graph, indices=at, unweighted=True, min_only=True)
    return [NOWHERE if far == np.inf else int(far) for far in steps]
