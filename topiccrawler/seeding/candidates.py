"""Chooses seeds among candidates: the best, few of a host, those that answer.

What speaks for an address as a seed, in one score whatever the source.

Formula: score = relevance + Σ_source log2(1 + n) · n / (m + 4). relevance 0..1 of the page (of a search result: of its title and snippet) by the
page classifier; from earlier jobs n = relevant pages fetched by its links, m = all pages fetched by them; from a search service n = queries
that found it, m = queries asked; the 4 keeps low what few prove. So a page that led to many relevant pages and few others comes before one that is only relevant itself.

Asks each proposed address once whether it is there: HEAD, and GET where a server refuses that.

One host is asked one question at a time; a server that never ends its answer costs the thread it was asked by, not the command.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from operator import add
from typing import NamedTuple

from topiccrawler.seeding.http_client import HttpClient, NoAnswerError
from topiccrawler.urls.canonical import host_of

PRIOR = 4


class Candidate(NamedTuple):
    """One address, and what speaks for it."""

    url: str  # canonical
    title: str = ""  # as the web has it; the text of a link to it when it was not kept
    relevance: float = 0.0  # 0..1
    reached: int = 0  # relevant pages fetched by its links in earlier jobs
    fetched: int = 0  # all pages fetched by its links
    found: int = 0  # queries that found it
    queries: int = 0  # queries asked

    @property
    def score(self) -> float:
        """Larger is better; 0 = nothing speaks for it."""
        return self.relevance + _worth(self.reached, self.fetched) + _worth(self.found, self.queries)

    @property
    def why(self) -> str:
        """The score in words."""
        parts = [f"relevance {self.relevance:.2f}"]
        if self.reached:
            parts.append(f"{self.reached} of {self.fetched} pages it led to are relevant")
        if self.found:
            parts.append(f"found by {self.found} of {self.queries} queries")
        return ", ".join(parts)


def _worth(good: int, every: int) -> float:
    return log2(1 + good) * good / (every + PRIOR)


def merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Each address once, with all that speaks for it; the best first."""
    found: dict[str, Candidate] = {}
    for one in candidates:
        known = found.get(one.url)
        found[one.url] = one if known is None else _together(known, one)
    return sorted(found.values(), key=lambda one: (-one.score, one.url))


def _together(one: Candidate, other: Candidate) -> Candidate:
    counts = map(add, one[3:], other[3:])
    return Candidate(one.url, one.title or other.title, max(one.relevance, other.relevance), *counts)


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
    except NoAnswerError as failure:
        return str(failure)
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


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, best first, and why others were not there."""

    chosen: list[Candidate]
    dead: dict[str, str]  # URL -> fault


def choose(
    candidates: Iterable[Candidate],
    count: int,
    per_host: int,
    check: Callable[[Sequence[str]], Mapping[str, str]] | None = None,
) -> Choice:
    """At most `count`, at most `per_host` of one host. `candidates` come best first; `check` gives the fault of each URL, empty for
    one that is there, and is asked for no more than may be needed; None = all are."""
    chosen: list[Candidate] = []
    dead: dict[str, str] = {}
    waiting = list(candidates)
    while waiting and len(chosen) < count:
        taken = Counter(host_of(one.url) for one in chosen)
        batch, later = list[Candidate](), list[Candidate]()
        for one in waiting:
            host = host_of(one.url)
            fits = len(chosen) + len(batch) < count and taken[host] < per_host
            taken[host] += fits
            (batch if fits else later).append(one)
        if not batch:
            break
        faults = check([one.url for one in batch]) if check else {}
        dead |= {url: fault for url, fault in faults.items() if fault}
        chosen += [one for one in batch if one.url not in dead]
        waiting = later
    return Choice(sorted(chosen, key=lambda one: (-one.score, one.url)), dead)
