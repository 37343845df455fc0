"""Implements a worker of a crawl in Redis: its requests to the server, the hosts it owns, look-ups of URLs, and reads of host queues.

`Worker` sends changes and requests, and acquires hosts.

`LookUps` requests the states of many URLs at once, with or without waiting for the reply.

`Readings` reads further rows of a host's queue when the rows at hand are used up; meanwhile other hosts are fetched from.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from time import monotonic, sleep
from typing import Any

from topiccrawler.cluster.redis.client import AwayError
from topiccrawler.cluster.redis.connection import BACK, Call, Connection
from topiccrawler.cluster.redis.entries import (
    NOTHING,
    Entries,
    Question,
    Questions,
    Tops,
    dump_clock,
    merge_clock,
)
from topiccrawler.cluster.redis.exchange import RedisExchange
from topiccrawler.cluster.redis.joining import NUMBERS, Membership
from topiccrawler.cluster.redis.records import DOUBLE, Argument, Batch, digest
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.leasing import check_score
from topiccrawler.model import Score
from topiccrawler.urls.canonical import host_of

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.05
LOOK_SECONDS = 30.0  # that a read of the crawl's rows waits for a reply


class Worker:
    """The connection of this process to a crawl, or to one of its partitions."""

    def __init__(self, joined: Membership, hosts: Hosts, tops: Tops, entries: Entries, batch: Batch) -> None:
        self.where = joined.client.name
        self.session, self.slot, self.live = joined.session, joined.slot, joined.live
        self.place = joined.live - 1  # among the live workers, by their sessions
        self.counts: dict[State, int] = dict.fromkeys(State, 0)
        self.is_dry = False
        self.looks = 0  # polls that were answered
        self.others: Sequence[Worker] = ()  # the workers of this process in the other partitions of the crawl
        self.left = False
        self.room = 0  # for further hosts, until the next poll
        self.room_for_one_more = False
        self.seconds = joined.worker_seconds  # without a sign of life until it is declared dead
        self.questions = Questions()
        self._joined, self._hosts, self._tops = joined, hosts, tops
        self._entries, self._batch = entries, batch
        self._offset = 0.0  # the server's clock minus the caller's
        self._numbers: Iterator[int] = iter(joined.numbers)
        self._hand_overs = 0
        self._leased = 0  # URLs leased since the last poll
        self._clocks: set[str] = set()  # hosts whose clock changed since it was last sent
        self._now = 0.0
        self._joined_at = monotonic()
        signed = self.session, str(self.slot)
        self.connection = Connection(joined.client, *signed, self.seconds, joined.call_seconds)
        self.exchange = RedisExchange(batch, self.connection.hand, self.flush, self.under_way, joined)

    @property
    def away(self) -> bool:
        """True while the server does not answer."""
        return self.connection.away_since is not None

    def stand_by(self) -> None:
        """Hide the hosts of this partition while its server is away, so that those of other partitions are next."""
        self._tops.set_away(is_away=self.away)

    def at(self, now: float) -> None:
        """Set the time by the clock of the caller, in seconds."""
        if self._joined_at:
            self._offset = self._joined.server_time + monotonic() - self._joined_at - now
            self._joined_at = 0.0
        self._now = now

    def set_clock(self, server_time: float) -> None:
        """Set the offset between the clocks by the server's time now, in seconds."""
        self._offset = server_time - self._now

    def give_up_after(self, seconds: float) -> None:
        """StateError when the server has been away for longer than this."""
        since = self.connection.away_since
        if since is not None and monotonic() - since > seconds:
            remedy = "when it is back, the same command goes on with the crawl"
            raise StateError(f"Redis {self.where}", f"is away for {seconds:.0f} s", remedy)

    def flush(self) -> None:
        """Pass all changes so far to the connection, without waiting."""
        if self._batch:
            for host in self._clocks:
                if host in self._tops.owned:
                    self._batch.clock(host, self.clock_of(host, self._now))
            self._clocks.clear()
            for part in self._batch.drain():
                self.connection.send(part)

    def begin(self, call: Call, wanted: Mapping[str, bytes] | None = None) -> Question | None:
        """Send a request after all changes so far, without waiting. None while the server is away."""
        self.flush()
        try:
            self.connection.begin(call)
        except AwayError:
            return None
        return self.questions.open(Question(call, self.session, wanted or {}))

    def ask_or_fail(self, name: str, arguments: Sequence[Argument]) -> Any:
        """Run a script after all changes so far, and wait for its reply. StateError while the server is away."""
        try:
            self.flush()
            return self.connection.ask(name, arguments, LOOK_SECONDS, patient=True)
        except AwayError as error:
            fault, remedy = f"is away ({error})", "ask again when it is back"
            raise StateError(f"Redis {self.where}", fault, remedy) from None

    def rescore_unseen(self, scores: Iterable[Score]) -> None:
        """Rescore URLs that are not at hand; the server knows whether they wait. If one may be the best of its host, the queue of the host
        is read again."""
        for score in scores:
            check_score(score)
            host, key = host_of(score.url), digest(score.url)
            self._batch.rescore(host, key, score)
            self.questions.changed(host, key)
            self._tops.put(host, float(score.value), 0, held=False)

    def leased(self, host: str) -> None:
        """Note that the clock of a host has changed by a lease: it must be sent, in case this worker dies and another gets the host."""
        self._clocks.add(host)
        self._leased += 1

    def leases_since(self) -> int:
        """The number of URLs leased since the last call."""
        leased, self._leased = self._leased, 0
        return leased

    def clock_of(self, host: str, now: float) -> bytes:
        """The clock of a host, encoded for its next owner."""
        return dump_clock(self._hosts, host, now, self._offset, self.session)

    def sign(self, joined: Membership) -> None:
        """Continue with a new session and slot, after this worker was declared dead."""
        self.session, self.slot = joined.session, joined.slot
        self.connection.sign(self.session, str(self.slot))
        self.exchange.sign(self.session)

    def next_number(self) -> int:
        """A number for a new URL; 0 = the server is away, and assigns one when it is back."""
        number = next(self._numbers, None)
        if number is None:
            try:
                first = int(self.connection.ask("numbers", [NUMBERS]))
            except AwayError:
                return 0
            self._numbers = iter(range(first, first + NUMBERS))
            number = next(self._numbers)
        return number

    def leave(self, now: float, seconds: float) -> None:
        """Send the last changes and leave the crawl. Waits `seconds` for a server that is away; after that, this worker is declared dead
        when its deadline passes."""
        self.left = True
        if self.connection.is_closed:
            return
        owned = list(self._tops.owned)
        clocks = [part for host in owned for part in (host, self.clock_of(host, now))]
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            try:
                if self.connection.state == BACK:
                    self.connection.resume(owned)
                self.connection.ask("leave", [self.session, *clocks], left)
            except AwayError:
                sleep(POLL_SECONDS)
            else:
                return
        undone = "the last changes are not made, and what was under way is fetched again"
        logger.warning("Redis is away: %s", undone)

    def figures(self) -> Mapping[str, float]:
        """The stats of the connection and of the hosts owned, by name."""
        names = ("calls", "wait_seconds", "busy_seconds", "outages", "fenced")
        figures = {name: round(getattr(self.connection.figures, name), 3) for name in names}
        own = {"hosts": len(self._tops.owned), "hand_overs": self._hand_overs, "workers": self.live}
        return figures | own

    # -- hosts -----------------------------------------------------------------------------------------------------

    def to_acquire(self, hosts: Iterable[str]) -> list[str]:
        """The hosts among these that the worker does not own and has room for; it acquires them if they are free."""
        wanted = [host for host in dict.fromkeys(hosts) if host not in self._tops.owned]
        return wanted[: max(self.room, int(self.room_for_one_more), 0)]

    def acquire(self, acquired: Sequence[Any], question: Question | None = None) -> None:
        """Own these hosts from now on. `question`: the request that acquired them. Hosts with changes since it was sent are read again."""
        for one in acquired:
            host, clock = one[0].decode(), one[1]
            self._tops.own(host)
            self._hand_overs += 1
            self.room -= 1
            merge_clock(self._hosts, host, clock, self._offset, self.session)
            self.questions.acquired(host)
            self.read(one)
            if question is not None and host in question.hosts:
                self._tops.short.add(host)

    def read(self, one: Sequence[Any]) -> None:
        """Replace the rows at hand of a host by those of a reply, `one`."""
        host, behind, rows = one[0].decode(), one[2], one[3]
        pairs = zip(rows[::2], rows[1::2], strict=True)
        held = (self._entries.hold(int.from_bytes(number, "big"), host, raw) for number, raw in pairs)
        bound = (DOUBLE.unpack_from(behind)[0], int.from_bytes(behind[8:], "big")) if behind else NOTHING
        self._tops.reset(host, [key for key in held if key is not None], bound)

    @property
    def has_unsent(self) -> bool:
        """True while there are changes that the server has not confirmed."""
        return bool(self._batch) or self.connection.figures.applied < self.connection.figures.sent

    def under_way(self) -> int:
        """The number of URLs leased by all processes."""
        here = self.counts[State.PROCESSING] + self._entries.since[State.PROCESSING]
        return here + sum(other.under_way() for other in self.others)


