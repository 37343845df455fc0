"""The first waiting URLs of the hosts that this worker owns; the others lie in Redis behind them.

Of each host some ranks are held, best first, and a bound: the rank of the best URL that is not held. So the order is exact: a
rank behind the bound is never handed out before the server was asked.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import inf

from topiccrawler.frontier.host_ranking import Key
from topiccrawler.frontier.hosts import Hosts

NOTHING: Key = (inf, 0)  # behind all others


@dataclass(slots=True)
class Top:
    """One host's."""

    keys: list[Key] = field(default_factory=list)  # sorted
    bound: Key = NOTHING

    def best(self) -> Key | None:
        """The rank of its best waiting URL, held or not."""
        first = min(self.keys[0], self.bound) if self.keys else self.bound
        return None if first == NOTHING else first


class Tops:
    """Of all hosts owned. `waits(key)`: the URL of that number waits with that score, as far as is known here.

    `load(host)`: has the first of a host read anew (`reset`); False when the server is away.
    """

    def __init__(
        self, hosts: Hosts, waits: Callable[[Key], bool], load: Callable[[str], bool], keep: int
    ) -> None:
        self._hosts, self._waits, self._load = hosts, waits, load
        self.keep = keep
        self.owned: dict[str, Top] = {}
        self.short: set[str] = set()  # hosts of which few are held
        self.leaving: set[str] = set()  # hosts that are given back: nothing of them is handed out
        self.read_now: set[str] = set()  # nor of those whose queue is read
        self._is_away = False  # nor of any

    def own(self, host: str) -> Top:
        """The host is this worker's."""
        return self.owned.setdefault(host, Top())

    def drop(self, host: str) -> None:
        """It is no longer."""
        self.owned.pop(host, None)
        self.short.discard(host)
        self._hosts.want(host, None)

    def leave(self, hosts: Iterable[str]) -> None:
        """These are given back; they are gone (`drop`) once the server says so."""
        self.leaving = set(hosts)
        for host in self.leaving:
            self._hosts.want(host, None)

    def stay(self) -> None:
        """None is given back any more."""
        hosts, self.leaving = self.leaving, set()
        for host in hosts:
            self.settle(host)

    def set_away(self, *, is_away: bool) -> None:
        """While the server is away, hosts of other servers are next."""
        if self._is_away == is_away:
            return
        self._is_away = is_away
        for host, top in self.owned.items():
            if is_away:
                self._hosts.want(host, None)
            else:
                self._want(host, top)

    def reading(self, host: str) -> None:
        """Its queue is read: it counts again once it is no longer in `read_now`."""
        self.read_now.add(host)
        self._hosts.want(host, None)

    def reset(self, host: str, keys: list[Key], bound: Key) -> None:
        """What the server says of a host's queue."""
        top = self.own(host)
        top.keys, top.bound = sorted(keys), bound
        self.short.discard(host)
        self.settle(host)

    def put(self, host: str, score: float, number: int, *, held: bool = True) -> None:
        """A URL waits with this score; `held`: its record is at hand."""
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
                return None  # another server has it
            self._clean(top)
            if top.keys and top.keys[0] < top.bound:
                return host, top.keys[0][1]
            if top.bound == NOTHING:
                self.settle(host)
            elif not self._load(host):
                return None
        return None

    def settle(self, host: str) -> None:
        """Correct the host's rank after a URL left or sank."""
        top = self.owned.get(host)
        if top is not None:
            self._clean(top)
            if top.bound != NOTHING and len(top.keys) <= self.keep // 4:
                self.short.add(host)
            self._want(host, top)

    def holds(self, host: str, key: Key) -> bool:
        """Its rank is held."""
        top = self.owned.get(host)
        if top is None:
            return False
        at = bisect_left(top.keys, key)
        return at < len(top.keys) and top.keys[at] == key

    def numbers(self) -> Iterator[int]:
        """Of all that is held."""
        return (number for top in self.owned.values() for _, number in top.keys)

    def _want(self, host: str, top: Top) -> None:
        if not self._is_away and host not in self.leaving and host not in self.read_now:
            self._hosts.want(host, top.best())

    def _clean(self, top: Top) -> None:
        while top.keys and not self._waits(top.keys[0]):
            del top.keys[0]

    def _cut(self, top: Top) -> None:
        top.keys = [key for key in top.keys if self._waits(key)]
        behind = top.keys[self.keep :]
        if behind:
            del top.keys[self.keep :]
            top.bound = min(top.bound, behind[0])
