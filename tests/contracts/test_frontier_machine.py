"""Every frontier against a dict and max(), in any order of calls, with the clock, leases and reopening."""

import tempfile
from functools import partial
from math import inf
from pathlib import Path
from typing import ClassVar
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from hypothesis_profiles import examples
from redis_server import RedisServer
from synchronous_redis_frontier import PromptFrontier

from topiccrawler.cluster.redis import client
from topiccrawler.cluster.redis.client import Client
from topiccrawler.cluster.redis.joining import join
from topiccrawler.cluster.redis.records import script
from topiccrawler.frontier.base import Frontier, Leased, Pushed, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Score

pytestmark = pytest.mark.slow

LEASE_SECONDS = 20.0
URLS = [f"http://{host}/{n}" for host in "abc" for n in range(8)]
urls = st.sampled_from(URLS)
values = st.integers(-3, 3).map(float)
offers = st.lists(st.tuples(urls, values, st.sampled_from(["x", "y", "词"])), max_size=12)


def host_of(url: str) -> str:
    return url.removeprefix("http://").partition("/")[0]


class Url:
    """The model's row."""

    def __init__(self, number: int, now: float) -> None:
        self.number = number
        self.state = State.WAITING
        self.reason = ""
        self.added = self.changed = now
        self.offer: tuple[float, str, float, int] = (0.0, "", 0.0, 0)  # score, anchor, carry, tunnel
        self.seen_anchors: set[str] = set()
        self.tries = 0

    def move(self, state: State, reason: str, now: float) -> None:
        self.state, self.reason, self.changed = state, reason, now


