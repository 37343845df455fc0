"""Which host is best: a ranking by best waiting URL, grouped by site; the pace of each host; fair shares of sites.

The ranking is a heap of sites by their best host, and for each site a heap of its hosts, so that a site can be passed over as a whole. A
site has one entry that counts, with the rank of its best host or a rank before it: however many hosts it has, it is looked at once. An
entry that no longer counts is dropped when it reaches the top; a heap that has doubled since it was last cleaned is cleaned.

The pace of a host is the delay between two requests and the number of requests at once: the usual one, and that of single hosts.

Fair shares: no site gets more than a bounded part of the latest requests while others have promising URLs. A link farm has endless pages
that look as good as any, so the score alone would send every request there. The share of a site grows with what it has proved
(frontier.budgets): with p proofs it is

    share = p / (p + UNPROVEN)      1 proof .25, 2 .4, 3 .5, 9 .75

of the last WINDOW requests, and of the slots: a site with a host a page is bounded by no host's clock. A site over its share is
passed over (frontier.hosts); it is never closed for that.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, heapreplace
from math import inf


@dataclass(frozen=True, slots=True)
class Pace:
    """A request every `delay_seconds`, `concurrency` of them at once."""

    delay_seconds: float = 0.0
    concurrency: int = 1


@dataclass(slots=True)
class Paces:
    """`special`: by name of the host, with or without its port."""

    usual: Pace = field(default_factory=Pace)
    special: Mapping[str, Pace] = field(default_factory=dict)

    def of(self, host: str) -> Pace:
        """The pace of this host."""
        return self.special.get(self.key(host), self.usual) if self.special else self.usual

    def key(self, host: str) -> str:
        """The name its pace is kept under: without the port when only so it has one of its own, else its own."""
        name = host.partition(":")[0]
        return name if host not in self.special and name in self.special else host


Key = tuple[float, int]
"""Rank of a URL, smaller is sooner: (-score, number in order of arrival)."""

Counts = Callable[[Key, int], bool]
"""Whether the host of that number is still in the set, with that rank."""

_CLEAN_AT = 64  # entries; smaller heaps are never cleaned


class HostRanking:
    """One set of hosts. Finding the best costs O(log hosts) amortised, and one look a site passed over."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        # rank and site; flat, as a lease compares a dozen of them
        self._sites: list[tuple[float, int, str]] = []
        self._site_ranks: dict[str, Key] = {}  # of the one entry that counts
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
        rank = self._site_ranks.get(site)
        if rank is None or key < rank:
            self._site_ranks[site] = key
            heappush(self._sites, (*key, site))
        if len(heap) > self._clean_at.get(site, _CLEAN_AT):
            heap[:] = [entry for entry in set(heap) if self._counts(*entry)]
            heapify(heap)
            self._clean_at[site] = max(_CLEAN_AT, 2 * len(heap))
        if len(self._sites) > self._clean_sites_at:
            self._sites = [(*rank, one) for one, rank in self._site_ranks.items()]
            heapify(self._sites)
            self._clean_sites_at = max(_CLEAN_AT, 2 * len(self._sites))

    def top(self, passed_over: Container[str] = ()) -> tuple[Key, int] | None:
        """Rank and number of the best host of a site that is not passed over."""
        passed: list[tuple[float, int, str]] = []
        found = None
        while self._sites and found is None:
            score, first, site = self._sites[0]
            key = (score, first)
            if self._site_ranks.get(site) != key:
                heappop(self._sites)
            elif (best := self._best(site)) is None:
                heappop(self._sites)
                del self._site_ranks[site]
            elif best[0] != key:
                self._site_ranks[site] = best[0]
                heapreplace(self._sites, (*best[0], site))
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


WINDOW = 100  # requests
UNPROVEN = 3.0


class FairShares:
    """The sites of the latest requests. `proofs(site)`: how much a site has proved, from 1 on; inf = it has no bound."""

    def __init__(self, proofs: Callable[[str], float], window: int = WINDOW) -> None:
        self._proofs = proofs
        self._window = window
        self._latest: deque[str] = deque()
        self._requests: Counter[str] = Counter()
        self._under_way: Counter[str] = Counter()
        self.over: set[str] = set()  # sites over their share of the latest requests
        self.full: set[str] = set()  # sites over their share of the slots

    def begin(self, site: str, slots: int) -> None:
        """A request goes to that site; `slots`: requests under way at once, to all. O(sites over their share)."""
        self._latest.append(site)
        self._requests[site] += 1
        self._under_way[site] += 1
        if len(self._latest) > self._window:
            oldest = self._latest.popleft()
            self._requests[oldest] -= 1
            if not self._requests[oldest]:
                del self._requests[oldest]
        if self._under_way[site] >= max(1.0, self._share(site) * slots):
            self.full.add(site)
        self.over = {
            one for one in (*self.over, site) if self._requests[one] >= self._share(one) * self._window
        }

    def end(self, site: str) -> None:
        """A request to that site ended."""
        self.full.discard(site)
        self._under_way[site] -= 1
        if self._under_way[site] <= 0:
            del self._under_way[site]

    def _share(self, site: str) -> float:
        """0..1, or inf: no bound."""
        proofs = self._proofs(site)
        return inf if proofs == inf else proofs / (proofs + UNPROVEN)
