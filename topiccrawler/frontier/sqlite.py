"""The frontier on disk: memory holds what decides, the file holds every row.

A push must know a URL's state and score two hundred times a page, and a lease must find the best of a million. So memory
holds numbers alone (frontier.columns, frontier.queues), never a text; a lease reads one row of the file (frontier.rows).

What is durable when: `acknowledge` ends a transaction (or every `acknowledgements_per_commit`-th does), so a page's
links, pushed before, are never on disk without its end, nor its end without its links. A lease is
written along with the next commit; if the process dies before, the URL still waits on disk and is fetched again. So
at most the open leases and the pages of the open transaction are fetched twice.

Opening an existing file puts leases back to waiting and builds the heaps from one read of the narrow table.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from topiccrawler.frontier.base import LEASE_SECONDS, Listing, Notes, Pushed, Row, State
from topiccrawler.frontier.columns import PROCESSING, WAITING, Columns
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.leasing import LeasingFrontier, check_score
from topiccrawler.frontier.rows import CODES, STATES, Rows
from topiccrawler.frontier.seen_anchors import anchor_bit
from topiccrawler.frontier.sqlite_listing import SqliteListing, SqliteNotes
from topiccrawler.frontier.url_index import Digest, digest
from topiccrawler.model import Link, Score


class SqliteFrontier(LeasingFrontier):
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
        super().__init__(hosts, lease_seconds, memory_urls, acknowledgements_per_commit)
        self._columns = Columns(digest)
        self._rows = Rows(Path(path), read_only=read_only)
        try:
            self._load(read_only)
        except BaseException:
            self._rows.close()
            raise
        self.listing: Listing = SqliteListing(self._rows, self._columns, self._counts)
        self.notes: Notes = SqliteNotes(self._rows)

    def _load(self, read_only: bool) -> None:
        columns = self._columns
        columns.load(self._rows)
        if not read_only and PROCESSING in columns.states:
            self._rows.end_leases()
            columns.states = columns.states.replace(bytes([PROCESSING]), bytes([WAITING]))
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
            else:
                return Pushed.KNOWN
            self._columns.scores[number] = value
            self._rows.replace(number, link, score, tunnel)
        self._queues.put(self._host(number), value, number)
        return outcome

    def __len__(self) -> int:
        return self._counts[WAITING]

    def is_new_anchor(self, url: str, text: str) -> bool:
        number = self._columns.urls.find(url)
        if number is None:
            return True
        seen_anchors = self._columns.seen_anchors[number]
        more = seen_anchors | anchor_bit(text)
        if self._columns.states[number] != WAITING or more == seen_anchors:
            return False
        self._columns.seen_anchors[number] = more
        self._rows.set_seen_anchors(number, more)
        return True

    def commit(self) -> None:
        self._rows.commit()
        self._acknowledged = 0

    def abandon(self) -> None:
        self._rows.abandon()

    def close(self) -> None:
        self._rows.close()

    def _number(self, url: str) -> int | None:
        return self._columns.urls.find(url)

    def _host(self, number: int) -> str:
        return self._rows.hosts[self._columns.hosts[number]]

    def _read(self, number: int) -> Row:
        return self._rows.read(number)

    def _waiting_score(self, number: int) -> float | None:
        return self._columns.scores[number] if self._columns.states[number] == WAITING else None

    def _waiting_scores(self, numbers: NDArray[np.uint32]) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = np.frombuffer(self._columns.scores)[numbers]
        scores[np.frombuffer(self._columns.states, dtype=np.uint8)[numbers] != WAITING] = -np.inf
        return scores

    def _set_score(self, number: int, score: Score) -> None:
        self._rows.rescore(number, score)
        self._columns.scores[number] = float(score.value)

    def _move(self, number: int, state: State, reason: str, now: float) -> None:
        code = CODES[state]
        self._counts[self._columns.states[number]] -= 1
        self._counts[code] += 1
        self._columns.states[number] = code
        self._rows.move(number, code, reason, now)
