"""Queries the queue of a running crawl (best URLs, hosts, one URL) and drops blocked URLs from it.

The whole queue is read one slice at a time, so that the crawl continues between two slices.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from heapq import nlargest
from itertools import islice
from typing import Any

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.explanation import crawl_as_json, explain, explained, heaviest_shares
from topiccrawler.crawling.past_crawl import LONGEST_PATH, History, Step
from topiccrawler.crawling.robots_notes import robots_of
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import State
from topiccrawler.model import Link, Score
from topiccrawler.results.summary import link_as_json, wait_of
from topiccrawler.urls.canonical import canonical
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


def top(crawl: Crawl, count: int) -> list[dict[str, Any]]:
    """The waiting URLs with the highest scores, as in `scrapy frontier --json`: with the parts of the score, the path from the seed, and
    why the host waits."""
    now = crawl.clock()
    waits = {host: (reason, until) for host, reason, until in crawl.hosts.waiting(now)}
    return [
        {
            **link_as_json(row.link),
            "score": row.score,
            "shares": heaviest_shares(crawl.parts, row),
            "path": [
                {"url": step.link.url, "anchor": step.link.anchor} for step in _path(crawl, row.link.url)
            ],
            **wait_of(waits.get(row.link.host), now),
        }
        for row in crawl.frontier.look().best(count)
    ]


def sites(crawl: Crawl, count: int) -> list[dict[str, Any]]:
    """The hosts with the most waiting URLs, with the number of these, why the host waits, and what its robots.txt was answered. O(URLs)."""
    now = crawl.clock()
    waits = {host: (reason, until) for host, reason, until in crawl.hosts.waiting(now)}
    waiting = crawl.frontier.look().waiting_by_host()
    first = nlargest(count, waiting, key=lambda host: (waiting[host], host))
    notes = crawl.frontier.notes
    return [
        {
            "host": host,
            "waiting": waiting[host],
            **wait_of(waits.get(host), now),
            **robots_of(notes, host, now),
        }
        for host in first
    ]


async def why(crawl: Crawl, url: str) -> dict[str, Any]:
    """The explanation of a URL, as in `scrapy explain --json`, by the present parts of the crawl. ArgumentError for an invalid URL,
    StateError for one that the crawl has never found."""
    clean = canonical(url, extra_parameters=crawl.parts.dropped_parameters)
    if clean is None:
        raise ArgumentError(f"URL {url!r}", "is no http(s) URL", "write it as http://host/path")
    row = crawl.frontier.look().row(clean)
    if row is None:
        fault = "was never met, or the link gate refused every link to it"
        raise StateError(f"URL {clean}", fault, "check its spelling")
    steps = _path(crawl, clean)
    record = crawl.files.store.get(clean)
    history = History(row, tuple(crawl.files.visits.of(clean)), record, steps, not steps[0].link.source_url)
    explanation, strategy = explain(crawl.parts, history), crawl.parts.recipe.strategy
    found = explained(crawl.parts, row.link, explanation, strategy, crawl.admission, row.tunnel)
    return {
        **found,
        "crawl": crawl_as_json(history, crawl.files.folder, crawl.parts, crawl.filter.threshold),
    }


def _path(crawl: Crawl, url: str) -> tuple[Step, ...]:
    """The path of links from the seed to a URL, as far back as the queue has it."""
    steps: dict[str, Step] = {}
    while url not in steps and len(steps) < LONGEST_PATH:
        row = crawl.frontier.look().row(url)
        if row is None:
            break
        steps[url] = Step(row.link, row.score, row.state.value)
        url = row.link.source_url
    return tuple(reversed(steps.values()))
