"""Keeps the stats of the queue, and a stored note on why hosts wait.

`QueueStats` sets the stats that explain why nothing happens: why hosts wait, what budgets exclude, how the last refresh went. It stores the
waits of the hosts as a note of the frontier, which `scrapy frontier` reads. A resumed crawl restores from it the back-offs that servers
requested.
"""

from __future__ import annotations

import json
import logging
from math import inf

from scrapy.statscollectors import StatsCollector

from topiccrawler.crawling.harvest import HarvestCounter
from topiccrawler.crawling.job_files import NOTE, noted_waits
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.outages import ANSWERED_NOTE, BACK_OFF, CHALLENGED, RETRY_AFTER, Outages
from topiccrawler.frontier.budgets import DOMAIN_PAGES, HOST_PAGES, HOST_UNPRODUCTIVE, UNPROVEN
from topiccrawler.pages.kinds import KINDS
from topiccrawler.text.engines import in_use_with_version
from topiccrawler.urls.canonical import site_of

logger = logging.getLogger(__name__)

BACK_OFFS = (RETRY_AFTER, BACK_OFF, CHALLENGED)  # reasons of waits that servers requested: they outlive a run
_NOTED_HOSTS = 1000
_WORTH_NOTING_SECONDS = 1.0
_REMEDIES = {
    HOST_PAGES: "FRONTIER_HOST_PAGES",
    DOMAIN_PAGES: "FRONTIER_DOMAIN_PAGES",
    HOST_UNPRODUCTIVE: "FRONTIER_HOST_UNPRODUCTIVE_PAGES",
    UNPROVEN: "FRONTIER_UNPROVEN_PAGES",
}
_OF_SITES = (DOMAIN_PAGES, UNPROVEN)  # bounds of a whole site, which may have a host for each page


class QueueStats:
    """The stats of a crawl's queue, hosts, budgets and learning."""

    def __init__(
        self,
        ordering: Ordering,
        harvest: HarvestCounter,
        stats: StatsCollector,
        outages: Outages | None = None,
    ) -> None:
        self._outages = outages or Outages(ordering.frontier.hosts)
        self._ordering, self._frontier = ordering, ordering.frontier
        self._harvest, self._stats = harvest, stats
        self._logged: set[str] = set()  # hosts and sites whose closing was logged
        self._waits: set[str] = set()  # keys of wait reasons that have a stat, which must return to 0

    def restore(self, now: float) -> None:
        """Restore the back-offs that servers requested before the crawl was stopped and that have not run out."""
        self._logged.update(_named(host, reason) for host, reason in self._budgets_closed().items())
        for host, reason, until in noted_waits(self._frontier.notes.get(NOTE)):
            if reason in BACK_OFFS and now < until < inf:
                self._frontier.hosts.back_off(host, until, reason)

    def show(self, now: float) -> None:
        """Set the stats, store the note on the waits of hosts, and log each host or site that a budget has newly closed. O(hosts)."""
        waits = list(self._frontier.hosts.waiting(now))
        counts = dict.fromkeys(self._waits, 0)
        for _, reason, _ in waits:
            counts[wait_key(reason)] = counts.get(wait_key(reason), 0) + 1
        self._waits.update(counts)
        for key, hosts in counts.items():
            self._stats.set_value(f"frontier/waits/{key}", hosts)
        if self._ordering.budgets is not None:
            for kind, urls in self._ordering.budgets.refused.items():
                self._stats.set_value(f"frontier/traps/{kind.replace(' ', '_')}", urls)
        if (listings := self._ordering.listings) is not None and listings.queued_sites:
            self._stats.set_value("topic/listings/sites", listings.queued_sites)
            self._stats.set_value("topic/listings/read", listings.read)
        self._show_learning()
        for host, reason in self._budgets_closed().items():
            if (named := _named(host, reason)) not in self._logged:
                self._logged.add(named)
                logger.info("%s is closed: %s (%s)", named, reason, _REMEDIES[reason])
        long = [wait for wait in waits if wait[2] - now > _WORTH_NOTING_SECONDS]
        long.sort(key=lambda wait: -wait[2])
        noted = [(host, reason, None if until == inf else round(until, 3)) for host, reason, until in long]
        self._frontier.notes.put(NOTE, json.dumps(noted[:_NOTED_HOSTS]))
        self._frontier.notes.put(ANSWERED_NOTE, self._outages.note())
        if self._outages.outages:
            self._stats.set_value("frontier/outages", self._outages.outages)

    def _show_learning(self) -> None:
        """Set the stats of the strategy's learning: the age of its model, and the slices of the last refresh."""
        for key, figure in self._ordering.learning.figures().items():
            self._stats.set_value(key, figure)
        rescoring = self._ordering.rescoring
        if rescoring.slices:
            self._stats.set_value("frontier/rescore/slowest_ms", round(1000 * rescoring.slowest_seconds, 1))

    def finish(self, now: float) -> None:
        """Set the stats that are final when the crawl ends: URLs by state and over a budget, and pages."""
        self.show(now)
        for state, count in self._frontier.look().counts().items():
            self._stats.set_value(f"frontier/urls/{state.value}", count)
        closed = self._budgets_closed()
        if closed:
            over_budget = self._frontier.look().waiting_in(closed)
            self._stats.set_value("frontier/urls/over_budget", over_budget)
            if over_budget:
                text = "%d URLs of %d hosts are over a budget and not asked for; `scrapy frontier` says why"
                logger.info(text, over_budget, len(closed))
        self._stats.set_value("topic/segmenter", in_use_with_version())
        self._stats.set_value("topic/pages", self._harvest.pages)
        self._stats.set_value("topic/kept", self._harvest.kept)
        for kind in KINDS:
            self._stats.set_value(f"topic/kept/{kind}", self._harvest.kinds[kind])

    def _budgets_closed(self) -> dict[str, str]:
        budgets = self._ordering.budgets
        return {} if budgets is None else budgets.closed


def wait_key(reason: str) -> str:
    """The last part of the stats key of a wait reason: `no_robots.txt` for `no robots.txt: http 503`."""
    return reason.partition(":")[0].replace(" ", "_")


def _named(host: str, reason: str) -> str:
    return f"Site {site_of(host)}" if reason in _OF_SITES else f"Host {host}"
