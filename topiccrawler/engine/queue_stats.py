"""How the queue stands, as stats and in its own file: why hosts wait, what budgets exclude, how the last refresh went.

Written now and then, for a person who asks why nothing happens: numbers into the stats, the hosts' own waits into a note of
the frontier, where `scrapy frontier` finds them; a resumed crawl keeps the rests that servers asked for.
"""

from __future__ import annotations

import json
import logging
from math import inf
from typing import TYPE_CHECKING

from topiccrawler.crawling.harvest_counter import HarvestCounter
from topiccrawler.crawling.noted_waits import NOTE, noted_waits
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.frontier.budgets import DOMAIN_PAGES, HOST_PAGES, HOST_UNPRODUCTIVE, UNPROVEN
from topiccrawler.urls.canonical import site_of

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)

BACK_OFFS = ("retry-after", "back-off")  # asked for by servers: they outlive a run
_NOTED_HOSTS = 1000
_WORTH_NOTING_SECONDS = 1.0
_REMEDIES = {
    HOST_PAGES: "FRONTIER_HOST_PAGES",
    DOMAIN_PAGES: "FRONTIER_DOMAIN_PAGES",
    HOST_UNPRODUCTIVE: "FRONTIER_HOST_UNPRODUCTIVE_PAGES",
    UNPROVEN: "FRONTIER_UNPROVEN_PAGES",
}
_OF_SITES = (DOMAIN_PAGES, UNPROVEN)  # bounds of all hosts of a site, which may have a host a page


class QueueStats:
    """Of one crawl."""

    def __init__(self, ordering: Ordering, harvest: HarvestCounter, stats: StatsCollector) -> None:
        self._ordering, self._frontier = ordering, ordering.frontier
        self._harvest, self._stats = harvest, stats
        self._logged: set[str] = set()  # hosts and sites asked no more that were logged
        self._waits: set[str] = set()  # reasons that were set once

    def restore(self, now: float) -> None:
        """Let hosts back off as long as their servers asked for before the crawl was stopped."""
        self._logged.update(_named(host, reason) for host, reason in self._budgets_closed().items())
        for host, reason, until in noted_waits(self._frontier.notes.get(NOTE)):
            if reason in BACK_OFFS and now < until < inf:
                self._frontier.hosts.back_off(host, until, reason)

    def show(self, now: float) -> None:
        """Set the stats and the note. O(hosts)."""
        waits = list(self._frontier.hosts.waiting(now))
        counts = dict.fromkeys(self._waits, 0)
        for _, reason, _ in waits:
            counts[reason] = counts.get(reason, 0) + 1
        self._waits.update(counts)
        for reason, hosts in counts.items():
            self._stats.set_value(f"frontier/waits/{reason.replace(' ', '_')}", hosts)
        if self._ordering.budgets is not None:
            for kind, urls in self._ordering.budgets.refused.items():
                self._stats.set_value(f"frontier/traps/{kind.replace(' ', '_')}", urls)
        if (listings := self._ordering.listings) is not None and listings.asked:
            self._stats.set_value("topic/listings/sites", listings.asked)
            self._stats.set_value("topic/listings/read", listings.read)
        for name, figure in self._frontier.figures().items():
            self._stats.set_value(f"frontier/redis/{name}", figure)
        self._show_learning()
        for host, reason in self._budgets_closed().items():
            if (named := _named(host, reason)) not in self._logged:
                self._logged.add(named)
                logger.info("%s is asked no more: %s (%s)", named, reason, _REMEDIES[reason])
        long = [wait for wait in waits if wait[2] - now > _WORTH_NOTING_SECONDS]
        long.sort(key=lambda wait: -wait[2])
        noted = [(host, reason, None if until == inf else round(until, 3)) for host, reason, until in long]
        self._frontier.notes.put(NOTE, json.dumps(noted[:_NOTED_HOSTS]))

    def _show_learning(self) -> None:
        """How old what the strategy knows is, and how the last refresh went."""
        for key, figure in self._ordering.learning_figures().items():
            self._stats.set_value(key, figure)
        rescoring = self._ordering.rescoring
        if rescoring.slices:
            self._stats.set_value("frontier/rescore/slices", rescoring.slices)
            self._stats.set_value("frontier/rescore/changed", rescoring.changed)
            self._stats.set_value("frontier/rescore/slowest_ms", round(1000 * rescoring.slowest_seconds, 1))

    def finish(self, now: float) -> None:
        """The last word."""
        self.show(now)
        for state, count in self._frontier.listing.counts().items():
            self._stats.set_value(f"frontier/urls/{state.value}", count)
        closed = self._budgets_closed()
        if closed:
            over_budget = self._frontier.listing.waiting_in(closed)
            self._stats.set_value("frontier/urls/over_budget", over_budget)
            if over_budget:
                text = "%d URLs of %d hosts are over a budget and not asked for; `scrapy frontier` says why"
                logger.info(text, over_budget, len(closed))
        self._stats.set_value("topic/pages", self._harvest.pages)
        self._stats.set_value("topic/kept", self._harvest.kept)
        self._stats.set_value("topic/harvest_rate", round(self._harvest.harvest_rate, 4))

    def _budgets_closed(self) -> dict[str, str]:
        budgets = self._ordering.budgets
        return {} if budgets is None else budgets.closed


def _named(host: str, reason: str) -> str:
    return f"Site {site_of(host)}" if reason in _OF_SITES else f"Host {host}"