class FrontierMachine(RuleBasedStateMachine):
    """Drives a frontier and a model of it side by side."""

    bound: ClassVar[int | None] = None  # None = in memory

    @initialize(delay=st.sampled_from([0.0, 2.0, 5.0]), concurrency=st.integers(1, 2))
    def start(self, delay: float, concurrency: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.delay, self.concurrency = delay, concurrency
        self.now = 100.0
        self.model: dict[str, Url] = {}
        self.leases: dict[str, tuple[float, bool]] = {}  # url -> deadline, holds a slot
        self.aside: set[str] = set()
        self.frontier = self.opened()

    def opened(self) -> Frontier:
        self.requests: dict[str, int] = {}
        self.clock: dict[str, float] = {}
        return self.made(Hosts(self.delay, self.concurrency))

    def made(self, hosts: Hosts) -> Frontier:
        if self.bound is None:
            return MemoryFrontier(hosts, lease_seconds=LEASE_SECONDS)
        path = Path(self.folder.name) / "frontier.db"
        return SqliteFrontier(path, hosts, lease_seconds=LEASE_SECONDS, memory_urls=self.bound)

    def teardown(self) -> None:
        if hasattr(self, "frontier"):
            self.frontier.close()
            self.folder.cleanup()

    def ready(self, host: str) -> bool:
        return self.clock.get(host, -inf) <= self.now and self.requests.get(host, 0) < self.concurrency

    def waiting(self) -> list[str]:
        return [url for url, row in self.model.items() if row.state is State.WAITING]

    def queued(self) -> list[str]:
        return [url for url in self.waiting() if url not in self.aside]

    def best(self) -> str | None:
        free = [url for url in self.queued() if self.ready(host_of(url))]
        return max(free, key=lambda url: (self.model[url].offer[0], -self.model[url].number), default=None)

    def end(self, url: str) -> None:
        if self.leases.pop(url)[1]:
            self.requests[host_of(url)] -= 1

    @rule(offers=offers, again=st.booleans(), tunnel=st.integers(0, 2), carry=values)
    def push(self, offers: list[tuple[str, float, str]], again: bool, tunnel: int, carry: float) -> None:
        expected = dict.fromkeys(Pushed, 0)
        for url, value, anchor in offers:
            row = self.model.get(url)
            if row is None:
                outcome = Pushed.NEW
                row = self.model[url] = Url(len(self.model), self.now)
                row.seen_anchors.add(anchor)
            elif row.state is State.WAITING:
                outcome = Pushed.RAISED if value > row.offer[0] else Pushed.KEPT
            elif again and row.state is not State.PROCESSING:
                outcome = Pushed.NEW
                row.move(State.WAITING, "", self.now)
                row.tries = 0
            else:
                outcome = Pushed.KNOWN
            expected[outcome] += 1
            if outcome in {Pushed.NEW, Pushed.RAISED}:
                row.offer = (value, anchor, carry, tunnel)
        rows = [(Link(url, host_of(url), anchor), Score(url, value, carry)) for url, value, anchor in offers]
        assert self.frontier.push(rows, now=self.now, tunnel=tunnel, again=again) == expected

    @rule(url=urls, text=st.sampled_from(["x", "y", "词"]))
    def is_new_anchor(self, url: str, text: str) -> None:
        row = self.model.get(url)
        new = row is None or (row.state is State.WAITING and text not in row.seen_anchors)
        assert self.frontier.look().is_new_anchor(url, text) == new
        if row is not None and new:
            row.seen_anchors.add(text)

    @rule(refused=st.sets(urls, max_size=8))
    def lease(self, refused: set[str]) -> None:
        while (url := self.best()) in refused:
            self.model[url].move(State.DISCARDED, "refused", self.now)
        leased = self.frontier.lease(self.now, lambda offer: "refused" if offer.link.url in refused else None)
        if url is None:
            assert leased is None
            return
        row = self.model[url]
        value, anchor, carry, tunnel = row.offer
        deadline = self.now + LEASE_SECONDS
        assert leased == Leased(
            Link(url, host_of(url), anchor), value, carry, tunnel, b"", deadline, row.tries
        )
        row.move(State.PROCESSING, "", self.now)
        self.leases[url] = (deadline, True)
        self.requests[host_of(url)] = self.requests.get(host_of(url), 0) + 1
        self.clock[host_of(url)] = self.now + self.delay

    @rule(url=urls, value=values)
    def lease_target(self, url: str, value: float) -> None:
        row = self.model.get(url)
        expected = row is None or row.state is State.WAITING
        target = (Link(url, host_of(url), "target"), Score(url, value))
        assert (self.frontier.lease(self.now, target=target) is not None) is expected
        if row is None:
            row = self.model[url] = Url(len(self.model), self.now)
            row.offer = (value, "target", 0.0, 0)
        if expected:
            self.aside.discard(url)
            row.move(State.PROCESSING, "", self.now)
            self.leases[url] = (self.now + LEASE_SECONDS, False)

    @rule(url=urls)
    def release_slot(self, url: str) -> None:
        holds = url in self.leases and self.leases[url][1]
        assert self.frontier.release(self.now, [url], slots_only=True) == holds
        if holds:
            self.leases[url] = (self.leases[url][0], False)
            self.requests[host_of(url)] -= 1

    @rule(url=urls, state=st.sampled_from([State.COMPLETED, State.DISCARDED, State.ERROR]))
    def end_lease(self, url: str, state: State) -> None:
        self.frontier.end(url, state, "why", self.now)
        if url in self.leases:
            self.end(url)
            self.model[url].move(state, "why", self.now)

    @rule(named=st.one_of(st.none(), st.lists(urls, max_size=4)))
    def release(self, named: list[str] | None) -> None:
        wanted = (
            [url for url, lease in self.leases.items() if lease[0] <= self.now] if named is None else named
        )
        back = list(dict.fromkeys(url for url in wanted if url in self.leases))
        assert self.frontier.release(self.now, named) == len(back)
        for url in back:
            self.end(url)
            self.model[url].move(State.WAITING, "", self.now)

    @rule(named=st.lists(urls, max_size=4))
    def set_aside(self, named: list[str]) -> None:
        back = list(dict.fromkeys(url for url in named if url in self.leases))
        assert self.frontier.release(self.now, named, reason="timeout") == len(back)
        for url in back:
            self.end(url)
            self.model[url].move(State.WAITING, "timeout", self.now)
            self.aside.add(url)

    @rule(named=st.lists(urls, max_size=4))
    def recall(self, named: list[str]) -> None:
        self.frontier.recall(named)
        self.aside.difference_update(named)

    @rule(url=urls)
    def count_try(self, url: str) -> None:
        row = self.model.get(url)
        if row is not None and (url in self.leases or url in self.aside):
            row.tries += 1
            assert self.frontier.count_try(url) == row.tries

    @rule(scores=st.lists(st.tuples(urls, values, values), max_size=12))
    def rescore(self, scores: list[tuple[str, float, float]]) -> None:
        changed = 0
        for url, value, carry in scores:
            if url in self.model and self.model[url].state is State.WAITING:
                old, anchor, _, tunnel = self.model[url].offer
                changed += old != value
                self.model[url].offer = (value, anchor, carry, tunnel)
        assert self.frontier.rescore(Score(*score) for score in scores) == changed

    @rule(seconds=st.sampled_from([0.5, 1.0, 2.0, 7.0, 30.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: self.bound is not None)
    @rule()
    def reopen(self) -> None:
        self.frontier.close()
        self.frontier = self.opened()
        for url in self.leases:
            self.model[url].state = State.WAITING
        self.leases.clear()
        self.aside.clear()

    @invariant()
    def counts_agree(self) -> None:
        if not hasattr(self, "frontier"):
            return
        counts = dict.fromkeys(State, 0)
        for row in self.model.values():
            counts[row.state] += 1
        assert self.frontier.look().counts() == counts
        assert self.frontier.look().waiting() == counts[State.WAITING]

    @invariant()
    def the_next_ready_time_agrees(self) -> None:
        if not hasattr(self, "frontier"):
            return
        hosts = {
            host_of(url) for url in self.queued() if self.requests.get(host_of(url), 0) < self.concurrency
        }
        due = min((max(self.now, self.clock.get(host, -inf)) for host in hosts), default=None)
        assert self.frontier.hosts.next_ready(self.now) == due

    @rule()
    def rows_agree(self) -> None:
        rows = [
            (one.link.url, one.score, one.link.anchor, one.carry, one.tunnel, one.state, one.reason, one.added, one.changed, one.tries)
            for one in self.frontier.look().rows()
        ]  # fmt: skip
        assert rows == [
            (url, *row.offer, row.state, row.reason, row.added, row.changed, row.tries)
            for url, row in self.model.items()
        ]
        assert [link.url for link in self.frontier.look().queued()] == self.waiting()


class SqliteMachine(FrontierMachine):
    bound = 0


class BoundedMachine(FrontierMachine):
    bound = 5


class RedisMachine(FrontierMachine):
    server: ClassVar[RedisServer]

    def made(self, hosts: Hosts) -> Frontier:
        joined = join(Client(self.server.url, uuid4().hex), call_seconds=60.0)
        return PromptFrontier(joined, hosts, lease_seconds=LEASE_SECONDS, keep=2)


_quick = settings(max_examples=examples(28), stateful_step_count=40, suppress_health_check=list(HealthCheck))

TestMemory = FrontierMachine.TestCase
TestMemory.settings = _quick
TestSqlite = SqliteMachine.TestCase
TestSqlite.settings = _quick
TestBounded = BoundedMachine.TestCase
TestBounded.settings = _quick


def test_one_worker_on_redis_agrees_too(redis_server: RedisServer) -> None:
    RedisMachine.server = redis_server
    run_state_machine_as_test(RedisMachine, settings=_quick)


def test_it_agrees_with_queues_in_many_chunks(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    RedisMachine.server = redis_server
    monkeypatch.setattr(client, "script", partial(script, head=4, chunk=2))
    run_state_machine_as_test(RedisMachine, settings=_quick)
