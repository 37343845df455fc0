"""Asks each proposed address once whether it is there: HEAD, and GET where a server refuses that.

One host is asked one question at a time; a server that never ends its answer costs the thread it was asked by, not the command.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from http.client import HTTPException

from topiccrawler.seeding.http_client import HttpClient
from topiccrawler.urls.canonical import host_of

THREADS = 16
GONE = frozenset({404, 410})
BUSY = frozenset({429, 503})  # there, but not now

Check = Callable[[Sequence[str]], dict[str, str]]


def fault_of(client: HttpClient, url: str) -> str:
    """Why the URL cannot be a seed; empty when it answers."""
    try:
        status, _ = client.ask(url, "HEAD")
        if status >= 400 and status not in GONE | BUSY:
            status, _ = client.ask(url, "GET")
    except (OSError, HTTPException, ValueError) as failure:
        reason = getattr(failure, "reason", None) or failure
        return " ".join(str(reason).split()) or type(failure).__name__
    return f"answers {status}" if status >= 300 and status not in BUSY else ""


def faults(client: HttpClient, urls: Sequence[str], seconds: float) -> dict[str, str]:
    """The fault of each URL, empty for one that answers. `seconds`: one question's time; what is not answered in its share has a fault."""
    by_host: dict[str, list[str]] = {}
    for url in urls:
        by_host.setdefault(host_of(url), []).append(url)
    hosts: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
    answers: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
    for of_host in by_host.values():
        hosts.put(of_host)

    def work() -> None:
        while True:
            try:
                of_host = hosts.get_nowait()
            except queue.Empty:
                return
            for url in of_host:
                answers.put((url, fault_of(client, url)))

    for _ in range(min(THREADS, len(by_host))):
        threading.Thread(target=work, daemon=True).start()
    longest = max(map(len, by_host.values()), default=0)
    deadline = time.monotonic() + 2 * seconds * (longest + len(urls) / THREADS + 1)
    found: dict[str, str] = {}
    while len(found) < len(urls):
        try:
            url, fault = answers.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
        found[url] = fault
    return {url: found.get(url, "takes too long") for url in urls}
