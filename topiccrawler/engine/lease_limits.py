"""When no more rows are leased: enough are under way, enough was fetched or kept, or all that waits is held back."""

from __future__ import annotations

from collections.abc import Iterable

from scrapy import Request

from topiccrawler.engine.leases import META, Leases
from topiccrawler.engine.runtime import Runtime


class LeaseLimits:
    """Of one crawl; `concurrency`: leases at once."""

    def __init__(self, runtime: Runtime, leases: Leases, concurrency: int) -> None:
        self._runtime, self._leases = runtime, leases
        self._concurrency = concurrency

    def has_room(self, aside: Iterable[Request]) -> bool:
        """No more leases than are fetched at once, those that are being read or stored included: a kill repeats no
        more than these. Leases that wait aside for their host's next turn do not keep others waiting."""
        waiting = sum(META in request.meta for request in aside)
        return len(self._leases) - waiting < self._concurrency

    def reached(self) -> bool:
        """Enough pages fetched or under way, or enough kept."""
        params, harvest = self._runtime.params, self._runtime.harvest
        return (params.pages is not None and harvest.pages + len(self._leases) >= params.pages) or (
            params.targets is not None and harvest.kept >= params.targets
        )

    def more_to_come(self, now: float) -> bool:
        """Something waits that will be fetched: not all is held back by budgets, or what is under way could bring
        more."""
        if self.reached() or not len(self._runtime.frontier):
            return False
        if len(self._leases):
            return True
        budgets = self._runtime.ordering.budgets
        return budgets is None or not budgets.closed or self._runtime.hosts.next_ready(now) is not None
