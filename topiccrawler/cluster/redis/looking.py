"""Decides which hosts a worker of a crawl in Redis owns, and receives the changes of other workers.

`Looking` polls the server several times a second and does not wait for the reply. A poll releases hosts, acquires better ones and returns
the changes of others. No URL is leased from hosts that are being released.

A single worker owns as many hosts as it has room for. With others it owns the hosts under way and a reserve of ready ones, at most its
share of all hosts with URLs. It releases hosts without URLs, those beyond the reserve, and those that rank below the best free host. All
other hosts are free, so that the best of them goes to the next worker with room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf

from topiccrawler.cluster.redis.client import AwayError
from topiccrawler.cluster.redis.connection import BACK, Call
from topiccrawler.cluster.redis.entries import (
    Entries,
    Question,
    Tops,
    active_hosts,
    not_needed,
    ready_hosts,
)
from topiccrawler.cluster.redis.joining import Membership
from topiccrawler.cluster.redis.listing import counts_of
from topiccrawler.cluster.redis.worker import Worker
from topiccrawler.crawling.sharing import Harvest
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts

SLOT_HOSTS = 8  # hosts for each request that may be under way
LEAST_HOSTS = 256
RESERVE = 8  # ready hosts to keep; more when more URLs were leased since the last poll
SWAPPED = 16  # hosts exchanged for better ones in one poll
READ_AGAIN = 64  # queues read again in one poll
SOON_SECONDS = 0.01  # after which a reply may have arrived


Lost = Callable[[Iterable[str]], None]  # called with hosts that others own


@dataclass(slots=True)
class _Look:
    """A poll whose reply is awaited."""

    question: Question
    released: set[str]  # hosts being released: dropped with the reply
    wanted: int  # how many hosts to acquire
    since: Counter[State]  # changes of the counts that were sent before it
    counted: Harvest  # pages whose count was sent before it


class Looking:
    """Polls the server for one worker (see the module). `most_hosts`: hosts to own at most; 0 = by the slots of the worker."""

    def __init__(
        self,
        worker: Worker,
        joined: Membership,
        hosts: Hosts,
        tops: Tops,
        entries: Entries,
        most_hosts: int,
        partitions: int = 1,
    ) -> None:
        self._worker, self._joined = worker, joined
        self._hosts, self._tops, self._entries = hosts, tops, entries
        self._most_hosts, self._partitions = most_hosts, partitions
        self._best_free = -inf  # best score of the hosts that nobody owns
        self._share = 0  # hosts with waiting URLs for each worker; 0 = all
        self._look: _Look | None = None
        worker.room = self._most

    def soon(self, seconds: float, others: object) -> float:
        """The seconds until a reply may arrive, at most `seconds`. `others`: true when other replies are awaited as well."""
        return min(seconds, SOON_SECONDS) if self._look is not None or others else seconds

    def begin(self, now: float, leased: set[str], aside: set[str], lost: Lost, *, reads: bool) -> None:
        """Send a poll, unless the reply to one is awaited. `leased`: hosts with open leases; `aside`: with URLs that are set aside;
        `reads`: reads of queues are under way."""
        worker, tops, hosts = self._worker, self._tops, self._hosts
        if worker.connection.state == BACK:
            self._resume(lost)
        worker.flush()
        if worker.away or self._look is not None:
            return
        active = active_hosts(tops, hosts)
        ready = ready_hosts(tops, hosts, active, leased, now)
        reserve = max(-(-RESERVE // self._partitions), 2 * worker.leases_since())
        surplus = len(active) - self._most
        if worker.live > 1:
            surplus = max(surplus, len(ready) - reserve)
        released = not_needed(tops, hosts, leased | aside)
        if surplus > 0:
            released.update(host for _, host in ready[-surplus:])
        elif worker.live > 1 or surplus == 0:
            released.update(host for key, host in ready[-SWAPPED:] if -key[0] < self._best_free)
        kept = len(active) - len(released.intersection(active))
        idle = not leased and not reads and not hosts.may_come(now)
        again = [host for host in list(tops.short)[:READ_AGAIN] if host not in released]
        clocks = [part for host in released for part in (host, worker.clock_of(host, now))]
        wanted = max(0, self._most - kept)
        if worker.live > 1:
            wanted = min(wanted, max(0, reserve - sum(host not in released for _, host in ready)))
        call = Call("tick", [
            worker.session, worker.seconds, "1" if idle else "", kept, tops.keep, wanted, worker.exchange.tick_argument(), worker.exchange.received,
            len(released), *clocks, *again,
        ])  # fmt: skip
        if (question := worker.begin(call)) is not None:
            tops.leave(released)
            since = Counter(self._entries.since)
            self._look = _Look(question, released, wanted, since, worker.exchange.counted)

    def finish(self, seconds: float, lost: Lost) -> None:
        """Wait for the reply at most `seconds`, because a host that is being released is needed."""
        if self._look is not None:
            self._look.question.call.done.wait(seconds)
            self.receive(lost)

    def receive(self, lost: Lost) -> None:
        """Apply the reply to the poll, if it has arrived."""
        look, worker = self._look, self._worker
        if look is None:
            return
        question, call = look.question, look.question.call
        if not call.done.is_set():
            worker.connection.miss(call)
            return
        self._look = None
        worker.questions.close(question)
        if question.session != worker.session:
            return  # its hosts were all dropped
        if call.error is not None:
            self._tops.stay()
        elif not call.reply:
            self._join_again(lost)
        elif not worker.connection.is_whole(int(call.reply[8]), call):
            self._tops.stay()  # the server has lost changes, so its reply is wrong
        else:
            self._drop(look.released)
            self._apply(look)

    def _apply(self, look: _Look) -> None:
        worker, question = self._worker, look.question
        at, counts, live, hosts, best, is_dry, acquired, again, _, *shared, place = question.call.reply
        age = question.call.age
        worker.set_clock(float(at) + age)
        worker.counts = counts_of(counts)
        self._entries.since.subtract(look.since)
        worker.live, worker.place = int(live), int(place)
        worker.exchange.receive(float(at) + age, worker.live, shared, look.counted)
        self._share = -(-int(hosts) // worker.live) if worker.live > 1 else 0
        self._best_free = -float(best) if best else -inf
        worker.is_dry = bool(is_dry) and not question.hosts
        worker.looks += 1
        worker.room = look.wanted - len(question.acquired)
        worker.acquire(acquired, question)
        for one in again:
            host = one[0].decode()
            if host in question.hosts and host in self._tops.owned:
                self._tops.short.add(host)  # it has changed here since the poll: read it once more
            elif host in self._tops.owned:
                worker.read(one)

    def _drop(self, released: Iterable[str]) -> None:
        """Drop released hosts and the states of their URLs, so that a later look-up may acquire the host again."""
        for host in released:
            self._tops.drop(host)
        if released:
            self._entries.forget()
        self._tops.stay()

    @property
    def _most(self) -> int:
        by_slots = max(LEAST_HOSTS, SLOT_HOSTS * min(self._hosts.slots, 10_000))
        most = self._most_hosts or -(-by_slots // self._partitions)
        return min(most, max(1, self._share)) if self._share else most

    def _resume(self, lost: Lost) -> None:
        """Send the owned hosts to a server that is back, and give up those that others own."""
        try:
            gone = self._worker.connection.resume(list(self._tops.owned))
        except AwayError:
            return
        if gone is None:
            self._join_again(lost)
        elif gone:
            lost(gone)
            for host in gone:
                self._tops.drop(host)

    def _join_again(self, lost: Lost) -> None:
        """Give up all hosts and join again, after this worker was declared dead."""
        lost(list(self._tops.owned))
        for host in list(self._tops.owned):
            self._tops.drop(host)
        self._tops.stay()
        try:
            joined = self._joined.renew(self._worker.connection)
        except AwayError:
            return
        self._worker.sign(joined)
