"""Goes through all that waits, a slice at a time, so that the crawl goes on between two of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import islice

from topiccrawler.crawling.blocks import Block
from topiccrawler.engine.runtime import Runtime
from topiccrawler.frontier.base import State
from topiccrawler.model import Link

SLICE_URLS = 500  # some 10 ms


async def slices(runtime: Runtime) -> AsyncIterator[tuple[Link, ...]]:
    """The waiting links, oldest first."""
    waiting = runtime.frontier.listing.queued()
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
            if block.matches(link.url) and frontier.lease_url(link, 0.0, runtime.clock()):
                frontier.acknowledge(link.url, State.DISCARDED, block.reason, runtime.clock())
                dropped += 1
    frontier.commit()
    return dropped
