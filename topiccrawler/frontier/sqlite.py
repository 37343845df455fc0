"""Keeps the frontier in the job's database: the file holds every row, memory only the numbers that decide what is fetched next.

A push must know the state and score of a URL two hundred times a page, and a lease must find the best of a million, without reading the
disk; and there may be ten million URLs. So memory holds numbers only, no texts: columns in order of arrival, 31 bytes a URL (digest,
host, score, state, seen-anchor mask), and the heaps of frontier.leasing. A lease reads one row of the file (frontier.rows). The view reads
rows from the file, and states and scores from the columns.

Durability: `end` commits (or every `acknowledgements_per_commit`-th call does), so the links of a page, pushed before, are never on
disk without its end, nor its end without its links. A lease is written with the next commit; if the process dies before, the URL still
waits on disk and is fetched again. So at most the open leases and the pages of the open transaction are fetched twice.

Opening an existing file puts leases back to waiting and builds the heaps from one read of the table `urls`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import LEASE_SECONDS, FrontierView, Leased, Notes, Pushed, Row, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.leasing import LeasingFrontier, check_score, drawn
from topiccrawler.frontier.rows import CODES, RESTORE, STATES, Rows
from topiccrawler.frontier.url_index import Digest, UrlIndex, anchor_bit, digest
from topiccrawler.job_database import JobDatabase
from topiccrawler.model import Link, Score

WAITING, PROCESSING = CODES[State.WAITING], CODES[State.PROCESSING]


class Columns:
    """Score, state (as on disk), host number and seen-anchor mask (frontier.url_index) of each URL, by its number."""

    def __init__(self, digest: Callable[[str], Digest]) -> None:
        self.urls = UrlIndex(digest)
        self.scores = array("d")
        self.states = bytearray()
        self.hosts = array("I")
        self.seen_anchors = array("I")
        self.tries: dict[int, int] = {}  # number -> failed tries, as loaded

    def add(self, score: float, host: int, seen_anchors: int) -> None:
        """Append the values of a waiting URL, which `urls` has just numbered."""
        self.scores.append(score)
        self.states.append(WAITING)
        self.hosts.append(host)
        self.seen_anchors.append(seen_anchors)

    def load(self, rows: Rows) -> None:
        """Fill the columns from the file, which is read once. StateError when its tables do not agree."""
        fingerprints, checks = array("q"), array("I")
        try:
            for batch in rows.load_states():
                fingerprint, check, hosts, scores, states, seen_anchors, tries = zip(*batch, strict=True)
                if any(tries):
                    first = len(self.states)
                    self.tries |= {first + at: count for at, count in enumerate(tries) if count}
                fingerprints.extend(fingerprint)
                checks.extend(check)
                self.hosts.extend(hosts)
                self.scores.extend(scores)
                self.states.extend(states)
                self.seen_anchors.extend(seen_anchors)
            for number, score in rows.load_raises():
                self.scores[number] = score
        except (TypeError, ValueError, OverflowError) as error:
            raise _damaged(rows, f"a number is none: {error}") from error
        if self.states and max(self.states) >= len(STATES):
            raise _damaged(rows, f"there is no state {max(self.states)}")
        if self.hosts and max(self.hosts) >= len(rows.hosts):
            raise _damaged(rows, f"host {max(self.hosts)} is missing")
        self.urls.load(fingerprints, checks)

    def waiting(self, hosts: int) -> list[array[int]]:
        """The numbers of the waiting URLs of each host, oldest first. `hosts`: how many hosts there are."""
        found = [array("I") for _ in range(hosts)]
        append_to = [numbers.append for numbers in found]
        for number, (host, state) in enumerate(zip(self.hosts, self.states, strict=True)):
            if state == WAITING:
                append_to[host](number)
        return found


def _damaged(rows: Rows, fault: str) -> StateError:
    return StateError(str(rows.path), fault, RESTORE)


class SqliteView:
    """The view of a frontier on disk: see frontier.base.FrontierView. It shares rows and columns with the frontier.

    `counts`: the number of URLs by number of state.
    """

    def __init__(self, rows: Rows, columns: Columns, counts: Sequence[int]) -> None:
        self._rows, self._columns, self._counts = rows, columns, counts

    def row(self, url: str) -> Row | None:
        number = self._columns.urls.find(url)
        return None if number is None else self._rows.read(number)

    def rows(self, state: State | None = None) -> Iterator[Row]:
        return self._rows.listing(state)

    def queued(self, after: str = "") -> Iterator[Link]:
        last = self._columns.urls.find(after)
        for row in self._rows.listing(State.WAITING, -1 if last is None else last):
            number = self._columns.urls.find(row.link.url)  # it may have been leased since the row was read
            if number is not None and self._columns.states[number] == WAITING:
                yield row.link

    def best(self, count: int) -> list[Row]:
        scores, states = self._columns.scores, np.frombuffer(bytes(self._columns.states), dtype=np.uint8)
        numbers = np.flatnonzero(states == WAITING)
        order = np.argsort(-np.array(scores)[numbers], kind="stable")[:count]
        return [self._rows.read(number) for number in numbers[order].tolist()]

    def counts(self) -> Mapping[State, int]:
        return dict(zip(STATES, self._counts, strict=True))

    def waiting_by_host(self) -> Mapping[str, int]:
        states = np.frombuffer(bytes(self._columns.states), dtype=np.uint8)
        counts = np.bincount(np.array(self._columns.hosts, dtype=np.int64)[states == WAITING]).tolist()
        return {self._rows.hosts[host]: count for host, count in enumerate(counts) if count}

    def waiting_in(self, hosts: Container[str]) -> int:
        pairs, names = zip(self._columns.hosts, self._columns.states, strict=True), self._rows.hosts
        return sum(names[host] in hosts for host, state in pairs if state == WAITING)

    def waiting(self) -> int:
        return self._counts[WAITING]

    def sample(self, count: int) -> Sequence[float]:
        states = self._columns.states
        numbers = drawn(len(states), self.waiting(), count)
        waiting = numbers[np.frombuffer(states, dtype=np.uint8)[numbers] == WAITING]
        scores: Sequence[float] = np.frombuffer(self._columns.scores)[waiting].tolist()
        return scores

    def sift(self, urls: Sequence[str], anchors: Sequence[str] | None) -> tuple[dict[str, bool], list[int]]:
        states, find = self._columns.states, self._columns.urls.find
        numbers = {url: find(url) for url in dict.fromkeys(urls)}
        is_open = {url: number is None or states[number] == WAITING for url, number in numbers.items()}
        places = [place for place, url in enumerate(urls) if is_open[url]]
        if anchors is None:
            return is_open, places
        seen_anchors, new = self._columns.seen_anchors, []
        for place in places:
            number = numbers[urls[place]]
            if number is not None:
                seen = seen_anchors[number]
                more = seen | anchor_bit(anchors[place])
                if more == seen:
                    continue
                seen_anchors[number] = more
                self._rows.set_seen_anchors(number, more)
            new.append(place)
        return is_open, new

    def is_open(self, url: str) -> bool:
        number = self._columns.urls.find(url)
        return number is None or self._columns.states[number] == WAITING

    def is_new_anchor(self, url: str, text: str) -> bool:
        return bool(self.sift([url], [text])[1])


class SqliteNotes:
    """Notes in the database of the frontier, written in the same transactions as the rows: see frontier.base.Notes."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def put(self, name: str, text: str) -> None:
        self._rows.put_note(name, text)

    def get(self, name: str) -> str | None:
        return self._rows.note(name)

    def all(self, prefix: str = "") -> Mapping[str, str]:
        return self._rows.notes(prefix)


