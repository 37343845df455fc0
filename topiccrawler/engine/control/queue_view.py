"""What a running crawl knows of its queue: the best URLs that wait, the hosts with most of them, and all of one URL.

Goes through all that waits, a slice at a time, so that the crawl goes on between two of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from heapq import nlargest
from itertools import islice
from math import inf
from typing import Any

from topiccrawler.crawling.explanation import (
    LONGEST_PATH,
    History,
    Step,
    crawl_as_json,
    explain,
    explained,
    heaviest_shares,
)
from topiccrawler.crawling.gate import Block
from topiccrawler.crawling.job_files import VISITS
from topiccrawler.engine.runtime import Runtime
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import State
from topiccrawler.model import Link, Score, Visit
from topiccrawler.store.visits import read_visits
from topiccrawler.urls.canonical import canonical

SLICE_URLS = 500  # some 10 ms


async def slices(runtime: Runtime) -> AsyncIterator[tuple[Link, ...]]:
    """The waiting links, oldest first."""
    waiting = runtime.frontier.look().queued()
    while links := tuple(islice(waiting, SLICE_URLS)):
        yield links
        await asyncio.sleep(0)


async def count(runtime: Runtime, block: Block) -> int:
    """How many of the waiting URLs it would drop."""
    return sum([sum(block.matches(link.url) for link in links) async for links in slices(runtime)])


async def drop(runtime: Runtime, block: Block) -> int:
    """Discard what waits and matches; what is met from now on stays out. Returns how many were dropped."""
    frontier, dropped = runtime.frontier, 0
    runtime.blocks.add(block)
    async for links in slices(runtime):
        for link in links:
            if block.matches(link.url) and frontier.lease(
                runtime.clock(), target=(link, Score(link.url, 0.0))
            ):
                frontier.end(link.url, State.DISCARDED, block.reason, runtime.clock())
                dropped += 1
    frontier.commit()
    return dropped


def top(runtime: Runtime, count: int) -> list[dict[str, Any]]:
    """The best that wait, with what their scores are made of, the path from the seed and why their hosts wait; as `scrapy frontier --json`
    has them."""
    now = runtime.clock()
    waits = {host: (reason, until) for host, reason, until in runtime.hosts.waiting(now)}
    found = []
    for row in runtime.frontier.look().best(count):
        link = row.link
        entry: dict[str, Any] = {
            "url": link.url,
            "anchor": link.anchor,
            "source_url": link.source_url,
            "depth": link.depth,
            "score": row.score,
            "shares": heaviest_shares(runtime.parts, row),
            "path": [{"url": step.link.url, "anchor": step.link.anchor} for step in _path(runtime, link.url)],
            **_wait(waits.get(link.host), now),
        }
        found.append(entry)
    return found


def sites(runtime: Runtime, count: int) -> list[dict[str, Any]]:
    """The hosts with most waiting URLs: how many, and why they wait. O(URLs)."""
    now = runtime.clock()
    waits = {host: (reason, until) for host, reason, until in runtime.hosts.waiting(now)}
    waiting = runtime.frontier.look().waiting_by_host()
    first = nlargest(count, waiting, key=lambda host: (waiting[host], host))
    return [{"host": host, "waiting": waiting[host], **_wait(waits.get(host), now)} for host in first]


def _wait(wait: tuple[str, float] | None, now: float) -> dict[str, Any]:
    """`seconds` is None for a host that is asked no more."""
    if wait is None:
        return {}
    reason, until = wait
    return {"wait": reason, "seconds": None if until == inf else round(max(0.0, until - now), 1)}


async def why(runtime: Runtime, url: str) -> dict[str, Any]:
    """What `scrapy explain --json` says of a URL, by the crawl's own parts as they are now. ArgumentError for no URL, StateError
    for one that the crawl never met."""
    clean = canonical(url, extra_parameters=runtime.parts.dropped_parameters)
    if clean is None:
        raise ArgumentError(f"URL {url!r}", "is no http(s) URL", "write it as http://host/path")
    row = runtime.frontier.look().row(clean)
    if row is None:
        fault = "was never met, or the link gate refused every link to it"
        raise StateError(f"URL {clean}", fault, "check its spelling")
    steps = _path(runtime, clean)
    visits = await asyncio.to_thread(_visits, runtime, {clean, row.link.source_url})
    record = runtime.files.store.get(clean) if runtime.files.has_pages else None
    linking = next((visit for visit in reversed(visits) if visit.url != clean), None)
    own = tuple(visit for visit in visits if visit.url == clean)
    history = History(row, own, record, steps, not steps[0].link.source_url, linking)
    explanation, strategy = explain(runtime.parts, history), runtime.params.strategy
    found = explained(runtime.parts, row.link, explanation, strategy, runtime.admission, row.tunnel)
    return {
        **found,
        "crawl": crawl_as_json(history, runtime.files.folder, runtime.parts, runtime.reader.page_threshold),
    }


def _path(runtime: Runtime, url: str) -> tuple[Step, ...]:
    """From the seed, as far as the queue has it."""
    steps: dict[str, Step] = {}
    while url not in steps and len(steps) < LONGEST_PATH:
        row = runtime.frontier.look().row(url)
        if row is None:
            break
        steps[url] = Step(row.link, row.score, row.state.value)
        url = row.link.source_url
    return tuple(reversed(steps.values()))


def _visits(runtime: Runtime, urls: set[str]) -> tuple[Visit, ...]:
    path = runtime.files.folder / VISITS
    return tuple(visit for visit in read_visits(path) if visit.url in urls) if path.is_file() else ()
