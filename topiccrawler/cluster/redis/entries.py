"""Holds the part of a crawl in Redis that a worker has in memory: URLs, first rows of host queues, open requests, and clocks of hosts.

- `Entries`: the URLs of which the worker has a rank or a lease, and those it has looked up since the last commit.
- `Tops`: for each owned host the first waiting URLs, best first, and a bound: the rank of the best URL that is not at hand. So the
  order is exact: no URL that ranks behind the bound is leased before the server is asked.
- `Question`: a request whose reply is not awaited. It records the changes made here meanwhile, which the reply does not contain.
- `dump_clock`, `merge_clock`: the clock of a host on its way to its next owner: when it is ready, why not before, its delays by
  reason, its record (frontier.budgets). Times are those of the server, since the clocks of machines differ.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf

from topiccrawler.cluster.redis.connection import Call
from topiccrawler.cluster.redis.records import DOUBLE, digest_of, entry_of, row_of, score_of
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.host_ranking import Key
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.rows import STATES
from topiccrawler.model import Score


def dump_clock(hosts: Hosts, host: str, now: float, offset: float, session: str) -> bytes:
    """Encode the clock of a host for its next owner. `offset`: the server's clock minus that of the caller; `session`: of the sender."""
    due = hosts.ready_at(host)
    reason = hosts.waiting_reason(host, now) if due > now else ""
    until = due + offset if due > now else 0.0
    record = hosts.records.dump_record(host) if hosts.records is not None else ""
    kept = {"why": reason or "", "delays": hosts.delays(host), "by": session, "record": record}
    return DOUBLE.pack(until) + json.dumps(kept, ensure_ascii=False).encode()


def merge_clock(hosts: Hosts, host: str, text: bytes, offset: float, session: str) -> None:
    """Merge the clock of a host from its last owner, if that had another session. A later clock here stays. Of a damaged text only the
    time counts."""
    if len(text) < DOUBLE.size:
        return
    due = DOUBLE.unpack_from(text)[0] - offset
    try:
        kept = json.loads(text[DOUBLE.size :] or b"{}")
        delays = {str(why): float(seconds) for why, seconds in dict(kept.get("delays") or {}).items()}
        reason = str(kept.get("why") or "delay")
        if kept.get("by") == session:
            return
        record = str(kept.get("record") or "")
    except (ValueError, TypeError, AttributeError):
        delays, reason, record = {}, "delay", ""
    for why, seconds in delays.items():
        if why not in hosts.delays(host):
            hosts.set_delay(host, seconds, why)
    if due > hosts.ready_at(host) + 0.001:
        hosts.back_off(host, due, reason)
    if record and hosts.records is not None:
        hosts.records.merge_record(host, record)


NOTHING: Key = (inf, 0)  # ranks behind all URLs


@dataclass(slots=True)
class Top:
    """The first waiting URLs of one host."""

    keys: list[Key] = field(default_factory=list)  # sorted
    bound: Key = NOTHING

    def best(self) -> Key | None:
        """The rank of the host's best waiting URL, at hand or not; None when no URL waits."""
        first = min(self.keys[0], self.bound) if self.keys else self.bound
        return None if first == NOTHING else first


