"""Which of the hosts that a worker owns are of use to it now."""

from __future__ import annotations

from collections.abc import Container
from math import inf

from topiccrawler.frontier.host_ranking import Key
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.redis.tops import NOTHING, Tops


def active_hosts(tops: Tops, hosts: Hosts) -> set[str]:
    """Those that have waiting URLs, and that budgets have not closed."""
    return {host for host, top in tops.owned.items() if top.best() is not None and hosts.ready_at(host) < inf}


def ready_hosts(
    tops: Tops, hosts: Hosts, active: set[str], leased: Container[str], now: float
) -> list[tuple[Key, str]]:
    """Those of the active ones that could be asked now and are not, with their best ranks, best first."""
    return sorted(
        (tops.owned[host].best() or NOTHING, host)
        for host in active
        if host not in leased and not hosts.leases(host) and hosts.ready_at(host) <= now
    )


def not_needed(tops: Tops, hosts: Hosts, leased: Container[str]) -> set[str]:
    """Those without a waiting URL and without a lease. Hosts closed by budgets have some: they stay, since here it is known why."""
    return {
        host
        for host, top in tops.owned.items()
        if top.best() is None and host not in leased and not hosts.leases(host)
    }
