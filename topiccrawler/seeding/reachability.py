"""Checks whether proposed URLs can be fetched, with a HEAD request, or GET where a server refuses HEAD. No body is read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from topiccrawler.seeding.answers import BadAnswerError, Fetch, NoAnswerError

GONE = frozenset({404, 410})
BUSY = frozenset({429, 503})  # the URL exists, but cannot be fetched now
REFUSED = 405  # the server does not allow HEAD


async def faults(fetch: Fetch, urls: Sequence[str]) -> dict[str, str]:
    """The fault of each URL, empty for one that can be fetched."""
    found = await asyncio.gather(*(_fault_of(fetch, url) for url in urls))
    return dict(zip(urls, found, strict=True))


async def _fault_of(fetch: Fetch, url: str) -> str:
    """The reason why the URL cannot be a seed; empty if it can be reached."""
    try:
        try:
            status = (await fetch(url, "HEAD", head_only=True)).status
        except BadAnswerError:
            status = REFUSED
        if status >= 400 and status not in GONE | BUSY:
            status = (await fetch(url, head_only=True)).status
    except NoAnswerError as failure:
        return str(failure)
    return f"answers {status}" if status >= 300 and status not in BUSY else ""
