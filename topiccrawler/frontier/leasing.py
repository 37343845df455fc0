"""What the frontiers in memory and on disk do alike: leases and their ends, slots, and new scores for waiting URLs.

Where a URL's record is kept is each frontier's own; here a URL is its number in order of arrival.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Self

import numpy as np
from numpy.typing import NDArray

from topiccrawler.frontier.base import Accept, Ahead, Leased, Listing, Notes, Postpone, Pushed, Row, State
from topiccrawler.frontier.exchange import Exchange
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.queues import Queues
from topiccrawler.model import Link, Score


class LeasingFrontier(ABC):
    """See frontier.base.Frontier for the contract."""

    listing: Listing
    notes: Notes
    exchange: Exchange | None = None

    def __init__(
        self,
        hosts: Hosts | None,
        lease_seconds: float,
        memory_urls: int = 0,
        acknowledgements_per_commit: int = 1,
    ) -> None:
        self.hosts = Hosts() if hosts is None else hosts
        self.lease_seconds = lease_seconds
        self.acknowledgements_per_commit = acknowledgements_per_commit
        self._acknowledged = 0  # since the last commit
        self._leases: dict[str, tuple[float, int]] = {}  # url -> deadline, number
        self._without_slot: set[str] = set()  # leases that hold no slot of their host
        self._queues = Queues(self.hosts, self._waiting_score, self._waiting_scores, memory_urls)

    @abstractmethod
    def _push(self, link: Link, score: Score, now: float, tunnel: int, again: bool) -> Pushed: ...

    @abstractmethod
    def _number(self, url: str) -> int | None: ...

    @abstractmethod
    def _host(self, number: int) -> str: ...

    @abstractmethod
    def _read(self, number: int) -> Row: ...

    @abstractmethod
    def _waiting_score(self, number: int) -> float | None:
        """None when it does not wait."""

    def _waiting_scores(self, numbers: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The same of many; -inf for those that do not wait."""
        scores = map(self._waiting_score, numbers.tolist())
        return np.array([-np.inf if score is None else score for score in scores], dtype=np.float64)

    @abstractmethod
    def _set_score(self, number: int, score: Score) -> None: ...

    @abstractmethod
    def _move(self, number: int, state: State, reason: str, now: float) -> None: ...

    @abstractmethod
    def commit(self) -> None: ...

    @abstractmethod
    def close(self) -> None: ...

    def push(
        self, rows: Iterable[tuple[Link, Score]], *, now: float, tunnel: int = 0, again: bool = False
    ) -> Mapping[Pushed, int]:
        did = dict.fromkeys(Pushed, 0)
        for link, score in rows:
            did[self._push(link, score, now, tunnel, again)] += 1
        return did

    def lease(self, now: float, accept: Accept | None = None) -> Leased | None:
        while (found := self._queues.best(now)) is not None:
            host, number = found
            row = self._read(number)
            deadline = now + self.lease_seconds
            leased = Leased(row.link, row.score, row.carry, row.tunnel, row.shares, deadline)
            refusal = None if accept is None else accept(leased)
            if refusal is Postpone.STOP:
                return None
            if refusal is Postpone.SKIP_HOST:
                continue
            if refusal is not None:
                self._move(number, State.DISCARDED, refusal, now)
            else:
                self._move(number, State.PROCESSING, "", now)
                self._leases[row.link.url] = (deadline, number)
                self.hosts.take(host, now)
            self._queues.settle(host)
            if refusal is None:
                return leased
        return None

    def lease_url(self, link: Link, score: float, now: float, shares: bytes = b"") -> bool:
        if self._number(link.url) is None:
            self.push([(link, Score(link.url, score, shares=shares))], now=now)
        number = self._number(link.url)
        if number is None or self._waiting_score(number) is None:
            return False
        self._move(number, State.PROCESSING, "", now)
        self._queues.settle(self._host(number))
        self._leases[link.url] = (now + self.lease_seconds, number)
        self._without_slot.add(link.url)
        return True

    def release_slot(self, url: str, now: float) -> None:
        if url in self._leases and url not in self._without_slot:
            self._without_slot.add(url)
            self.hosts.done(self._host(self._leases[url][1]), now)

    def acknowledge(self, url: str, state: State, reason: str, now: float) -> None:
        if state in {State.WAITING, State.PROCESSING}:
            raise ValueError(f"a lease cannot end as {state}")
        number = self._end_lease(url, now)
        if number is None:
            return
        self._move(number, state, reason, now)
        self._acknowledged += 1
        if self._acknowledged >= self.acknowledgements_per_commit:
            self.commit()

    def release(self, now: float, urls: Iterable[str] | None = None) -> int:
        released = 0
        for url in urls if urls is not None else [u for u, (due, _) in self._leases.items() if due <= now]:
            number = self._end_lease(url, now)
            if number is None:
                continue
            self._move(number, State.WAITING, "", now)
            if (score := self._waiting_score(number)) is not None:
                self._queues.put(self._host(number), score, number)
                released += 1
        return released

    def rescore(self, scores: Iterable[Score], *, counted: bool = True) -> int:
        changed = 0
        touched: dict[str, None] = {}
        for score in scores:
            check_score(score)
            number = self._number(score.url)
            before = None if number is None else self._waiting_score(number)
            if number is None or before is None:
                continue
            self._set_score(number, score)
            if before != score.value:
                changed += 1
                host = self._host(number)
                self._queues.put(host, float(score.value), number)
                touched[host] = None
        for host in touched:
            self._queues.settle(host)
        return changed

    def look_up(self, urls: Iterable[str]) -> bool:
        return True

    def ask_ahead(self, urls: Iterable[str]) -> Ahead | None:
        return None

    def pending(self) -> bool:
        return len(self) > 0

    def next_ready(self, now: float) -> float | None:
        return self.hosts.next_ready(now)

    def figures(self) -> Mapping[str, float]:
        return {}

    @abstractmethod
    def __len__(self) -> int: ...

    def is_open(self, url: str) -> bool:
        number = self._number(url)
        return number is None or self._waiting_score(number) is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _end_lease(self, url: str, now: float) -> int | None:
        _, number = self._leases.pop(url, (0.0, None))
        if url in self._without_slot:
            self._without_slot.remove(url)
        elif number is not None:
            self.hosts.done(self._host(number), now)
        return number


def check_score(score: Score) -> None:
    """A NaN would silently break the order of a heap."""
    if not isfinite(score.value) or not isfinite(score.carry):
        raise ValueError(f"the score of {score.url} is not finite: {score.value}, carry {score.carry}")
