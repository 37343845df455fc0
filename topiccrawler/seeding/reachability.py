"""Checks whether proposed URLs can be reached, with a HEAD request, or GET where a server refuses HEAD.

A host gets one request at a time. A server that does not end its response is given up after three times the time limit.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from topiccrawler.seeding.http_client import BadAnswerError, HttpClient, NoAnswerError
from topiccrawler.urls.canonical import host_of

AT_ONCE = 16
GONE = frozenset({404, 410})
BUSY = frozenset({429, 503})  # the URL exists, but cannot be fetched now
REFUSED = 405  # the server does not allow HEAD


def faults(client: HttpClient, urls: Sequence[str], seconds: float) -> dict[str, str]:
    """The fault of each URL, empty for one that can be reached. `seconds`: time limit of one request."""

    async def all_faults() -> list[str]:
        free, hosts = asyncio.Semaphore(AT_ONCE), defaultdict[str, asyncio.Lock](asyncio.Lock)

        async def fault(url: str) -> str:
            async with hosts[host_of(url)], free:
                return await _fault_of(client, url, seconds)

        return await asyncio.gather(*map(fault, urls))

    return dict(zip(urls, asyncio.run(all_faults()), strict=True))


async def _fault_of(client: HttpClient, url: str, seconds: float) -> str:
    """The reason why the URL cannot be a seed; empty if it can be reached."""
    try:
        async with asyncio.timeout(3 * seconds):
            try:
                status, _ = await client.answer(url, "HEAD")
            except BadAnswerError:
                status = REFUSED
            if status >= 400 and status not in GONE | BUSY:
                status, _ = await client.answer(url, "GET")
    except NoAnswerError as failure:
        return str(failure)
    except TimeoutError:
        return "takes too long"
    return f"answers {status}" if status >= 300 and status not in BUSY else ""
