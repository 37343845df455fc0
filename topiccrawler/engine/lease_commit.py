"""What is written down when a lease ends, and in which order.

The conflict: page store and frontier are two files that cannot be committed together, and a process may be killed between
any two steps. So what only repeats work when it is done twice comes first: the store and the crawl log, then the
acknowledgement, in one transaction with the page's links (docs/decisions/commit.md).
"""

from __future__ import annotations

from topiccrawler.engine.leases import Lease
from topiccrawler.engine.runtime import Runtime
from topiccrawler.frontier.base import State
from topiccrawler.model import Visit

_MOVED = (State.DISCARDED, "redirected")


def commit_lease(runtime: Runtime, lease: Lease, state: State, reason: str, now: float) -> None:
    """Store, log, count and acknowledge; the caller ends the host's slot and commits the frontier."""
    link = lease.leased.link
    url = lease.redirect_targets[-1] if lease.redirect_targets else link.url
    kept = state is State.COMPLETED
    relevance = lease.page.relevance if lease.page is not None else 0.0
    runtime.files.visits.append(
        Visit(
            url,
            lease.status,
            lease.leased.score,
            relevance,
            kept,
            round(now, 3),
            source_url=link.url if lease.redirect_targets else link.source_url,
            anchor=link.anchor,
            shares=runtime.strategy.shares(link, lease.leased.score, lease.leased.shares),
            gate=lease.gate,
        )
    )
    runtime.files.commit()
    if lease.page is not None:
        runtime.harvest.add(kept=kept)
        runtime.frontier.notes.put(runtime.harvest.NOTE, runtime.harvest.note())
    for target in lease.redirect_targets:
        runtime.ordering.acknowledge(target, *((state, reason) if target == url else _MOVED), now)
    end = _MOVED if lease.redirect_targets else (state, reason)
    runtime.ordering.acknowledge(link.url, *end, now, fetched=lease.status > 0)