class Tops:
    """The first waiting URLs of all owned hosts. `waits(key)`: whether the URL waits with this rank, as far as is known here.

    `load(host)` requests the first rows of a host again, for `reset`; False when the server is away. `keep`: rows at hand of each host.
    """

    def __init__(
        self, hosts: Hosts, waits: Callable[[Key], bool], load: Callable[[str], bool], keep: int
    ) -> None:
        self._hosts, self._waits, self._load = hosts, waits, load
        self.keep = keep
        self.owned: dict[str, Top] = {}
        self.short: set[str] = set()  # hosts with few rows at hand
        self.leaving: set[str] = set()  # hosts being released: no URL of them is leased
        self.read_now: set[str] = set()  # hosts whose queue is being read: no URL is leased
        self._is_away = False  # the server is away: no URL of any host is leased

    def own(self, host: str) -> Top:
        """Add a host that this worker owns now. Returns its rows at hand."""
        return self.owned.setdefault(host, Top())

    def drop(self, host: str) -> None:
        """Remove a host that this worker no longer owns."""
        self.owned.pop(host, None)
        self.short.discard(host)
        self._hosts.want(host, None)

    def leave(self, hosts: Iterable[str]) -> None:
        """Begin to release hosts, and hide them; `drop` follows once the server has confirmed it."""
        self.leaving = set(hosts)
        for host in self.leaving:
            self._hosts.want(host, None)

    def stay(self) -> None:
        """End the release of hosts: those that are still owned are ranked again."""
        hosts, self.leaving = self.leaving, set()
        for host in hosts:
            self.settle(host)

    def set_away(self, *, is_away: bool) -> None:
        """Hide all hosts while the server is away, so that hosts of other partitions are next."""
        if self._is_away != is_away:
            self._is_away = is_away
            for host, top in self.owned.items():
                self._want(host, top)

    def reading(self, host: str) -> None:
        """Hide a host whose queue is being read, until it is removed from `read_now`."""
        self.read_now.add(host)
        self._hosts.want(host, None)

    def reset(self, host: str, keys: list[Key], bound: Key) -> None:
        """Replace the rows at hand of a host by those of the server."""
        top = self.own(host)
        top.keys, top.bound = sorted(keys), bound
        self.short.discard(host)
        self.settle(host)

    def put(self, host: str, score: float, number: int, *, held: bool = True) -> None:
        """Add a URL that waits with this score; `held`: its record is at hand."""
        top = self.owned.get(host)
        if top is None:
            return
        key = (-score, number)
        if not held or key >= top.bound:
            top.bound = min(top.bound, key)
            if not held:
                self.short.add(host)
        else:
            at = bisect_left(top.keys, key)
            if at == len(top.keys) or top.keys[at] != key:
                top.keys.insert(at, key)
            if len(top.keys) > 2 * self.keep:
                self._cut(top)
        self._want(host, top)

    def best(self, now: float) -> tuple[str, int] | None:
        """Host and number of the best URL that may be fetched now; None also when the server is away."""
        while (host := self._hosts.best(now)) is not None:
            if (top := self.owned.get(host)) is None:
                return None  # it is of another partition
            self._clean(top)
            if top.keys and top.keys[0] < top.bound:
                return host, top.keys[0][1]
            if top.bound == NOTHING:
                self.settle(host)
            elif not self._load(host):
                return None
        return None

    def settle(self, host: str) -> None:
        """Correct the rank of a host after a URL left its queue or sank, and mark the host when few rows are at hand."""
        top = self.owned.get(host)
        if top is not None:
            self._clean(top)
            if top.bound != NOTHING and len(top.keys) <= self.keep // 4:
                self.short.add(host)
            self._want(host, top)

    def holds(self, host: str, key: Key) -> bool:
        """True when the URL with this rank is at hand."""
        top = self.owned.get(host)
        if top is None:
            return False
        at = bisect_left(top.keys, key)
        return at < len(top.keys) and top.keys[at] == key

    def numbers(self) -> Iterator[int]:
        """The numbers of all rows at hand."""
        return (number for top in self.owned.values() for _, number in top.keys)

    def _want(self, host: str, top: Top) -> None:
        is_hidden = self._is_away or host in self.leaving or host in self.read_now
        self._hosts.want(host, None if is_hidden else top.best())

    def _clean(self, top: Top) -> None:
        while top.keys and not self._waits(top.keys[0]):
            del top.keys[0]

    def _cut(self, top: Top) -> None:
        top.keys = [key for key in top.keys if self._waits(key)]
        behind = top.keys[self.keep :]
        if behind:
            del top.keys[self.keep :]
            top.bound = min(top.bound, behind[0])


def active_hosts(tops: Tops, hosts: Hosts) -> set[str]:
    """The owned hosts with waiting URLs, except those that budgets have closed."""
    return {host for host, top in tops.owned.items() if top.best() is not None and hosts.ready_at(host) < inf}


