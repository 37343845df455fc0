"""What becomes of the workers of a crawl when their Redis dies, hangs or forgets."""

import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from frontier_calls import lease, push, states, until
from redis_server import RedisServer

from topiccrawler.cluster.redis.client import Client
from topiccrawler.cluster.redis.connection import Call
from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import join
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State

pytestmark = pytest.mark.slow


@pytest.fixture
def own_server() -> Iterator[RedisServer]:
    """A server that a test may kill."""
    server = RedisServer().start()
    yield server
    server.stop()


def test_a_server_that_lost_its_last_writes_gets_them_again(own_server: RedisServer) -> None:
    frontier = RedisFrontier(join(Client(own_server.url, "lost"), call_seconds=60.0))
    push(frontier, ("a/1", 1.0))
    assert states(frontier) == {"waiting": 1}
    log = max(Path(own_server.folder.name).rglob("*.aof"), key=lambda path: path.stat().st_size)
    before = log.stat().st_size
    push(frontier, ("b/1", 2.0))
    assert lease(frontier) == "b/1"
    frontier.end("http://b/1", State.COMPLETED, "", 0.0)
    assert states(frontier) == {"waiting": 1, "completed": 1}
    own_server.kill()
    with log.open("r+b") as file:
        file.truncate(before)
    own_server.start()
    push(frontier, ("c/1", 3.0), ("b/1", 9.0))  # while it is away, for all that this worker knows
    leased: set[str | None] = set()
    until(lambda: leased.add(lease(frontier)) or leased >= {"a/1", "c/1"})
    assert frontier.figures()["outages"] == 1
    assert leased - {None} == {"a/1", "c/1"}
    assert states(frontier) == {"completed": 1, "processing": 2}
    frontier.close()


def test_a_server_that_forgot_which_numbers_it_gave_gives_none_of_them_again(own_server: RedisServer) -> None:
    own_server.client().set("something", 1)
    log = max(Path(own_server.folder.name).rglob("*.aof"), key=lambda path: path.stat().st_size)
    before = log.stat().st_size
    frontier = RedisFrontier(join(Client(own_server.url, "lost"), call_seconds=60.0))
    push(frontier, ("a/1", 1.0), ("b/1", 2.0))
    assert states(frontier) == {"waiting": 2}
    own_server.kill()
    with log.open("r+b") as file:
        file.truncate(before)
    push(frontier, ("c/1", 3.0), ("d/1", 4.0))  # numbered by the server once it is back
    own_server.start()
    leased: set[str | None] = set()
    until(lambda: leased.add(lease(frontier)) or len(leased - {None}) == 4)
    assert leased - {None} == {"a/1", "b/1", "c/1", "d/1"}
    assert sorted(row.link.url for row in frontier.look().rows()) == sorted(
        f"http://{url}" for url in ("a/1", "b/1", "c/1", "d/1")
    )
    frontier.close()


def test_who_is_back_first_does_not_take_what_a_killed_server_forgot_that_another_has(
    own_server: RedisServer,
) -> None:
    first, second = (RedisFrontier(join(Client(own_server.url, "lost"), call_seconds=60.0)) for _ in range(2))
    until(lambda: first.pending() is second.pending())
    log = max(Path(own_server.folder.name).rglob("*.aof"), key=lambda path: path.stat().st_size)
    before = log.stat().st_size
    push(first, ("a/1", 1.0))
    assert lease(first) == "a/1"
    first.end("http://a/1", State.COMPLETED, "", 0.0)
    assert states(first) == {"completed": 1}
    own_server.kill()
    with log.open("r+b") as file:
        file.truncate(before)
    own_server.start()
    push(second, ("a/1", 1.0))  # as it would after a page that links there
    until(lambda: (second.figures()["outages"] == 1 and not second.worker.away) or second.lease(0.0))
    assert lease(second) is None
    until(lambda: first.lease(0.0) is None and states(second) == {"completed": 1})
    assert first.figures()["fenced"] == 0
    for frontier in (first, second):
        frontier.close()


def test_a_server_that_stays_away_ends_the_crawl_in_one_line(own_server: RedisServer) -> None:
    frontier = RedisFrontier(join(Client(own_server.url, "gone")), outage_seconds=0.2)
    push(frontier, ("a/1", 1.0))
    own_server.kill()
    assert frontier.pending()
    with pytest.raises(StateError, match="0 s"):
        until(
            lambda: frontier.lease(0.0) is None and False
        )  # what is at hand may be leased until it is noticed
    assert push(frontier, ("a/2", 1.0)) == {"new": 1}  # kept for the server, in vain
    frontier.close(commit=False)


def test_a_server_that_lags_behind_is_reported_once(
    own_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    place = join(Client(own_server.url, "slow"), call_seconds=0.2)
    run = place.client.run

    def slowly(name: str, arguments: Sequence[object]) -> object:
        time.sleep(0.05)
        return run(name, arguments)

    place.client.run = slowly
    frontier = RedisFrontier(place)
    connection, last = frontier.worker.connection, Call("counts", [])
    for _ in range(20):
        connection.send([])
    connection.begin(last)
    while not last.done.is_set():
        connection.miss(last)
        time.sleep(0.005)
    until(lambda: connection.away_since is None)
    assert sum(own_server.url in record.message for record in caplog.records) == 1
    frontier.close()


def test_a_server_that_hangs_does_not_hold_the_caller(own_server: RedisServer) -> None:
    frontier = RedisFrontier(join(Client(own_server.url, "hangs")))
    push(frontier, ("a/1", 1.0), ("b/1", 0.5))
    assert states(frontier) == {"waiting": 2}
    own_server.process.send_signal(signal.SIGSTOP)
    frontier.look().is_open("http://c/1")  # waits a moment, then the server counts as away
    assert frontier.lease(0.0) is None
    own_server.process.send_signal(signal.SIGCONT)
    until(lambda: lease(frontier) == "a/1")
    assert frontier.figures()["outages"] == 1
    frontier.close()
