"""Fair shares: no site gets more than a bounded part of the latest requests while others have promising URLs.

A link farm gives endless pages that look as good as any, so the score alone would send every request there. The share of a
site grows with what it has proved (frontier.sites): with p proofs it is

    share = p / (p + UNPROVEN)      1 proof .25, 2 .4, 3 .5, 9 .75

of the last WINDOW requests, and of the slots: a site with a host a page is bounded by no host's clock. A site over its share is
passed over (frontier.hosts); it is never closed for that.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from math import inf

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

    def take(self, site: str, slots: int) -> None:
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
