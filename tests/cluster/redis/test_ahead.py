"""A worker that asks ahead: what it hears later counts only as far as nothing changed here meanwhile."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from frontier_calls import lease, push, until
from redis_server import RedisServer

from topiccrawler.cluster.redis.client import Client
from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import join
from topiccrawler.crawling.sharing import Prefetch
from topiccrawler.frontier.base import Pushed, State

Worker = Callable[[], RedisFrontier]


@pytest.fixture
def worker(redis_server: RedisServer, request: pytest.FixtureRequest) -> Worker:
    """One more worker of the same crawl."""
    job = uuid4().hex

    def joined() -> RedisFrontier:
        frontier = RedisFrontier(join(Client(redis_server.url, job), call_seconds=60.0))
        request.addfinalizer(frontier.close)
        return frontier

    return joined


def asked(frontier: RedisFrontier, *paths: str) -> Prefetch:
    ahead = frontier.prefetch(f"http://{path}" for path in paths)
    assert ahead is not None
    return ahead


def received(ahead: Prefetch) -> None:
    ahead.answers[0].result(60.0)
    ahead.receive()


def calls(frontier: RedisFrontier) -> Any:
    return frontier.figures()["calls"]


def test_what_was_received_is_not_asked_for_again(worker: Worker) -> None:
    first = worker()
    push(first, ("a/1", 1.0))
    first.commit()
    second = worker()
    received(asked(second, "a/1", "b/1"))
    before = calls(second)
    assert not second.look().is_new_anchor("http://a/1", "")
    assert second.look().is_new_anchor("http://b/1", "x")
    assert second.prefetch(["http://a/1", "http://b/1"]) is None
    assert push(second, ("a/1", 0.5), ("b/1", 1.0)) == {"kept": 1, "new": 1}
    assert calls(second) == before


def test_a_url_that_was_fetched_meanwhile_is_not_fetched_again(worker: Worker) -> None:
    frontier = worker()
    received(asked(frontier, "a/0"))  # the host is its own
    late = asked(frontier, "a/1")  # of a page that is read for long
    received(asked(frontier, "a/1"))
    push(frontier, ("a/1", 1.0))
    assert lease(frontier) == "a/1"
    frontier.end("http://a/1", State.COMPLETED, "kept", 0.0)
    frontier.commit()
    received(late)  # it says that the URL is new
    assert not frontier.look().is_open("http://a/1")
    assert push(frontier, ("a/1", 9.0)) == {Pushed.KNOWN.value: 1}
    assert lease(frontier) is None


def test_what_was_pushed_to_a_host_meanwhile_is_leased_in_its_turn(worker: Worker) -> None:
    frontier = worker()
    late = asked(frontier, "a/1")  # takes the host, which is received later
    push(frontier, ("a/2", 2.0), ("a/1", 1.0))
    received(late)
    got: list[str | None] = []
    until(lambda: got.append(lease(frontier)) or got[-1] is not None)
    assert got[-1] == "a/2"
    frontier.end("http://a/2", State.COMPLETED, "kept", 0.0)
    until(lambda: got.append(lease(frontier)) or got[-1] is not None)
    assert got[-1] == "a/1"


def test_a_host_whose_asker_is_gone_is_worked_on_all_the_same(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topiccrawler.cluster.redis.worker.STALE_SECONDS", 0.0)
    first, second = worker(), worker()
    asked(first, "a/1").answers[0].result(60.0)  # and its page is never visited
    push(second, ("a/1", 1.0))
    second.commit()
    until(lambda: lease(first) == "a/1")


def test_no_answer_is_waited_for_that_cannot_come(worker: Worker) -> None:
    frontier = worker()
    frontier.close(commit=False)
    ahead = frontier.prefetch(["http://a/1"])
    assert ahead is None or ahead.answers[0].done()
