"""What processes of one crawl learn together: on a real server, several of them in one test."""

from __future__ import annotations

import json
import logging
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as drawn
from redis_server import RedisServer

from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.page_entries import whole_entry_of
from topiccrawler.frontier.base import Pushed, State
from topiccrawler.frontier.redis.client import Client
from topiccrawler.frontier.redis.exchange import learned_of
from topiccrawler.frontier.redis.frontier import RedisFrontier
from topiccrawler.frontier.redis.joining import join
from topiccrawler.model import Link, Page, Score, Via
from topiccrawler.strategies.base import Strategy

PAGES = 60
PATIENCE = 120.0  # seconds: an answer comes from a thread, which a busy machine may keep waiting


@dataclass
class Whole(Strategy):
    """Remembers the pages it was shown, in order; must see them whole."""

    name: ClassVar[str] = "whole"
    refresh_every: ClassVar[int] = 7
    _seen: list[str] = field(default_factory=list, init=False)
    _refreshes: int = field(default=0, init=False)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        self._seen.append(page.url)
        return [Score(link.url, float(hash_of(link.url, len(self._seen)))) for link in links]

    def refresh(self, queued: Iterable[Link]) -> Iterable[Score]:
        self._refreshes += 1
        return [Score(link.url, float(hash_of(link.url, self._refreshes))) for link in queued]

    def save(self) -> Mapping[str, Any]:
        return {"seen": list(self._seen)}

    def load(self, state: Mapping[str, Any]) -> None:
        self._seen = [str(url) for url in state["seen"]]


@dataclass
class Taking(Whole):
    """The same, and knows by an address what there is to learn."""

    name: ClassVar[str] = "taking"

    def taken(self) -> str:
        return self._seen[-1]

    def take(self, taken: str) -> None:
        self._seen.append(taken + "")


def hash_of(url: str, key: int) -> int:
    return sum(ord(c) * (key + i) for i, c in enumerate(url)) % 997


def address(number: int) -> str:
    return f"http://h{number % 5}.cn/{number}"


class Process:
    """One of a crawl: it fetches a page when it is told to."""

    def __init__(self, server: RedisServer, job: str, kind: type[Whole]) -> None:
        self.strategy = kind()
        self.frontier = RedisFrontier(
            join(server.url, job, call_seconds=60.0), acknowledgements_per_commit=10**9
        )
        self.ordering = Ordering(
            self.strategy, self.frontier, durable=True, checkpoint_pages=3, learning_seconds=0.0
        )
        self.session = self.frontier._worker.session
        self.pushed: Counter[Pushed] = Counter(self.ordering.seed([Link(address(0), "h0.cn")], 0.0))
        self.frontier.commit()

    @property
    def seen(self) -> list[str]:
        return [url for url in self.strategy._seen if url != "root:"]

    @property
    def leads(self) -> bool:
        return bool(self.figures()["frontier/learner"])

    def figures(self) -> Mapping[str, float]:
        return self.ordering.learning_figures()

    def look(self) -> bool:
        """What the engine does again and again; False when the crawl is done."""
        self.pushed.update(self.ordering.learn(0.0))
        return self.frontier.pending()

    def fetch(self) -> str | None:
        """Lease, read and end a page; its address."""
        self.look()
        leased = self.ordering.lease(0.0)
        if leased is None:
            return None
        number = int(leased.link.url.rpartition("/")[2])
        below = [n for n in range(3 * number + 1, 3 * number + 4) if n < PAGES]
        links = [Link(address(n), f"h{n % 5}.cn", "基金\ud800", source_url=leased.link.url) for n in below]
        page = Page(leased.link.url, terms={"基金": 1.0}, via=Via(leased.link, leased.score))
        self.pushed.update(self.ordering.visit(page, links, 0.0))
        self.ordering.acknowledge(leased.link.url, State.COMPLETED, "kept", 0.0)
        self.frontier.commit()
        return leased.link.url

    def stop(self) -> None:
        self.ordering.checkpoint()
        self.frontier.close()


def patiently() -> Iterator[None]:
    """Steps, as long as one has patience."""
    until = monotonic() + PATIENCE
    while monotonic() < until:
        yield


class Crowd:
    """Processes that come and go."""

    def __init__(self, server: RedisServer, kind: type[Whole]) -> None:
        self.server, self.kind, self.job = server, kind, uuid4().hex
        self.client = Client(server.url, self.job)
        self.living: list[Process] = []
        self.fetched: list[str] = []

    def join(self) -> Process:
        self.living.append(Process(self.server, self.job, self.kind))
        return self.living[-1]

    def kill(self, process: Process) -> None:
        """As `kill -9` does, and somebody on its machine sees that it is gone."""
        self.living.remove(process)
        process.frontier.abandon()
        self.client.run("leave", [process.session])

    def fetch(self, process: Process) -> None:
        if (url := process.fetch()) is not None:
            self.fetched.append(url)

    def until(self, what: Callable[[], object]) -> None:
        for _ in patiently():
            if what():
                return
            for process in self.living:
                process.look()
        raise AssertionError("it never came")

    def drain(self) -> None:
        """Fetch all there is, together, until all are done."""
        for _ in patiently():
            for process in self.living:
                self.fetch(process)
            if not any(process.look() for process in self.living):
                return
        raise AssertionError("the crawl never ends")

    @property
    def learner(self) -> Process | None:
        return next((process for process in self.living if process.leads), None)

    def state(self) -> list[str]:
        """What the newest published state saw."""
        found = learned_of(self.client.run("learned", []))
        return [] if found is None else json.loads(found.text)["state"]["seen"]


