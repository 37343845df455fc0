"""Requests that are no rows: retries, redirects, and whatever spiders, shell, parse and check send by themselves.

Such a request carries closures (callback, errback) that no row can hold, so the object itself is kept; it asks the same host
clock as the rows do. There are few of them in a focused crawl: a scan over their hosts is enough.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Container, Iterator

from scrapy import Request

from topiccrawler.frontier.hosts import Hosts


class RequestQueue:
    """Requests by host; the highest priority of a ready host first, first in first out among equals.

    `fingerprint`: Scrapy's; equal for requests for the same thing.
    """

    def __init__(self, hosts: Hosts, fingerprint: Callable[[Request], bytes]) -> None:
        self._hosts = hosts
        self._fingerprint = fingerprint
        self._met: set[bytes] = set()
        self._heaps: dict[str, list[tuple[int, int, Request]]] = {}
        self._watched: dict[Request, str] = {}
        self._count = 0
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Request]:
        return (request for heap in self._heaps.values() for _, _, request in heap)

    def is_repeat(self, request: Request) -> bool:
        """The same was asked about before, and the request does not say that it may come again."""
        if request.dont_filter:
            return False
        fingerprint, known = self._fingerprint(request), len(self._met)
        self._met.add(fingerprint)
        return len(self._met) == known

    def push(self, request: Request, host: str) -> None:
        """Keep a request until its host is ready."""
        self._count += 1
        self._size += 1
        heapq.heappush(self._heaps.setdefault(host, []), (-request.priority, self._count, request))

    def pop(self, now: float) -> tuple[Request, str] | None:
        """The best request of a host that is ready, with the host, whose slot it takes."""
        ready = [(heap[0][:2], host) for host, heap in self._heaps.items() if self._hosts.ready(host, now)]
        if not ready:
            return None
        _, host = min(ready)
        heap = self._heaps[host]
        _, _, request = heapq.heappop(heap)
        if not heap:
            del self._heaps[host]
        self._size -= 1
        self._hosts.take(host, now)
        return request, host

    def watch(self, request: Request, host: str) -> None:
        """A request without a lease is under way and holds a slot of its host."""
        self._watched[request] = host

    def release_slots(self, active: Container[Request], now: float) -> None:
        """Give back the slots of watched requests that the downloader is done with. They end in as many ways as leases
        do, but nothing has to be remembered of them."""
        for request in [request for request in self._watched if request not in active]:
            self._hosts.done(self._watched.pop(request), now)

    def next_ready(self, now: float) -> float | None:
        """When the first of the waiting hosts can be asked; None when there is none, or all are busy."""
        hosts = self._hosts
        free = (host for host in self._heaps if hosts.leases(host) < hosts.paces.of(host).concurrency)
        return min((max(now, hosts.ready_at(host)) for host in free), default=None)
