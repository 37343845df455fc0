"""Fetches the few pages that a user names as examples: one at a time, with a delay between requests to a host, and by robots.txt."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

from topiccrawler.pages.robots_txt import RobotsTxt
from topiccrawler.seeding.http_client import HttpClient, NoAnswerError
from topiccrawler.urls.canonical import host_of

MOST_FETCHED_BYTES = 4_000_000
MOST_ROBOTS_BYTES = 500_000

Fetched = tuple[str, bytes, str]  # URL, body, why there is none


class PoliteFetcher:
    """Fetches pages one at a time.

    `seconds`: least time between two requests to one host. `obey`: skip pages that robots.txt forbids to `agent`.
    """

    def __init__(
        self,
        client: HttpClient,
        agent: str,
        *,
        seconds: float,
        obey: bool = True,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client, self._agent, self._seconds, self._obey = client, agent, seconds, obey
        self._sleep = sleep
        self._requested: dict[str, float] = {}  # host -> time of its last request, monotonic clock
        self._robots: dict[str, RobotsTxt | str] = {}  # by root; a text says why all is forbidden

    def fetch(self, urls: Sequence[str]) -> Iterator[Fetched]:
        """Fetch the pages in order; a page that cannot be fetched has an empty body and a fault."""
        for url in urls:
            body, fault = b"", ""
            try:
                fault = self._forbidden(url) if self._obey else ""
                if not fault:
                    status, body = self._ask(url, MOST_FETCHED_BYTES)
                    fault = "" if 200 <= status < 300 else f"answers {status}"
            except NoAnswerError as failure:
                fault = str(failure)
            yield url, b"" if fault else body, fault

    def _ask(self, url: str, most: int) -> tuple[int, bytes]:
        host = host_of(url)
        if host in self._requested:
            self._sleep(max(0.0, self._requested[host] + self._seconds - time.monotonic()))
        try:
            return self._client.ask(url, most=most)
        finally:
            self._requested[host] = time.monotonic()

    def _forbidden(self, url: str) -> str:
        """Why robots.txt keeps a page from being fetched; empty if it does not. A server that fails allows nothing (RFC 9309, 2.3.1.4)."""
        parts = urlsplit(url)
        root = f"{parts.scheme}://{parts.netloc}"
        if root not in self._robots:
            status, body = self._ask(f"{root}/robots.txt", MOST_ROBOTS_BYTES)
            rules = RobotsTxt(body if 200 <= status < 300 else b"", self._agent)
            self._robots[root] = f"robots.txt answers {status}" if status >= 500 else rules
        known = self._robots[root]
        if isinstance(known, str):
            return known
        return "" if known.allowed(url) else "robots.txt forbids it"
