"""Ranks hosts by their best waiting URL, sets the pace of each host, and bounds the share of each site.

`HostRanking` is a heap of sites by their best host, and for each site a heap of its hosts, so that a site can be skipped as a whole. A
site has one entry that counts, with the rank of its best host or a rank before it; so it is examined once, however many hosts it has. An
entry that no longer counts is dropped when it reaches the top; a heap that has doubled since it was last cleaned is cleaned.

`Pace` is the delay between two requests to a host and the number of requests at once. `Paces` has the usual pace, and that of single hosts.

`FairShares`: no site gets more than a bounded part of the latest requests while others have promising URLs. A link farm has endless pages
that look as good as any, so the score alone would send every request there. The share of a site grows with its proofs
(frontier.budgets): with p proofs it is

    share = p / (p + UNPROVEN)      1 proof .25, 2 .4, 3 .5, 9 .75

of the last WINDOW requests, and of the slots, since no host's clock bounds a site that has a host for each page. A site over its share is
skipped (frontier.hosts); it is never closed for that.

`SeedShare`: a long list of seeds, most of them dead, must not keep found links waiting. Seeds have the best scores, and a dead host holds a
slot until the time-out. So the hosts of such a list that have not given a page yet form one group, with the share of the slots

    share = y_seeds / (y_seeds + y_links)      y: pages kept per lease, lately; the share is LEAST_SHARE .. MOST_SHARE

Beyond it a promising link that is ready goes first; and a part of the slots, LEAST_SHARE, stays free for promising links that are soon ready.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, heapreplace
from math import inf


@dataclass(frozen=True, slots=True)
class Pace:
    """The politeness of a host: a request every `delay_seconds`, at most `concurrency` at once."""

    delay_seconds: float = 0.0
    concurrency: int = 1


@dataclass(slots=True)
class Paces:
    """The usual pace, and the paces of single hosts (`special`, by host name with or without port)."""

    usual: Pace = field(default_factory=Pace)
    special: Mapping[str, Pace] = field(default_factory=dict)

    def of(self, host: str) -> Pace:
        """The pace of a host."""
        return self.special.get(self.key(host), self.usual) if self.special else self.usual

    def key(self, host: str) -> str:
        """The name under which the pace of a host is stored: the name without the port if only that has a special pace, else the host."""
        name = host.rpartition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
        return name if host not in self.special and name in self.special else host


Key = tuple[float, int]
"""Rank of a URL, smaller is sooner: (-score, number in order of arrival)."""

Counts = Callable[[str, Key, int], bool]
"""Whether the host of this number is still in the set, in this site and with this rank."""

_CLEAN_AT = 64  # entries; smaller heaps are never cleaned


class HostRanking:
    """A set of hosts ranked by best URL. Finding the best costs O(log hosts) amortised, and one step for each skipped site."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        # rank and site; flat tuples, since a lease compares a dozen of them
        self._sites: list[tuple[float, int, str]] = []
        self._site_ranks: dict[str, Key] = {}  # rank of the one entry of each site that counts
        self._hosts: dict[str, list[tuple[Key, int]]] = {}
        self._clean_at: dict[str, int] = {}
        self._clean_sites_at = _CLEAN_AT

    def __len__(self) -> int:
        """The number of entries, outdated ones included."""
        return len(self._sites) + sum(map(len, self._hosts.values()))

    def add(self, site: str, key: Key, number: int) -> None:
        """Add host `number` of `site`, whose best URL has the rank `key`."""
        heap = self._hosts.setdefault(site, [])
        heappush(heap, (key, number))
        rank = self._site_ranks.get(site)
        if rank is None or key < rank:
            self._site_ranks[site] = key
            heappush(self._sites, (*key, site))
        if len(heap) > self._clean_at.get(site, _CLEAN_AT):
            heap[:] = [entry for entry in set(heap) if self._counts(site, *entry)]
            heapify(heap)
            self._clean_at[site] = max(_CLEAN_AT, 2 * len(heap))
        if len(self._sites) > self._clean_sites_at:
            self._sites = [(*rank, one) for one, rank in self._site_ranks.items()]
            heapify(self._sites)
            self._clean_sites_at = max(_CLEAN_AT, 2 * len(self._sites))

    def top(self, passed_over: Container[str] = ()) -> tuple[Key, int] | None:
        """Rank and number of the best host of all sites but those in `passed_over`; None if there is none."""
        skipped: list[tuple[float, int, str]] = []
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
                skipped.append(heappop(self._sites))
            else:
                found = best
        for entry in skipped:
            heappush(self._sites, entry)
        return found

    def drop(self, site: str) -> None:
        """Remove the best host of a site, until it is added again."""
        heappop(self._hosts[site])

    def _best(self, site: str) -> tuple[Key, int] | None:
        heap = self._hosts.get(site)
        while heap:
            if self._counts(site, *heap[0]):
                return heap[0]
            heappop(heap)
        if heap is not None:
            del self._hosts[site]
            self._clean_at.pop(site, None)
        return None


