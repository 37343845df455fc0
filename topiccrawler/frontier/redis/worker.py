"""One worker among those of a crawl: which hosts it owns, what it gives back and takes, when all are done.

Alone it owns all it has room for. Among others it owns the hosts it fetches from now and a reserve of those it can ask next, no more
than its share of all that have URLs; the rest are nobody's, so that the best of all goes to whoever has room. It gives back hosts without
URLs, those beyond the reserve, and those that rank behind the best that nobody owns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from time import monotonic
from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.leasing import check_score
from topiccrawler.frontier.redis.batch import Argument, Batch
from topiccrawler.frontier.redis.client import AwayError
from topiccrawler.frontier.redis.clocks import heard, told
from topiccrawler.frontier.redis.connection import BACK, Connection
from topiccrawler.frontier.redis.entries import Entries
from topiccrawler.frontier.redis.exchange import RedisExchange
from topiccrawler.frontier.redis.leaving import leave
from topiccrawler.frontier.redis.listing import counts_of
from topiccrawler.frontier.redis.membership import NUMBERS, Membership
from topiccrawler.frontier.redis.owned_hosts import active_hosts, not_needed, ready_hosts
from topiccrawler.frontier.redis.records import DOUBLE, digest
from topiccrawler.frontier.redis.tops import NOTHING, Tops
from topiccrawler.model import Score
from topiccrawler.urls.canonical import host_of

TICK_SECONDS = 0.25
SLOT_HOSTS = 8  # hosts for each request that may be under way
LEAST_HOSTS = 256
RESERVE = 8  # hosts that can be asked next; more when more were asked since the last tick
SWAPPED = 16  # hosts exchanged for better ones at a time
LOOK_SECONDS = 30.0  # that somebody who looks at the crawl waits for an answer
READ_AGAIN = 64  # queues read again at a time


class Worker:
    """See the module."""

    def __init__(
        self, joined: Membership, hosts: Hosts, tops: Tops, entries: Entries, batch: Batch, most_hosts: int
    ) -> None:
        self.where = joined.client.name
        self.session, self.slot, self.live = joined.session, joined.slot, joined.live
        self.counts: dict[State, int] = dict.fromkeys(State, 0)
        self.is_dry = False
        self.left = False
        self.room_for_one_more = False
        self._joined, self._hosts, self._tops = joined, hosts, tops
        self._entries, self._batch = entries, batch
        self._most_hosts = most_hosts
        self._seconds = joined.worker_seconds
        self._offset = 0.0  # the server's clock minus the caller's
        self._best_free = -inf  # score
        self._share = 0  # hosts with waiting URLs, of all, for each worker; 0 = all
        self._hand_overs = 0
        self._room = self._most  # for further hosts, until the next tick
        self._leased = 0  # URLs, since the last tick
        self._given: set[str] = set()  # hosts given back with the tick under way
        self._clocks: set[str] = set()  # hosts whose clock changed since they were last told of
        self._now = 0.0
        self._joined_at = monotonic()
        self.connection = Connection(
            joined.client, self.session, str(self.slot), self._seconds, joined.call_seconds
        )
        self.exchange = RedisExchange(batch, self.connection.hand, self.flush, self._under_way, joined)

    @property
    def away(self) -> bool:
        """The server does not answer."""
        return self.connection.away_since is not None

    def at(self, now: float) -> None:
        """The caller's clock."""
        if self._joined_at:
            self._offset = self._joined.server_time + monotonic() - self._joined_at - now
            self._joined_at = 0.0
        self._now = now

    def give_up_after(self, seconds: float) -> None:
        """StateError when the server was away for so long."""
        since = self.connection.away_since
        if since is not None and monotonic() - since > seconds:
            remedy = "when it is back, the same command goes on with the crawl"
            raise StateError(f"Redis {self.where}", f"is away for {seconds:.0f} s", remedy)

    def flush(self) -> None:
        """Hand over all changes so far."""
        if self._batch:
            for host in self._clocks:
                if host in self._tops.owned:
                    self._batch.clock(host, self._told(host, self._now))
            self._clocks.clear()
            for part in self._batch.take():
                self.connection.send(part)

    def ask(self, name: str, arguments: Sequence[Argument]) -> Any:
        """A script's answer, after all changes so far. AwayError while the server is away."""
        self.flush()
        return self.connection.ask(name, arguments)

    def ask_or_fail(self, name: str, arguments: Sequence[Argument]) -> Any:
        """The same; StateError while it is away."""
        try:
            self.flush()
            return self.connection.ask(name, arguments, LOOK_SECONDS, patient=True)
        except AwayError as error:
            fault, remedy = f"is away ({error})", "ask again when it is back"
            raise StateError(f"Redis {self.where}", fault, remedy) from None

    def rescore_unseen(self, scores: Iterable[Score]) -> None:
        """Of URLs that are not at hand: the server knows whether they wait. Where one may come first, its host is read again."""
        for score in scores:
            check_score(score)
            host = host_of(score.url)
            self._batch.rescore(host, digest(score.url), score)
            self._tops.put(host, float(score.value), 0, held=False)

    def leased(self, host: str) -> None:
        """A URL of the host was leased: whoever has the host after a sudden death of this worker must know."""
        self._clocks.add(host)
        self._leased += 1

    def more_numbers(self) -> Iterator[int]:
        """For URLs to come."""
        first = int(self.connection.ask("numbers", [NUMBERS]))
        return iter(range(first, first + NUMBERS))

    def leave(self, now: float, seconds: float) -> None:
        """Make the last changes, and let others have the rest."""
        self.left = True
        clocks = {host: self._told(host, now) for host in self._tops.owned}
        leave(self.connection, self.session, clocks, seconds)

    def figures(self) -> Mapping[str, float]:
        """For the stats."""
        figures = self.connection.figures
        return {
            "calls": figures.calls,
            "wait_seconds": round(figures.wait_seconds, 3),
            "busy_seconds": round(figures.busy_seconds, 3),
            "outages": figures.outages,
            "fenced": figures.fenced,
            "hosts": len(self._tops.owned),
            "hand_overs": self._hand_overs,
            "workers": self.live,
        }

    # -- hosts -----------------------------------------------------------------------------------------------------

    def to_take(self, hosts: Iterable[str]) -> list[str]:
        """Which of these hosts to take when nobody owns them."""
        room = self._room
        wanted = [host for host in dict.fromkeys(hosts) if host not in self._tops.owned]
        return wanted[: max(room, int(self.room_for_one_more), 0)]

    def took(self, taken: Sequence[Any]) -> None:
        """Hosts are this worker's from now on."""
        for one in taken:
            host, clock = one[0].decode(), one[1]
            self._tops.own(host)
            self._hand_overs += 1
            self._room -= 1
            heard(self._hosts, host, clock, self._offset, self.session)
            self.read(one)

    def read(self, one: Sequence[Any]) -> None:
        """The first of a host's queue, as the server has it."""
        host, behind, rows = one[0].decode(), one[2], one[3]
        held = (
            self._entries.hold(int.from_bytes(number, "big"), host, raw)
            for number, raw in zip(rows[::2], rows[1::2], strict=True)
        )
        bound = (DOUBLE.unpack_from(behind)[0], int.from_bytes(behind[8:], "big")) if behind else NOTHING
        self._tops.reset(host, [key for key in held if key is not None], bound)

    # -- looking around --------------------------------------------------------------------------------------------

    def tick(self, now: float, leased: set[str], lost: Callable[[Iterable[str]], None]) -> None:
        """Give back, take and listen; `leased`: hosts with open leases. `lost(hosts)` is told which of them others have."""
        if self.connection.state == BACK:
            self._resume(lost)
        self._hear_late()
        self.flush()
        if self.away:
            return
        active = active_hosts(self._tops, self._hosts)
        ready = ready_hosts(self._tops, self._hosts, active, leased, now)
        reserve, self._leased = max(RESERVE, 2 * self._leased), 0
        surplus = len(active) - self._most
        if self.live > 1:
            surplus = max(surplus, len(ready) - reserve)
        given = not_needed(self._tops, self._hosts, leased)
        if surplus > 0:
            given.update(host for _, host in ready[-surplus:])
        elif self.live > 1 or surplus == 0:
            given.update(host for key, host in ready[-SWAPPED:] if -key[0] < self._best_free)
        kept = len(active) - len(given.intersection(active))
        idle = not leased and self._hosts.next_ready(now) is None
        again = [host for host in list(self._tops.short)[:READ_AGAIN] if host not in given]
        clocks = [part for host in given for part in (host, self._told(host, now))]
        wanted = max(0, self._most - kept)
        if self.live > 1:
            wanted = min(wanted, max(0, reserve - sum(host not in given for _, host in ready)))
        arguments = [
            self.session, self._seconds, "1" if idle else "", kept, self._tops.keep, wanted, self.exchange.said(), len(given), *clocks, *again,
        ]  # fmt: skip
        self._given = given  # known to be gone only when the answer comes
        try:
            found = self.connection.ask("tick", arguments)
        except AwayError:
            return
        if found:
            self._drop_given()
            self._room = wanted
            self._hear(found)
        else:
            self._join_again(lost)

    def _hear(self, found: Sequence[Any]) -> None:
        at, counts, live, hosts, best, is_dry, taken, again, batch, *said = found
        self._offset = float(at) - self._now
        self.counts = counts_of(counts)
        self._entries.since.clear()
        self.live = int(live)
        self.exchange.hear(float(at), self.live, said)
        self._share = -(-int(hosts) // self.live) if self.live > 1 else 0
        self._best_free = -float(best) if best else -inf
        self.is_dry = bool(is_dry)
        self.took(taken)
        for one in again:
            if one[0].decode() in self._tops.owned:
                self.read(one)
        self.connection.compare(int(batch))

    def _drop_given(self) -> None:
        """What was asked about their URLs counts no more: who asks again may take the host again."""
        for host in self._given:
            self._tops.drop(host)
        if self._given:
            self._entries.forget()
        self._given = set()

    def _hear_late(self) -> None:
        while self.connection.late:
            name, reply = self.connection.late.popleft()
            if name == "tick" and reply:
                self._drop_given()
                self.took(reply[6])
            elif name == "look_up":
                self.took(reply[1])

    @property
    def _most(self) -> int:
        most = self._most_hosts or max(LEAST_HOSTS, SLOT_HOSTS * min(self._hosts.slots, 10_000))
        return min(most, max(1, self._share)) if self._share else most

    def _under_way(self) -> int:
        return self.counts[State.PROCESSING] + self._entries.since[State.PROCESSING]

    def _told(self, host: str, now: float) -> bytes:
        return told(self._hosts, host, now, self._offset, self.session)

    def _resume(self, lost: Callable[[Iterable[str]], None]) -> None:
        """The server is back."""
        try:
            gone = self.connection.resume(list(self._tops.owned))
        except AwayError:
            return
        if gone is None:
            self._join_again(lost)
        elif gone:
            lost(gone)
            for host in gone:
                self._tops.drop(host)

    def _join_again(self, lost: Callable[[Iterable[str]], None]) -> None:
        """This worker was taken for dead: others have what it owned."""
        lost(list(self._tops.owned))
        for host in list(self._tops.owned):
            self._tops.drop(host)
        try:
            joined = self._joined.renew(self.connection)
        except AwayError:
            return
        self.session, self.slot = joined.session, joined.slot
        self.connection.sign(self.session, str(self.slot))
        self.exchange.sign(self.session)