@pytest.fixture(params=[Whole, Taking])
def crowd(request: pytest.FixtureRequest, redis_server: RedisServer) -> Iterator[Crowd]:
    made = Crowd(redis_server, request.param)
    yield made
    for process in made.living:
        process.stop()


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topiccrawler.frontier.redis.frontier.TICK_SECONDS", 0.0)
    for name in ("LOOK_SECONDS", "LOOK_WHOLE_SECONDS", "PAUSES"):
        monkeypatch.setattr(f"topiccrawler.crawling.shared_learning.{name}", 0)


def test_one_learns_from_the_pages_of_all_each_once_and_the_crawl_ends_when_it_has(crowd: Crowd) -> None:
    first, second, third = crowd.join(), crowd.join(), crowd.join()
    crowd.drain()
    assert Counter(crowd.fetched) == dict.fromkeys(map(address, range(PAGES)), 1)
    learner = crowd.learner
    assert learner is not None
    assert sum(process.leads for process in (first, second, third)) == 1
    assert sorted(learner.seen) == sorted(crowd.fetched)
    crowd.until(lambda: all(not process.figures()["strategy/learning_lag_pages"] for process in crowd.living))
    if crowd.kind is Whole:
        alone = Whole()
        for url in learner.strategy._seen:
            list(alone.visit(Page(url), ()))
        assert alone._seen == learner.strategy._seen
        assert [process.seen for process in crowd.living if process is not learner] == [[], []]
        assert learner.pushed[Pushed.NEW] == PAGES
    else:
        assert sum(process.pushed[Pushed.NEW] for process in crowd.living) == PAGES
        followers = [process for process in crowd.living if process is not learner]
        crowd.until(lambda: all(sorted(process.seen) == sorted(crowd.fetched) for process in followers))


def test_what_is_published_cuts_the_stream_and_serves_who_comes_later(crowd: Crowd) -> None:
    first = crowd.join()
    crowd.until(lambda: first.leads)
    crowd.until(lambda: crowd.fetch(first) or len(crowd.fetched) == 10)
    crowd.until(lambda: len(first.seen) == 10)
    first.stop()
    crowd.living.clear()
    assert [url for url in crowd.state() if url != "root:"] == first.seen
    assert len(crowd.client.read("XRANGE", "seen", "-", "+")) <= (1 if crowd.kind is Whole else 10)
    second = crowd.join()
    crowd.until(lambda: second.leads)
    assert second.seen == first.seen
    crowd.drain()
    assert Counter(second.seen) == dict.fromkeys(map(address, range(PAGES)), 1)


def test_a_damaged_entry_is_one_line_and_the_others_count(
    crowd: Crowd, caplog: pytest.LogCaptureFixture
) -> None:
    first = crowd.join()
    crowd.until(lambda: first.leads)
    damaged = (
        b"no entry",
        zlib.compress(b'{"page": 1}'),
        zlib.compress(b'{"taken": 7}'),
        zlib.compress(b"[]"),
    )
    page = Page("http://x.cn/")
    sound = zlib.compress(whole_entry_of(Whole(), page, []).encode())
    if crowd.kind is Taking:
        sound = zlib.compress(json.dumps({"taken": page.url}).encode())
    for number, text in enumerate((sound, *damaged, sound), 1):
        fields = ("s", "stranger", "n", number, "e", text)
        crowd.client.read("XADD", "seen", "*", *fields)
    with caplog.at_level(logging.WARNING):
        crowd.drain()
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == len(damaged) - (crowd.kind is Whole)  # it takes nothing, be it what it may
    assert all(text.startswith("What process stranger told of a page is damaged (") for text in told)
    assert sorted(first.seen) == sorted([*crowd.fetched, "http://x.cn/", "http://x.cn/"])


def test_a_damaged_state_is_one_line_and_what_was_told_since_counts(
    crowd: Crowd, caplog: pytest.LogCaptureFixture
) -> None:
    first = crowd.join()
    crowd.until(lambda: crowd.fetch(first) or len(crowd.fetched) == 10)
    crowd.kill(first)
    told = len(crowd.client.read("XRANGE", "seen", "-", "+"))
    crowd.client.read(
        "HSET", "learned", "number", 99, "state", "{", "by", "x", "taken", "[]", "entries", "many"
    )
    with caplog.at_level(logging.WARNING):
        second = crowd.join()
        crowd.until(lambda: second.leads and len(second.strategy._seen) >= told - 1)
    lines = [record.getMessage().partition(" (")[0] for record in caplog.records]
    assert set(lines) == {"What state 99 of the crawl covers is damaged", "State 99 of the crawl is damaged"}
    assert len(lines) <= 4
    crowd.drain()


@settings(max_examples=12, deadline=None)
@given(
    kind=drawn.sampled_from([Whole, Taking]),
    steps=drawn.lists(drawn.tuples(drawn.sampled_from("fffllk"), drawn.integers(0, 2)), max_size=60),
)
def test_a_learner_that_dies_at_any_moment_loses_no_page(
    redis_server: RedisServer, kind: type[Whole], steps: list[tuple[str, int]]
) -> None:
    crowd = Crowd(redis_server, kind)
    for _ in range(3):
        crowd.join()
    for what, which in steps:
        process = crowd.living[which]
        if what == "f":
            crowd.fetch(process)
        elif what == "l":
            process.look()
        else:
            crowd.kill(crowd.learner or process)
            crowd.join()
    crowd.drain()
    learner = crowd.learner
    assert learner is not None
    assert set(learner.seen) == set(crowd.fetched) == set(map(address, range(PAGES)))
    again = Counter(crowd.fetched)
    assert all(count <= again[url] for url, count in Counter(learner.seen).items())
    for process in crowd.living:
        process.stop()