class SqliteFrontier(LeasingFrontier):
    """A frontier on disk: see frontier.base.Frontier for the contract. `commit` and `close` are those of the job's database.

    `place`: the database, or its path. `memory_urls` bounds the entries of the heaps (frontier.leasing.Queues), 0 = no bound; `acknowledgements_per_commit`: ends in one
    transaction.
    """

    def __init__(
        self,
        place: JobDatabase | Path | str,
        hosts: Hosts | None = None,
        *,
        lease_seconds: float = LEASE_SECONDS,
        memory_urls: int = 0,
        acknowledgements_per_commit: int = 1,
        digest: Callable[[str], Digest] = digest,
    ) -> None:
        super().__init__(hosts, lease_seconds, memory_urls, acknowledgements_per_commit)
        self._columns = Columns(digest)
        self._database = place if isinstance(place, JobDatabase) else JobDatabase(place)
        try:
            self._rows = Rows(self._database)
            self._load()
        except BaseException:
            self._database.abandon()
            raise
        self._view: FrontierView = SqliteView(self._rows, self._columns, self._counts)
        self.notes: Notes = SqliteNotes(self._rows)

    def _load(self) -> None:
        columns = self._columns
        columns.load(self._rows)
        if PROCESSING in columns.states and not self._database.read_only:
            self._rows.end_leases()
            columns.states = columns.states.replace(bytes([PROCESSING]), bytes([WAITING]))
        self._tries = columns.tries
        self._counts = [columns.states.count(code) for code in range(len(STATES))]
        waiting = columns.waiting(len(self._rows.hosts))
        for name, numbers in zip(self._rows.hosts, waiting, strict=True):
            self._queues.load(name, numbers, len(waiting))

    def _push(self, link: Link, score: Score, now: float, tunnel: int, again: bool) -> Pushed:
        check_score(score)
        value = float(score.value)
        number, new = self._columns.urls.find_or_add(link.url)
        if new is not None:
            outcome = Pushed.NEW
            host = self._rows.host_id(link.host)
            bit = anchor_bit(link.anchor)
            self._rows.add(number, new, host, bit, link, score, tunnel, now)
            self._columns.add(value, host, bit)
            self._counts[WAITING] += 1
        else:
            state = self._columns.states[number]
            if state == WAITING:
                if value <= self._columns.scores[number]:
                    return Pushed.KEPT
                outcome = Pushed.RAISED
            elif again and state != PROCESSING:
                outcome = Pushed.NEW
                self._move(number, State.WAITING, "", now)
                self._begin_tries(number)
            else:
                return Pushed.KNOWN
            self._columns.scores[number] = value
            self._rows.replace(number, link, score, tunnel)
        if number not in self._aside:
            self._queues.put(self._host(number), value, number)
        return outcome

    def commit(self) -> None:
        self._database.commit()
        self._acknowledged = 0

    def close(self, *, commit: bool = True) -> None:
        if commit:
            self._database.close()
        else:
            self._database.abandon()

    def _number(self, url: str) -> int | None:
        return self._columns.urls.find(url)

    def _host(self, number: int) -> str:
        return self._rows.hosts[self._columns.hosts[number]]

    def _to_lease(self, number: int, deadline: float) -> Leased:
        return Leased(*self._rows.read_link(number, self._host(number)), deadline, self._tries_of(number))

    def _waiting_score(self, number: int) -> float | None:
        return self._columns.scores[number] if self._columns.states[number] == WAITING else None

    def _waiting_scores(self, numbers: NDArray[np.uint32]) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = np.frombuffer(self._columns.scores)[numbers]
        scores[np.frombuffer(self._columns.states, dtype=np.uint8)[numbers] != WAITING] = -np.inf
        return scores

    def _set_score(self, number: int, score: Score) -> None:
        self._rows.rescore(number, score)
        self._columns.scores[number] = float(score.value)

    def _set_tries(self, number: int, tries: int) -> None:
        self._rows.set_tries(number, tries)

    def _move(self, number: int, state: State, reason: str, now: float) -> None:
        code = CODES[state]
        self._counts[self._columns.states[number]] -= 1
        self._counts[code] += 1
        self._columns.states[number] = code
        self._rows.move(number, code, reason, now)
