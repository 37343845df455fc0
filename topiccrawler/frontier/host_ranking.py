"""Hosts by their best waiting URL, grouped by site, so that a site can be passed over as a whole.

A heap of sites by their best host, and for each site a heap of its hosts. An entry that no longer counts is dropped when it
reaches the top; a heap that has doubled since it was last cleaned is cleaned.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from heapq import heapify, heappop, heappush

Key = tuple[float, int]
"""Rank of a URL, smaller is sooner: (-score, number in order of arrival)."""

Counts = Callable[[Key, int], bool]
"""Whether the host of that number is still in the set, with that rank."""

_CLEAN_AT = 64  # entries; smaller heaps are never cleaned


class HostRanking:
    """One set of hosts. Finding the best costs O(log hosts) amortised, and one look a site passed over."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._sites: list[tuple[Key, str]] = []
        self._hosts: dict[str, list[tuple[Key, int]]] = {}
        self._clean_at: dict[str, int] = {}
        self._clean_sites_at = _CLEAN_AT

    def __len__(self) -> int:
        """Entries, those that no longer count included."""
        return len(self._sites) + sum(map(len, self._hosts.values()))

    def add(self, site: str, key: Key, number: int) -> None:
        """Host `number` of `site` is in the set, its best URL has the rank `key`."""
        heap = self._hosts.setdefault(site, [])
        heappush(heap, (key, number))
        if heap[0] == (key, number):
            heappush(self._sites, (key, site))
        if len(heap) > self._clean_at.get(site, _CLEAN_AT):
            heap[:] = [entry for entry in set(heap) if self._counts(*entry)]
            heapify(heap)
            self._clean_at[site] = max(_CLEAN_AT, 2 * len(heap))
        if len(self._sites) > self._clean_sites_at:
            self._sites = [
                (best[0], one) for one in list(self._hosts) if (best := self._best(one)) is not None
            ]
            heapify(self._sites)
            self._clean_sites_at = max(_CLEAN_AT, 2 * len(self._sites))

    def top(self, passed_over: Container[str] = ()) -> tuple[Key, int] | None:
        """Rank and number of the best host of a site that is not passed over."""
        passed: list[tuple[Key, str]] = []
        found = None
        while self._sites and found is None:
            key, site = self._sites[0]
            best = self._best(site)
            if best is None or best[0] != key:
                heappop(self._sites)
                if best is not None:
                    heappush(self._sites, (best[0], site))
            elif site in passed_over:
                passed.append(heappop(self._sites))
            else:
                found = best
        for entry in passed:
            heappush(self._sites, entry)
        return found

    def drop(self, site: str) -> None:
        """Take out the best host of a site, until it is added again."""
        heappop(self._hosts[site])

    def _best(self, site: str) -> tuple[Key, int] | None:
        heap = self._hosts.get(site)
        while heap:
            if self._counts(*heap[0]):
                return heap[0]
            heappop(heap)
        if heap is not None:
            del self._hosts[site]
            self._clean_at.pop(site, None)
        return None
