"""A leased request that comes back to the scheduler: where it goes on to, and whether it may.

A redirect leads the request of one leased URL to another, perhaps of another host, which may be waiting, under way or done
with already. So the target is leased along and ends with the lease; a known one ends it at once. A retry stays where it is.
Either way the host's slot is given back; the request takes a new one.
"""

from __future__ import annotations

from scrapy import Request

from topiccrawler.engine.leases import Lease
from topiccrawler.engine.politeness import host_key
from topiccrawler.frontier.base import Frontier
from topiccrawler.model import Link
from topiccrawler.urls.canonical import canonical, host_of

KNOWN = "redirect to a known page"
NO_PAGE = "redirect to no page"


def follow(lease: Lease, request: Request, frontier: Frontier, now: float) -> str | None:
    """Take the lease along to where its request goes next. A text = it goes no further, for that reason."""
    link, target = lease.leased.link, canonical(request.url)
    if target is None:
        return NO_PAGE
    if target not in (link.url, *lease.redirect_targets):
        there = Link(target, host_of(target), link.anchor, depth=link.depth, source_url=link.url)
        if not frontier.lease_url(there, lease.leased.score, now, lease.leased.shares):
            return KNOWN
        lease.redirect_targets.append(target)
    frontier.release_slot(link.url, now)
    lease.release_slot(frontier.hosts, now)
    lease.host = host_key(request)
    return None
