"""Asks each proposed address once whether it is there: HEAD, and GET where a server refuses that.

One host is asked one question at a time; a server that never ends its answer is left after three times a question's time.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from topiccrawler.seeding.http_client import BadAnswerError, HttpClient, NoAnswerError
from topiccrawler.urls.canonical import host_of

AT_ONCE = 16
GONE = frozenset({404, 410})
BUSY = frozenset({429, 503})  # there, but not now
REFUSED = 405  # HEAD


def faults(client: HttpClient, urls: Sequence[str], seconds: float) -> dict[str, str]:
    """The fault of each URL, empty for one that answers. `seconds`: one question's time."""

    async def asked() -> list[str]:
        free, hosts = asyncio.Semaphore(AT_ONCE), defaultdict[str, asyncio.Lock](asyncio.Lock)

        async def fault(url: str) -> str:
            async with hosts[host_of(url)], free:
                return await _fault_of(client, url, seconds)

        return await asyncio.gather(*map(fault, urls))

    return dict(zip(urls, asyncio.run(asked()), strict=True))


async def _fault_of(client: HttpClient, url: str, seconds: float) -> str:
    """Why the URL cannot be a seed; empty when it answers."""
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
