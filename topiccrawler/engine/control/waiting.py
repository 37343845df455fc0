"""Searches the queue of a running crawl for an order, and drops blocked URLs from it.

The whole queue is read one slice at a time, so that the crawl continues between two slices.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import islice

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.frontier.base import State
from topiccrawler.model import Link, Score
from topiccrawler.urls.unwanted import Block

SLICE_URLS = 500  # some 10 ms


async def slices(crawl: Crawl) -> AsyncIterator[tuple[Link, ...]]:
    """Yield the waiting links in slices, oldest first; the event loop runs between two slices."""
    waiting = crawl.frontier.look().queued()
    while links := tuple(islice(waiting, SLICE_URLS)):
        yield links
        await asyncio.sleep(0)


async def count(crawl: Crawl, block: Block) -> int:
    """The number of waiting URLs that a block would drop."""
    return sum([sum(block.matches(link.url) for link in links) async for links in slices(crawl)])


async def drop(crawl: Crawl, block: Block) -> int:
    """Add a block to the crawl: discard the waiting URLs that match, and refuse those found later. Return the number of discarded ones."""
    frontier, dropped = crawl.frontier, 0
    crawl.blocks.add(block)
    async for links in slices(crawl):
        for link in links:
            if block.matches(link.url) and frontier.lease(crawl.clock(), target=(link, Score(link.url, 0.0))):
                frontier.end(link.url, State.DISCARDED, block.reason, crawl.clock())
                dropped += 1
    frontier.commit()
    return dropped