WINDOW = 100  # requests
UNPROVEN = 3.0


class FairShares:
    """Counts the latest requests of each site. `proofs(site)`: the proofs of a site, 1 or more; inf = the site has no bound."""

    def __init__(self, proofs: Callable[[str], float], window: int = WINDOW) -> None:
        self._proofs = proofs
        self._window = window
        self._latest: deque[str] = deque()
        self._requests: Counter[str] = Counter()
        self._under_way: Counter[str] = Counter()
        self.over: set[str] = set()  # sites over their share of the latest requests
        self.full: set[str] = set()  # sites over their share of the slots

    def begin(self, site: str, slots: int) -> None:
        """Count a request to a site that begins now. `slots`: requests under way at once, to all sites. O(sites over their share)."""
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
        """Count the end of a request to a site."""
        self.full.discard(site)
        self._under_way[site] -= 1
        if self._under_way[site] <= 0:
            del self._under_way[site]

    def _share(self, site: str) -> float:
        """The share of the requests that a site may have, 0..1; inf = no bound."""
        proofs = self._proofs(site)
        return inf if proofs == inf else proofs / (proofs + UNPROVEN)


SEEDS = "(seeds)"  # in place of the site of a host in the group
MANY_SEEDS = 100  # hosts; the seeds of a shorter list are not bounded
LEAST_SHARE, MOST_SHARE = 1 / 8, 1 / 2  # of the slots
_FADING = 0.99  # weight of a lease, for each later one of its group


@dataclass(slots=True)
class _Yield:
    leases: float = 0.0
    kept: float = 0.0

    @property
    def rate(self) -> float:
        return (self.kept + 1) / (self.leases + 2)


class SeedShare:
    """The share of the slots of `hosts`, the hosts of a long list of seeds that have not given a page yet."""

    def __init__(self, hosts: set[str]) -> None:
        self.hosts = hosts
        self.under_way = 0
        self._seeds, self._links = _Yield(), _Yield()

    def end(self, *, seed: bool) -> None:
        """Count a lease that has ended, of a host in the group or not."""
        self.under_way -= seed
        one = self._seeds if seed else self._links
        one.leases = one.leases * _FADING + 1
        one.kept *= _FADING

    def keep(self, *, seed: bool) -> None:
        """Count a page that was kept."""
        (self._seeds if seed else self._links).kept += 1

    def is_over(self, slots: int) -> bool:
        """Whether the group has its share of the slots."""
        share = self.rate / (self.rate + self._links.rate)
        return self.under_way >= max(1.0, min(MOST_SHARE, max(LEAST_SHARE, share)) * slots)

    def is_full(self, slots: int) -> bool:
        """Whether only the slots are left that stay free for links."""
        return self.under_way >= slots - max(1.0, LEAST_SHARE * slots)

    @property
    def rate(self) -> float:
        """Pages kept per lease of a seed, 0..1."""
        return self._seeds.rate
