"""Implements the frontier in Redis: each host is owned by one worker at a time, and only its owner leases its URLs.

The owner of a host has its clock, so a lease needs no agreement between workers: it is written with the next changes. A worker owns hosts
by a session with a deadline. The session is also its fencing number: when the worker is declared dead, its hosts go to others, its leases
wait again, and its late changes are refused.

A page costs one request (the states of its links), which can be sent ahead (`prefetch`), and changes that nobody waits for. Within
one process the order is that of the other frontiers. Of several workers each leases the best URL of the hosts it owns.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

from topiccrawler.cluster.redis.connection import CALL_SECONDS, Call
from topiccrawler.cluster.redis.entries import Entries, Entry, Tops
from topiccrawler.cluster.redis.joining import Membership, RedisNotes
from topiccrawler.cluster.redis.listing import RedisListing, share_of
from topiccrawler.cluster.redis.looking import Looking
from topiccrawler.cluster.redis.records import Batch, digest, head, record
from topiccrawler.cluster.redis.shared_learning import LearnsTogether
from topiccrawler.cluster.redis.worker import LookUps, Readings, Worker
from topiccrawler.crawling.servers import OUTAGE_SECONDS
from topiccrawler.crawling.sharing import Prefetch
from topiccrawler.frontier.base import LEASE_SECONDS, Accept, FrontierView, Leased, Notes, Pushed, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.leasing import LeasingFrontier, check_score
from topiccrawler.frontier.url_index import anchor_bit
from topiccrawler.model import Link, Score
from topiccrawler.urls.canonical import host_of


class WorkerView(RedisListing, FrontierView):
    """The view of a worker: see frontier.base.FrontierView. URLs that are not known here are requested from the server."""

    def __init__(
        self,
        worker: Worker,
        entries: Entries,
        look_ups: LookUps,
        batch: Batch,
        where: str,
        mine: Callable[[int, str], bool],
    ) -> None:
        super().__init__([worker.ask_or_fail], where, mine)
        self._worker, self._entries, self._look_ups, self._batch = worker, entries, look_ups, batch
        self._sampling: Call | None = None
        self._sample: list[tuple[float]] = []

    def waiting(self) -> int:
        return self._worker.counts[State.WAITING] + self._entries.since[State.WAITING]

    def sample(self, count: int) -> Sequence[float]:
        """See FrontierView.sample. A call sends the request; a later call returns the scores."""
        call = self._sampling
        if call is not None and call.done.is_set():
            self._sample = [] if call.error is not None else list(struct.iter_unpack(">d", call.reply))
        if call is None or call.done.is_set():
            self._sampling = Call("sample", [count, self.waiting()])
            self._worker.flush()
            self._worker.connection.hand(self._sampling)
        return [score for (score,) in self._sample]

    def is_open(self, url: str) -> bool:
        self._look_ups.ask([url])
        entry = self._entries.of(url)
        return entry is None or entry.state is State.WAITING

    def is_new_anchor(self, url: str, text: str) -> bool:
        self._look_ups.ask([url])
        entry = self._entries.of(url)
        if entry is None:
            return True
        bit = anchor_bit(text)
        if entry.state is not State.WAITING or entry.seen & bit:
            return False
        entry.seen |= bit
        self._batch.anchor(entry.key, bit)
        return True


LOOK_SECONDS = 0.25  # between two polls of the server
CLOSE_SECONDS = 10.0  # that closing waits for the last changes


class RedisFrontier(LearnsTogether, LeasingFrontier):
    """See frontier.base.Frontier and crawling.sharing.SharedQueue for the contracts.

    `joined`: the crawl, and the session of this worker (joining.join).
    `outage_seconds`: how long the crawl waits for a server that is away before it ends.
    `keep`: rows of each host's queue at hand. `most_hosts`: hosts that the worker owns at most; 0 = by its slots.
    `partitions`: of the crawl, of which this is one; the hosts that a worker may own are divided among them.
    """

    def __init__(
        self,
        joined: Membership,
        hosts: Hosts | None = None,
        *,
        lease_seconds: float = LEASE_SECONDS,
        outage_seconds: float = OUTAGE_SECONDS,
        acknowledgements_per_commit: int = 1,
        keep: int = 16,
        most_hosts: int = 0,
        partitions: int = 1,
    ) -> None:
        super().__init__(hosts, lease_seconds, 0, acknowledgements_per_commit)
        self._batch = Batch()
        self._entries = Entries(lambda host, key: self._tops.holds(host, key))  # noqa: PLW0108 tops need entries
        self._tops = Tops(self.hosts, self._entries.waits, lambda host: self._readings.begin(host), keep)  # noqa: PLW0108
        self._queues: Any = self._tops
        self._entries.aside = self._aside
        self._outage_seconds = outage_seconds
        self.worker = Worker(joined, self.hosts, self._tops, self._entries, self._batch)
        self._readings = Readings(self.worker, self._tops)
        self._look_ups = LookUps(self.worker, self._entries, keep)
        held = self.hosts, self._tops, self._entries
        self._looking = Looking(self.worker, joined, *held, most_hosts, partitions)
        self._now, self._next_look = 0.0, 0.0  # by the clock of the caller; by time.monotonic
        self._view: WorkerView = WorkerView(
            self.worker, self._entries, self._look_ups, self._batch, joined.client.name, self.scores_anew
        )
        self.exchange = self.worker.exchange
        # the frontiers of this process in the other partitions of the crawl (partitions.py)
        self.others: Sequence[RedisFrontier] = ()
        self.notes: Notes = RedisNotes(self._batch, joined.notes)

    def push(
        self, rows: Iterable[tuple[Link, Score]], *, now: float, tunnel: int = 0, again: bool = False
    ) -> Mapping[Pushed, int]:
        self._at(now)
        offers = list(rows)
        for _, score in offers:
            check_score(score)
        known = self.look_up(link.url for link, _ in offers)
        did = dict.fromkeys(Pushed, 0)
        sent: list[tuple[str, bytes, bytes]] = []
        for link, score in offers:
            outcome, row = self._offer(link, score, now, tunnel, again=again, known=known)
            did[outcome] += 1
            if row is not None:
                sent.append((link.host, *row))
        self._batch.push(sent, again=again)
        return did

    def look_up(self, urls: Iterable[str]) -> bool:
        return self._look_ups.ask(urls)

    def prefetch(self, urls: Iterable[str]) -> Prefetch | None:
        question = self._look_ups.begin(urls)
        if question is None or question.call.answer is None:
            return None
        return Prefetch([question.call.answer], partial(self._look_ups.receive, question))

    def lease(
        self, now: float, accept: Accept | None = None, *, target: tuple[Link, Score] | None = None
    ) -> Leased | None:
        """See frontier.base.Frontier. A `target` is leased if this worker owns its host or can acquire it; else it waits for the owner."""
        if target is None:
            self.look_around(now)
            if self.worker.away:
                return None
        return super().lease(now, accept, target=target)

    def _lease_target(self, link: Link, score: Score, now: float) -> Leased | None:
        self._at(now)
        if link.host in self._tops.leaving:
            self._looking.finish(CALL_SECONDS, self._lost)
        self.worker.room_for_one_more = True
        fine = self.look_up([link.url])
        self.worker.room_for_one_more = False
        if not fine or link.host not in self._tops.owned or link.host in self._tops.leaving:
            self.push([(link, score)], now=now)
            return None
        return super()._lease_target(link, score, now)

    def rescore(self, scores: Iterable[Score]) -> int:
        batch = list(scores)
        return super().rescore(batch) if self.look_up(score.url for score in batch) else 0

    def send_scores(self, scores: Iterable[Score]) -> int:
        batch = list(scores)
        known = {score.url for score in batch if self._entries.knows(score.url)}
        unseen = [score for score in batch if score.url not in known]
        self.worker.rescore_unseen(unseen)
        return len(unseen) + super().rescore(score for score in batch if score.url in known)

    def look(self) -> WorkerView:
        return self._view

    @property
    def is_busy(self) -> bool:
        """True while URLs are leased or read here, or changes are not confirmed: any of these may bring links."""
        return bool(self._leases or self._readings) or self.worker.has_unsent

    def pending(self) -> bool:
        """True while a URL waits or is under way that any worker will fetch."""
        self.look_around(self._now)
        return self.worker.away or not self.worker.is_dry

    def next_ready(self, now: float) -> float | None:
        """When to call `lease` again."""
        look = self._looking.soon(max(0.0, self._next_look - monotonic()), self._readings)
        wait = self.worker.exchange.soon(look)
        here = None if self.worker.away else self.hosts.next_ready(now)
        return now + wait if here is None else min(here, now + wait)

    def figures(self) -> Mapping[str, float]:
        return self.worker.figures()

    def commit(self) -> None:
        """Pass all changes so far to the connection. They are made in order, the end of a page after its links."""
        self._acknowledged = 0
        self.worker.flush()
        self._entries.forget()

    def close(self, *, commit: bool = True) -> None:
        """Make the last changes and leave the crawl, so that hosts and leases are free at once. Without `commit`, only disconnect."""
        if not commit:
            self.worker.connection.close()
        elif not self.worker.left:
            self._leave()

    def _leave(self) -> None:
        self.release(self._now, list(self._leases))
        self.commit()
        try:
            self.worker.leave(self._now, CLOSE_SECONDS)
        finally:
            self.worker.connection.close()

    def _push(self, link: Link, score: Score, now: float, tunnel: int, again: bool) -> Pushed:
        return self._offer(link, score, now, tunnel, again=again, known=True)[0]

    def _offer(
        self, link: Link, score: Score, now: float, tunnel: int, *, again: bool, known: bool
    ) -> tuple[Pushed, tuple[bytes, bytes] | None]:
        """Return the outcome of a push, and the head and record to send for it (None = no change). `known`: the look-up was answered."""
        entry, bit = self._entries.of(link.url), anchor_bit(link.anchor)
        key = digest(link.url) if entry is None else entry.key
        if entry is None and not known:
            self.worker.questions.changed(link.host, key)
            new = record(key, link, score, tunnel, now)
            return Pushed.NEW, (head(0, bit, met=True), new)  # the server decides whether it is new
        met = entry is not None
        if entry is None:
            outcome = Pushed.NEW
            entry = Entry(self.worker.next_number(), key, link.host, State.WAITING, float(score.value), bit)
            self._entries.add(link.url, entry)
            self._entries.since[State.WAITING] += 1
        elif entry.state is State.WAITING:
            if score.value <= entry.score:
                return Pushed.KEPT, None
            outcome = Pushed.RAISED
        elif again and entry.state is not State.PROCESSING:
            outcome = Pushed.NEW
            self._entries.turn(entry, State.WAITING)
        else:
            return Pushed.KNOWN, None
        tries = self._tries_of(entry.number) if outcome is Pushed.RAISED else 0
        raw = record(key, link, score, tunnel, now, tries)
        self.worker.questions.changed(link.host, key)
        entry.score, entry.raw, entry.row, entry.host = float(score.value), raw, None, link.host
        if entry.number not in self._aside:
            self._tops.put(link.host, entry.score, entry.number)
        return outcome, (head(entry.number, bit, met=met), raw)

    def _number(self, url: str) -> int | None:
        self.look_up([url])
        if (entry := self._entries.of(url)) is None:
            return None
        entry.host = entry.host or host_of(url)
        return entry.number

    def _host(self, number: int) -> str:
        return self._entries.numbered(number).host

    def _to_lease(self, number: int, deadline: float) -> Leased:
        row = self._entries.read(number, self.worker.where)
        return Leased(row.link, row.score, row.carry, row.tunnel, row.shares, deadline, row.tries)

    def count_try(self, url: str) -> int:
        entry = self._entries.of(url)
        if entry is None or entry.state not in {State.WAITING, State.PROCESSING} or not entry.has_record:
            return 0  # another worker has it now
        self._batch.count_try(entry.host, entry.key)
        self.worker.questions.changed(entry.host, entry.key)
        row = self._entries.read(entry.number, self.worker.where)
        entry.row = replace(row, tries=row.tries + 1)
        return entry.row.tries

    def _tries_of(self, number: int) -> int:
        entry = self._entries.numbered(number)
        return self._entries.read(number, self.worker.where).tries if entry.has_record else 0

    def _set_tries(self, number: int, tries: int) -> None:
        raise NotImplementedError  # `count_try` is another one here

    def _waiting_score(self, number: int) -> float | None:
        return self._entries.waiting_score(number)

    def _set_score(self, number: int, score: Score) -> None:
        entry = self._entries.numbered(number)
        self._batch.rescore(entry.host, entry.key, score)
        self.worker.questions.changed(entry.host, entry.key)
        self._entries.rescore(entry, score, self.worker.where)
        if not entry.has_record:
            self._tops.put(entry.host, entry.score, number, held=False)

    def _move(self, number: int, state: State, reason: str, now: float) -> None:
        entry = self._entries.numbered(number)
        self._batch.move(entry.host, entry.key, state, reason, now)
        self.worker.questions.changed(entry.host, entry.key)
        self._entries.turn(entry, state)
        if state is State.PROCESSING:
            self.worker.leased(entry.host)

    def _at(self, now: float) -> None:
        self._now = now
        self.worker.at(now)

    def look_around(self, now: float) -> None:
        """Apply replies of the server that have arrived, and poll it again when that is due."""
        self._at(now)
        self._looking.receive(self._lost)
        self._readings.receive()
        if monotonic() < self._next_look:
            return
        self._look_ups.receive_stale()
        leases = {number for _, number in self._leases.values()}
        leased, aside = ({self._host(number) for number in some} for some in (leases, self._aside))
        reads = bool(self._readings) or any(other.is_busy for other in self.others)
        self._looking.begin(self._now, leased, aside, self._lost, reads=reads)
        self._entries.sweep(lambda: {*self._tops.numbers(), *leases, *self._aside})
        self._next_look = monotonic() + LOOK_SECONDS
        self.worker.give_up_after(self._outage_seconds)

    def _lost(self, hosts: Iterable[str]) -> None:
        """End the leases of hosts that other workers own now."""
        gone = set(hosts)
        for url, (_, number) in list(self._leases.items()):
            if self._host(number) in gone:
                self._end_lease(url, self._now)
                self._entries.lose(number)
        for number in [number for number in self._aside if self._host(number) in gone]:
            self._aside.remove(number)
            self._entries.lose(number)

    def scores_anew(self, number: int, host: str) -> bool:
        """True when the URL waits, as far as is known here, and this worker is the one to rescore it."""
        entry, worker = self._entries.get(number), self.worker
        mine = host in self._tops.owned or worker.exchange.is_learner or worker.live < 2
        waits = entry is None or entry.state is State.WAITING
        return waits and (mine or share_of(host, worker.place, worker.live))