def ready_hosts(
    tops: Tops, hosts: Hosts, active: set[str], leased: Container[str], now: float
) -> list[tuple[Key, str]]:
    """The active hosts that are ready and idle, with their best ranks, best first."""
    idle = (host for host in active if host not in leased and not hosts.leases(host))
    ready = (host for host in idle if hosts.ready_at(host) <= now)
    return sorted((tops.owned[host].best() or NOTHING, host) for host in ready)


def not_needed(tops: Tops, hosts: Hosts, leased: Container[str]) -> set[str]:
    """The owned hosts without a waiting URL and without a lease. Hosts closed by budgets have waiting URLs, and stay with the worker that
    knows the reason."""
    empty = (host for host, top in tops.owned.items() if top.best() is None)
    return {host for host in empty if host not in leased and not hosts.leases(host)}


@dataclass(eq=False, slots=True)
class Question:
    """An open request. `session`: of the sender; a reply to another session is ignored."""

    call: Call
    session: str
    wanted: Mapping[str, bytes] = field(default_factory=dict)  # URL -> digest, for a look-up of URLs
    keys: set[bytes] = field(default_factory=set)  # digests of the URLs changed here since
    hosts: set[str] = field(default_factory=set)  # hosts of those URLs
    acquired: set[str] = field(default_factory=set)  # hosts acquired since


class Questions:
    """The open requests of a worker, which are notified of changes made here."""

    def __init__(self) -> None:
        self._open: set[Question] = set()

    def open(self, question: Question) -> Question:
        """Add a request that was sent. Returns it."""
        self._open.add(question)
        return question

    def close(self, question: Question) -> bool:
        """Remove a request whose reply was received. False when it was received before."""
        was_open = question in self._open
        self._open.discard(question)
        return was_open

    def stale(self, seconds: float) -> list[Question]:
        """The look-ups whose replies are at least this old, so that their callers are gone."""
        done = (one for one in self._open if one.wanted and one.call.done.is_set())
        return [one for one in done if one.call.age >= seconds]

    def changed(self, host: str, key: bytes) -> None:
        """Record in all open requests that a URL was pushed, leased, ended or scored here."""
        for question in self._open:
            question.keys.add(key)
            question.hosts.add(host)

    def acquired(self, host: str) -> None:
        """Record in all open requests that this worker has acquired a host."""
        for question in self._open:
            question.acquired.add(host)


_SWEEP_AT = 10_000  # entries


@dataclass(slots=True)
class Entry:
    """One URL, as far as this worker knows it."""

    number: int
    key: bytes  # digest
    host: str  # "" = not known yet
    state: State
    score: float
    seen: int = 0  # seen-anchor mask
    raw: bytes | None = None  # its record
    row: Row | None = None  # the decoded record, which replaces `raw`
    leased: bool = False  # by this worker

    @property
    def has_record(self) -> bool:
        """True when the record is at hand."""
        return self.raw is not None or self.row is not None


