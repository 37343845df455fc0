"""What is written down when a lease ends and when the crawl does, and in which order.

The conflict: page store and frontier are two files that cannot be committed together, and a process may be killed between
any two steps. So what only repeats work when it is done twice comes first: the store and the crawl log, then the
acknowledgement, in one transaction with the page's links (docs/decisions/commit.md).
"""

from __future__ import annotations

from collections.abc import Iterable

from topiccrawler.crawling.revisiting import Due
from topiccrawler.engine.leases import Lease
from topiccrawler.engine.queue_stats import QueueStats
from topiccrawler.engine.runtime import Runtime
from topiccrawler.frontier.base import State
from topiccrawler.model import Visit

_MOVED = (State.DISCARDED, "redirected")


def commit_lease(runtime: Runtime, lease: Lease, state: State, reason: str, now: float) -> None:
    """Store, log, count and acknowledge; the caller ends the host's slot and commits the frontier."""
    if lease.due is not None:
        _commit_look(runtime, lease, lease.due, state, reason, now)
        return
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
            etag=lease.etag,
            modified=lease.modified,
        )
    )
    if kept and runtime.revisits is not None:
        runtime.files.checks.led_to(link.source_url)
    runtime.files.commit()
    if lease.page is not None:
        runtime.harvest.add(
            kept=kept, relevant=lease.is_relevant, format=lease.kept_format, copy=lease.kept_copy
        )
        runtime.frontier.notes.put(runtime.harvest.NOTE, runtime.harvest.note())
        if runtime.frontier.exchange is not None:
            runtime.frontier.exchange.count(kept=kept)
    _end_targets(runtime, lease, state, reason, now)
    end = _MOVED if lease.redirect_targets else (state, reason)
    runtime.ordering.acknowledge(link.url, *end, now, fetched=lease.status > 0)


def _commit_look(runtime: Runtime, lease: Lease, due: Due, state: State, reason: str, now: float) -> None:
    """A page of the job was looked at again; redirects led to rows of the frontier."""
    if runtime.revisits is not None:
        runtime.revisits.ended(lease, due, now)
    runtime.files.commit()
    _end_targets(runtime, lease, state, reason, now)


def _end_targets(runtime: Runtime, lease: Lease, state: State, reason: str, now: float) -> None:
    """The last of its redirects ends as the lease does, those before it led on."""
    left = len(lease.redirect_targets)
    for target in lease.redirect_targets:
        left -= 1
        runtime.ordering.acknowledge(target, *(_MOVED if left else (state, reason)), now)


def close_files(runtime: Runtime, left: Iterable[Lease], queue_stats: QueueStats, now: float) -> None:
    """The crawl closes: what is left under way waits again, the strategy's state is kept, the files are let go.

    After a fault of one of them nothing more is written to any.
    """
    urls = [url for lease in left for url in (lease.leased.link.url, *lease.redirect_targets)]
    with runtime.faults.guard():
        if not runtime.faults.broken:
            runtime.files.commit()
            runtime.frontier.release(now, urls)
            runtime.ordering.checkpoint()
            queue_stats.finish(now)
            runtime.frontier.close()
            runtime.files.close()
    if runtime.faults.broken:
        runtime.frontier.abandon()
        runtime.files.abandon()
