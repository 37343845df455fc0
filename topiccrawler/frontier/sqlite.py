"""The frontier on disk: what memory holds to decide at once, what the file holds to lose nothing.

The conflict: a push must know a URL's state and score two hundred times a page, a lease must find the best of a
million, and yet a kill at any moment may cost no URL. So memory holds numbers alone (digest, host, score, state and
texts heard, 31 bytes a URL, and the heaps of frontier.queues), never a text; the file holds every row (frontier.rows). Deciding
reads no disk; a lease reads one row.

What is durable when: `acknowledge` ends a transaction (or every `acknowledgements_per_commit`-th does), so a page's
links, pushed before, are never on disk without it having been fetched, nor its end without its links. A lease is
written along with the next commit; if the process dies before, the URL still waits on disk and is fetched again. So
at most the open leases and the pages of the open transaction are fetched twice.

Opening an existing file puts leases back to waiting and builds the heaps anew from one read of the narrow table.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import (
    LEASE_SECONDS,
    Accept,
    Aside,
    Leased,
    Pushed,
    Row,
    State,
    check_end,
    check_score,
)
from topiccrawler.frontier.heard import bit_of
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.known import Digest, Known, digest
from topiccrawler.frontier.queues import Queues
from topiccrawler.frontier.rows import CODES, STATES, Rows
from topiccrawler.frontier.tables import RESTORE
from topiccrawler.model import Link, Score

_WAITING, _PROCESSING = CODES[State.WAITING], CODES[State.PROCESSING]


class SqliteFrontier:
    """See frontier.base.Frontier for the contract."""

    def __init__(
        self,
        path: str | Path,
        hosts: Hosts | None = None,
        *,
        lease_seconds: float = LEASE_SECONDS,
        memory_urls: int = 0,
        acknowledgements_per_commit: int = 1,
        read_only: bool = False,
        digest: Callable[[str], Digest] = digest,
    ) -> None:
        self.hosts = Hosts() if hosts is None else hosts
        self.lease_seconds = lease_seconds
        self.acknowledgements_per_commit = acknowledgements_per_commit
        self._acknowledged = 0  # since the last commit
        self._known = Known(digest)
        self._scores = array("d")  # this and the next three by number
        self._states = bytearray()
        self._host_ids = array("I")
        self._heard = array("I")  # frontier.heard
        self._leases: dict[str, tuple[float, int]] = {}  # url -> deadline, number
        self._turnless: set[str] = set()  # leases that hold no turn of their host
        self._queues = Queues(self.hosts, self._waiting_score, memory_urls)
        self._rows = Rows(Path(path), read_only=read_only)
        try:
            self._load(read_only)
        except BaseException:
            self._rows.close()
            raise

    def _load(self, read_only: bool) -> None:
        fingerprints, checks = array("q"), array("I")
        try:
            for piece in self._rows.load_states():
                fingerprint, check, host_ids, scores, states, heard = zip(*piece, strict=True)
                fingerprints.extend(fingerprint)
                checks.extend(check)
                self._host_ids.extend(host_ids)
                self._scores.extend(scores)
                self._states.extend(states)
                self._heard.extend(heard)
            for number, score in self._rows.load_raises():
                self._scores[number] = score
        except (TypeError, ValueError, OverflowError) as error:
            raise self._damaged(f"a number is none: {error}") from error
        if self._states and max(self._states) >= len(STATES):
            raise self._damaged(f"there is no state {max(self._states)}")
        if self._host_ids and max(self._host_ids) >= len(self._rows.hosts):
            raise self._damaged(f"host {max(self._host_ids)} is missing")
        self._known.load(fingerprints, checks)
        if not read_only and _PROCESSING in self._states:
            self._rows.end_leases()
            self._states = self._states.replace(bytes([_PROCESSING]), bytes([_WAITING]))
        self._counts = [self._states.count(code) for code in range(len(STATES))]
        self._queue_waiting()

    def _queue_waiting(self) -> None:
        waiting = [array("I") for _ in self._rows.hosts]
        arrive = [numbers.append for numbers in waiting]
        for number, (host, state) in enumerate(zip(self._host_ids, self._states, strict=True)):
            if state == _WAITING:
                arrive[host](number)
        scores = self._scores
        for name, numbers in zip(self._rows.hosts, waiting, strict=True):
            self._queues.load(name, [(-scores[number], number) for number in numbers], len(waiting))

    def _damaged(self, fault: str) -> StateError:
        return StateError(str(self._rows.path), fault, RESTORE)

    def push(
        self, rows: Iterable[tuple[Link, Score]], *, now: float, tunnel: int = 0, again: bool = False
    ) -> Mapping[Pushed, int]:
        did = dict.fromkeys(Pushed, 0)
        for link, score in rows:
            did[self._push(link, score, now, tunnel, again)] += 1
        return did

    def _push(self, link: Link, score: Score, now: float, tunnel: int, again: bool) -> Pushed:
        check_score(score)
        value, carry = float(score.value), float(score.carry)
        number, new = self._known.find_or_add(link.url)
        if new is not None:
            outcome = Pushed.NEW
            host = self._rows.host_id(link.host)
            bit = bit_of(link.anchor)
            self._rows.add(number, new, host, bit, link, value, carry, tunnel, now)
            self._host_ids.append(host)
            self._scores.append(value)
            self._states.append(_WAITING)
            self._heard.append(bit)
            self._counts[_WAITING] += 1
        else:
            state = self._states[number]
            if state == _WAITING:
                if value <= self._scores[number]:
                    return Pushed.KEPT
                outcome = Pushed.RAISED
            elif again and state != _PROCESSING:
                outcome = Pushed.NEW
                self._move(number, _WAITING, "", now)
            else:
                return Pushed.KNOWN
            self._scores[number] = value
            self._rows.replace(number, link, value, carry, tunnel)
        self._queues.put(self._rows.hosts[self._host_ids[number]], value, number)
        return outcome

    def lease(self, now: float, accept: Accept | None = None) -> Leased | None:
        while (found := self._queues.best(now)) is not None:
            host, number = found
            row = self._rows.read(number)
            deadline = now + self.lease_seconds
            leased = Leased(row.link, row.score, row.carry, row.tunnel, deadline)
            refusal = None if accept is None else accept(leased)
            if refusal is Aside.ALL:
                return None
            if refusal is Aside.HOST:
                continue
            if refusal is not None:
                self._move(number, CODES[State.DISCARDED], refusal, now)
            else:
                self._move(number, _PROCESSING, "", now)
                self._leases[row.link.url] = (deadline, number)
                self.hosts.take(host, now)
            self._queues.settle(host)
            if refusal is None:
                return leased
        return None

    def claim(self, link: Link, score: float, now: float) -> bool:
        if self._known.find(link.url) is None:
            self.push([(link, Score(link.url, score))], now=now)
        number = self._known.find(link.url)
        if number is None or self._states[number] != _WAITING:
            return False
        self._move(number, _PROCESSING, "", now)
        self._queues.settle(self._rows.hosts[self._host_ids[number]])
        self._leases[link.url] = (now + self.lease_seconds, number)
        self._turnless.add(link.url)
        return True

    def leave(self, url: str, now: float) -> None:
        if url in self._leases and url not in self._turnless:
            self._turnless.add(url)
            self.hosts.done(self._rows.hosts[self._host_ids[self._leases[url][1]]], now)

    def acknowledge(self, url: str, state: State, reason: str, now: float) -> None:
        check_end(state)
        number = self._end_lease(url, now)
        if number is None:
            return
        self._move(number, CODES[state], reason, now)
        self._acknowledged += 1
        if self._acknowledged >= self.acknowledgements_per_commit:
            self.commit()

    def release(self, now: float, urls: Iterable[str] | None = None) -> int:
        released = 0
        for url in urls if urls is not None else [u for u, (due, _) in self._leases.items() if due <= now]:
            number = self._end_lease(url, now)
            if number is not None:
                self._move(number, _WAITING, "", now)
                self._queues.put(self._rows.hosts[self._host_ids[number]], self._scores[number], number)
                released += 1
        return released

    def rescore(self, scores: Iterable[Score]) -> int:
        changed = 0
        touched: dict[str, None] = {}
        for score in scores:
            check_score(score)
            value, carry = float(score.value), float(score.carry)
            number = self._known.find(score.url)
            if number is None or self._states[number] != _WAITING:
                continue
            self._rows.rescore(number, value, carry)
            if value != self._scores[number]:
                changed += 1
                self._scores[number] = value
                host = self._rows.hosts[self._host_ids[number]]
                self._queues.put(host, value, number)
                touched[host] = None
        for host in touched:
            self._queues.settle(host)
        return changed

    def queued(self, after: str = "") -> Iterator[Link]:
        last = self._known.find(after)
        for row in self._rows.listing(State.WAITING, -1 if last is None else last):
            number = self._known.find(row.link.url)  # read a while ago: it may have been leased since
            if number is not None and self._states[number] == _WAITING:
                yield row.link

    def counts(self) -> Mapping[State, int]:
        return dict(zip(STATES, self._counts, strict=True))

    def __len__(self) -> int:
        return self._counts[_WAITING]

    def waiting_in(self, hosts: Container[str]) -> int:
        pairs, names = zip(self._host_ids, self._states, strict=True), self._rows.hosts
        return sum(names[host] in hosts for host, state in pairs if state == _WAITING)

    def takes(self, url: str) -> bool:
        number = self._known.find(url)
        return number is None or self._states[number] == _WAITING

    def hears(self, url: str, text: str) -> bool:
        number = self._known.find(url)
        if number is None:
            return True
        heard = self._heard[number]
        more = heard | bit_of(text)
        if self._states[number] != _WAITING or more == heard:
            return False
        self._heard[number] = more
        self._rows.hear(number, more)
        return True

    def row(self, url: str) -> Row | None:
        number = self._known.find(url)
        return None if number is None else self._rows.read(number)

    def rows(self, state: State | None = None) -> Iterator[Row]:
        return self._rows.listing(state)

    def put_note(self, name: str, text: str) -> None:
        self._rows.put_note(name, text)

    def note(self, name: str) -> str | None:
        return self._rows.note(name)

    def notes(self, prefix: str = "") -> Mapping[str, str]:
        return self._rows.notes(prefix)

    def commit(self) -> None:
        self._rows.commit()
        self._acknowledged = 0

    def close(self) -> None:
        self._rows.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _waiting_score(self, number: int) -> float | None:
        return self._scores[number] if self._states[number] == _WAITING else None

    def _move(self, number: int, state: int, reason: str, now: float) -> None:
        self._counts[self._states[number]] -= 1
        self._counts[state] += 1
        self._states[number] = state
        self._rows.move(number, state, reason, now)

    def _end_lease(self, url: str, now: float) -> int | None:
        lease = self._leases.pop(url, None)
        if lease is None:
            return None
        number = lease[1]
        if url in self._turnless:
            self._turnless.remove(url)
        else:
            self.hosts.done(self._rows.hosts[self._host_ids[number]], now)
        return number