STALE_SECONDS = 2.0  # a caller that still exists collects its reply within milliseconds


class LookUps:
    """Requests the states of URLs, and acquires their hosts if they are free and the worker has room."""

    def __init__(self, worker: Worker, entries: Entries, keep: int) -> None:
        self._worker, self._entries, self._keep = worker, entries, keep

    def ask(self, urls: Iterable[str]) -> bool:
        """Look URLs up and wait. False while the server is away."""
        if not (wanted := self._unknown(urls)):
            return True
        question = self._begin(wanted)
        if question is None:
            return False
        try:
            self._worker.connection.reply_to(question.call)
        except AwayError:
            return False  # a late reply is applied by `receive_stale`
        self.receive(question)
        return True

    def begin(self, urls: Iterable[str]) -> Question | None:
        """Look URLs up without waiting: pass the question to `receive` once `call.answer` is done. None = all are known, or the server
        is away."""
        wanted = self._unknown(urls)
        return self._begin(wanted) if wanted else None

    def _begin(self, wanted: Mapping[str, bytes]) -> Question | None:
        call = Call("look_up", self._arguments(wanted), answer=Future())
        return self._worker.begin(call, wanted)

    def receive_stale(self) -> None:
        """Apply replies whose callers are gone, since this worker owns the hosts that they acquired."""
        for question in self._worker.questions.stale(STALE_SECONDS):
            self.receive(question)

    def receive(self, question: Question) -> None:
        """Apply a reply, except for URLs that have changed here since the request: these are looked up again when needed."""
        worker, entries = self._worker, self._entries
        if question.call.error is not None or question.session != worker.session:
            worker.questions.close(question)
            return
        if worker.questions.close(question):
            worker.acquire(question.call.reply[1], question)
        found = question.call.reply[0]
        for (url, key), raw in zip(question.wanted.items(), found, strict=True):
            changed = key in question.keys or (question.acquired and host_of(url) in question.acquired)
            if not changed and not entries.knows(url):
                entries.met(url, key, raw)

    def _unknown(self, urls: Iterable[str]) -> Mapping[str, bytes]:
        return {url: digest(url) for url in urls if not self._entries.knows(url)}

    def _arguments(self, wanted: Mapping[str, bytes]) -> list[Argument]:
        hosts = self._worker.to_acquire(map(host_of, wanted))
        return [self._worker.session, self._keep, len(wanted), *wanted.values(), *hosts]


class Readings:
    """Reads the queues of hosts without waiting, one request a host at a time."""

    def __init__(self, worker: Worker, tops: Tops) -> None:
        self._worker, self._tops = worker, tops
        self._open: dict[str, Question] = {}

    def __bool__(self) -> bool:
        """True while any read is under way."""
        return bool(self._open)

    def begin(self, host: str) -> bool:
        """Request the first rows of a host's queue. False while the server is away."""
        question = self._worker.begin(Call("first", [host, self._tops.keep]))
        if question is not None:
            self._open[host] = question
            self._tops.reading(host)
        return question is not None

    def receive(self) -> None:
        """Apply the replies that have arrived. A host whose queue has changed here since the request is read again when needed."""
        for host, question in list(self._open.items()):
            call = question.call
            if not call.done.is_set():
                self._worker.connection.miss(call)
                continue
            del self._open[host]
            self._worker.questions.close(question)
            self._tops.read_now.discard(host)
            whole = call.error is None and question.session == self._worker.session
            if whole and host in self._tops.owned and host not in question.hosts | question.acquired:
                self._worker.read(call.reply)
            else:
                self._tops.settle(host)