class Entries:
    """The URLs that this worker knows, by number, and by URL where that is known.

    An entry is held while its URL is leased or set aside here or its rank is at hand. Others are valid until the next commit only, since other
    workers may change them. `has_rank(host, key)`: whether this rank in the queue of a host is at hand.
    """

    def __init__(self, has_rank: Callable[[str, Key], bool]) -> None:
        self._has_rank = has_rank
        # changes of the counts by state that are not in the server's counts yet
        self.since: Counter[State] = Counter()
        self._by_number: dict[int, Entry] = {}
        self._by_url: dict[str, Entry | None] = {}  # None = the crawl does not have the URL
        self._recent: set[str] = set()  # URLs looked up or added since the last commit
        self.aside: Container[int] = ()  # numbers of the waiting URLs that this worker does not lease now
        self._sweep_at = _SWEEP_AT

    def knows(self, url: str) -> bool:
        """True when the URL was looked up since the last commit, or is held."""
        if url in self._recent:
            return True
        entry = self._by_url.get(url)
        if entry is not None and self._is_held(entry):
            return True
        self._by_url.pop(url, None)
        return False

    def of(self, url: str) -> Entry | None:
        """The entry of a URL; None when the crawl does not have the URL, or it is not known here."""
        return self._by_url.get(url)

    def get(self, number: int) -> Entry | None:
        """The entry with this number, or None."""
        return self._by_number.get(number)

    def numbered(self, number: int) -> Entry:
        """The entry with this number, which must be known. KeyError otherwise."""
        return self._by_number[number]

    def waiting_score(self, number: int) -> float | None:
        """The score of a URL that waits; None when it does not wait, as far as is known here."""
        entry = self._by_number.get(number)
        return entry.score if entry is not None and entry.state is State.WAITING else None

    def waits(self, key: Key) -> bool:
        """True when the URL waits with this rank, and is not set aside."""
        return self.waiting_score(key[1]) == -key[0] and key[1] not in self.aside

    def add(self, url: str, entry: Entry) -> None:
        """Add a URL that is new in the crawl."""
        self._by_number[entry.number] = entry
        self._by_url[url] = entry
        self._recent.add(url)

    def met(self, url: str, key: bytes, raw: bytes) -> None:
        """Apply the server's index entry of a URL; empty = the crawl does not have the URL."""
        self._recent.add(url)
        if not raw:
            self._by_url[url] = None
            return
        state, number, seen, score = entry_of(raw)
        entry = self._by_number.get(number)
        if entry is None or not self._is_held(entry):
            entry = self._by_number[number] = Entry(number, key, "", STATES[state], score, seen)
        entry.seen |= seen
        self._by_url[url] = entry

    def hold(self, number: int, host: str, raw: bytes) -> Key | None:
        """Store the record of a waiting URL from the queue of its host. Returns its rank; None when it has been leased since, or is set
        aside."""
        score, entry = score_of(raw), self._by_number.get(number)
        if entry is None:
            entry = self._by_number[number] = Entry(number, digest_of(raw), host, State.WAITING, score)
        elif entry.leased:
            return None
        entry.host, entry.state, entry.score, entry.raw, entry.row = host, State.WAITING, score, raw, None
        return None if number in self.aside else (-score, number)

    def read(self, number: int, where: str) -> Row:
        """The record of a URL. StateError when it is damaged or not at hand."""
        entry = self._by_number[number]
        if entry.row is None:
            if entry.raw is None:
                raise StateError(
                    where, f"has no URL of number {number}", "report this fault with the job's log"
                )
            entry.row, entry.raw = row_of(entry.raw, where), None
        return entry.row

    def rescore(self, entry: Entry, score: Score, where: str) -> None:
        """Change the score of a waiting URL."""
        entry.score = float(score.value)
        if entry.has_record:
            row = self.read(entry.number, where)
            entry.row = replace(row, score=entry.score, carry=float(score.carry), shares=score.shares)

    def turn(self, entry: Entry, state: State) -> None:
        """Change the state of a URL, and count the change."""
        self.since[entry.state] -= 1
        self.since[state] += 1
        entry.state, entry.leased = state, state is State.PROCESSING

    def lose(self, number: int) -> None:
        """Drop a URL whose lease another worker has now."""
        self._by_number.pop(number, None)

    def forget(self) -> None:
        """Drop the URLs looked up since the last commit that are not held."""
        recent, self._recent = self._recent, set()
        for url in recent:
            entry = self._by_url.get(url)
            if entry is None:
                self._by_url.pop(url, None)
            elif not self._is_held(entry):
                del self._by_url[url]
                self._by_number.pop(entry.number, None)

    def _is_held(self, entry: Entry) -> bool:
        return (
            entry.leased
            or entry.number in self.aside
            or self._has_rank(entry.host, (-entry.score, entry.number))
        )

    def sweep(self, numbers: Callable[[], Container[int]]) -> None:
        """Drop all URLs but these numbers, once there are twice as many as after the last sweep."""
        if len(self._by_number) < self._sweep_at:
            return
        held = numbers()
        self._by_number = {number: entry for number, entry in self._by_number.items() if number in held}
        known = self._by_url.items()
        self._by_url = {url: entry for url, entry in known if entry is not None and entry.number in held}
        self._sweep_at = max(_SWEEP_AT, 2 * len(self._by_number))
