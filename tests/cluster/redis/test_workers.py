"""Several workers on one crawl in Redis: who has a host, what one hears of another, and what becomes of a worker that dies."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import redis
from frontier_calls import drain, lease, lease_target, push, states, until
from redis_server import RedisServer

from topiccrawler.cluster.redis.client import Client, clients_of
from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import has_ended, identity, join
from topiccrawler.cluster.redis.records import redacted
from topiccrawler.cluster.redis.server import RedisView
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.budgets import Allowance, Budgets
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Score
from topiccrawler.strategies import build

Worker = Callable[..., RedisFrontier]
ROOT = Path(__file__).parents[3]


@pytest.fixture
def worker(redis_server: RedisServer) -> Iterator[Worker]:
    """A further worker on the test's crawl."""
    made: list[RedisFrontier] = []
    job = uuid4().hex

    def build(hosts: Hosts | None = None, worker_seconds: float = 30.0, **options: float) -> RedisFrontier:
        client = Client(redis_server.url, job)
        place = join(client, {"topic": "finance"}, worker_seconds=worker_seconds, call_seconds=60.0)
        made.append(RedisFrontier(place, hosts, **options))
        return made[-1]

    yield build
    for frontier in made:
        frontier.close()


@pytest.mark.slow
def test_a_host_is_one_workers_at_a_time_and_no_url_goes_out_twice(worker: Worker) -> None:
    first, second = worker(), worker()
    push(first, *((f"{host}/{n}", 1.0) for host in "abcdefgh" for n in range(3)))
    leased: list[str] = []
    until(lambda: first.pending() and second.pending() and second.figures()["hosts"])

    def both_lease() -> bool:
        for frontier in (first, second):
            if (url := lease(frontier)) is not None:
                leased.append(url)
                frontier.end(f"http://{url}", State.COMPLETED, "", 0.0)
        return len(leased) == 24

    until(both_lease)
    assert len(set(leased)) == 24
    assert first.figures()["fenced"] == second.figures()["fenced"] == 0
    assert min(first.figures()["hand_overs"], second.figures()["hand_overs"]) > 0
    until(lambda: [first.pending(), second.pending()] == [False, False])
    assert states(first) == states(second) == {"completed": 24}


def test_what_another_worker_pushes_to_a_host_comes_in_its_turn(worker: Worker) -> None:
    first, second = worker(), worker()
    push(first, ("a/1", 0.5), ("a/2", 0.4))
    assert (lease(first), states(first)) == ("a/1", {"waiting": 1, "processing": 1})
    assert push(second, ("a/1", 3.0), ("a/2", 0.9), ("a/3", 0.8)) == {"new": 1, "raised": 1, "known": 1}
    second.commit()
    first.end("http://a/1", State.COMPLETED, "", 0.0)
    order: list[str] = []
    until(lambda: order.extend(drain(first)) or len(order) == 2)
    assert order == ["a/2", "a/3"]


def test_a_hosts_gap_holds_when_it_changes_hands(worker: Worker) -> None:
    first = worker(Hosts(delay_seconds=10.0))
    now = time.time()
    push(first, ("a/1", 1.0), ("a/2", 1.0), now=now)
    assert lease(first, now) == "a/1"
    first.hosts.set_delay("a", 30.0, "robots")
    first.end("http://a/1", State.COMPLETED, "", now)
    first.close()
    second = worker(Hosts(delay_seconds=1.0))
    second.look().is_open("http://a/2")
    assert lease(second, now + 1) is None
    due = second.hosts.ready_at("a")
    assert due == pytest.approx(now + 30.0, abs=0.5)
    assert (second.hosts.waiting_reason("a", now + 1), second.hosts.delays("a")) == (
        "robots",
        {"robots": 30.0},
    )
    assert lease(second, due) == "a/2"


def test_a_hosts_budget_holds_when_it_changes_hands(worker: Worker) -> None:
    """Three pages of the host: two by the first owner, who says nothing of unproductive ones, and one by the second."""

    def fetched(frontier: RedisFrontier, budgets: Budgets) -> list[str]:
        ordering = Ordering(build("breadth_first"), frontier, budgets, shared=frontier)
        urls: list[str] = []
        while len(urls) < 2 and (leased := ordering.lease(0.0)) is not None:
            ordering.end(leased.link.url, State.COMPLETED, "", 0.0)
            urls.append(leased.link.url)
        return urls

    first = worker()
    push(first, *((f"a/{n}", 1.0 - n / 10) for n in range(6)))
    assert fetched(first, Budgets(first, Allowance(host_pages=3))) == ["http://a/0", "http://a/1"]
    first.close()
    second = worker()
    budgets = Budgets(second, Allowance(host_pages=3))
    second.look().is_open("http://a/3")
    assert fetched(second, budgets) == ["http://a/2"]
    assert (budgets.closed, states(second)) == ({"a": "host budget"}, {"completed": 3, "waiting": 3})
    second.close()
    third = worker()
    assert Budgets(third, Allowance(host_pages=3)).closed == {"a": "host budget"}  # a note of the slot
    assert lease(third) is None


@pytest.mark.parametrize(("budget", "again"), [(3, []), (5, ["http://a/3", "http://a/4"])])
def test_a_closed_host_keeps_its_page_counts_for_another_run(
    worker: Worker, budget: int, again: list[str]
) -> None:
    """The next run begins on slot 0, whose notes do not have the counts of the worker on slot 1."""
    beside, owner = worker(), worker()
    owner.look().is_open("http://a/0")
    push(owner, *((f"a/{n}", 1.0 - n / 10) for n in range(8)))

    def fetched(frontier: RedisFrontier, most: int) -> list[str]:
        budgets = Budgets(frontier, Allowance(host_pages=most))
        ordering = Ordering(build("breadth_first"), frontier, budgets, shared=frontier)
        urls: list[str] = []
        frontier.look().is_open("http://a/7")
        while (leased := ordering.lease(0.0)) is not None:
            ordering.end(leased.link.url, State.COMPLETED, "", 0.0)
            urls.append(leased.link.url)
        assert budgets.closed == {"a": "host budget"}
        return urls

    assert fetched(owner, 3) == ["http://a/0", "http://a/1", "http://a/2"]
    for frontier in (owner, beside):
        frontier.close()
    next_run = worker()
    assert (next_run.worker.slot, fetched(next_run, budget)) == (0, again)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"pages": 9}', '{"pages": "x", "dry": 0, "shapes": {}, "recent": []}']
)
def test_a_damaged_record_of_a_host_tells_nothing(worker: Worker, text: str) -> None:
    budgets = Budgets(worker(), Allowance(host_pages=3))
    budgets.merge_record("a", text)
    assert (budgets.closed, budgets.dump_record("a")) == ({}, "")


@pytest.mark.slow
def test_a_workers_leases_wait_again_when_it_gives_no_sign(worker: Worker) -> None:
    dead = worker(worker_seconds=0.5)
    push(dead, ("a/1", 2.0), ("a/2", 1.0))
    assert lease(dead) == "a/1"
    assert states(dead) == {"waiting": 1, "processing": 1}  # its changes are made
    dead.worker.connection.close()  # no more signs, as after a kill
    other = worker(worker_seconds=0.5)
    order: list[str] = []
    until(lambda: order.extend(drain(other)) or len(order) == 2)
    assert order == ["a/1", "a/2"]


def test_what_a_worker_says_that_was_taken_for_dead_is_refused_and_it_joins_again(worker: Worker) -> None:
    slow = worker(worker_seconds=0.5)
    push(slow, ("a/1", 2.0))
    assert lease(slow) == "a/1"
    slow.commit()
    slow.worker.connection._alive = float("-inf")  # its reactor stands still
    other = worker(worker_seconds=0.5)
    until(lambda: lease(other) == "a/1")
    slow.end("http://a/1", State.ERROR, "too late", 1.0)
    until(lambda: slow.lease(0.0) is None and slow.figures()["fenced"] == 1)
    assert states(other) == {"processing": 1}
    other.end("http://a/1", State.COMPLETED, "", 1.0)
    assert states(other) == {"completed": 1}
    assert push(slow, ("b/1", 1.0)) == {"new": 1}
    order: list[str] = []
    until(lambda: order.extend(drain(slow)) or order == ["b/1"])


def test_a_redirect_to_a_host_of_another_worker_waits_there(worker: Worker) -> None:
    first, second = worker(), worker()
    push(first, ("a/1", 1.0))
    assert lease(first) == "a/1"
    assert [lease_target(second, url, 0.7, 0.0) for url in ("a/9", "b/9")] == [None, "b/9"]
    second.commit()
    first.end("http://a/1", State.COMPLETED, "", 0.0)
    until(lambda: lease(first) == "a/9")


@pytest.mark.slow
def test_nobody_is_done_while_another_has_a_lease(worker: Worker) -> None:
    first, second = worker(), worker()
    push(first, ("a/1", 1.0))
    assert lease(first) == "a/1"
    assert [frontier.pending() for frontier in (first, second)] == [True, True]
    first.end("http://a/1", State.COMPLETED, "", 0.0)
    until(lambda: [first.pending(), second.pending()] == [False, False])


@pytest.mark.slow
def test_a_worker_takes_no_more_hosts_than_its_share_and_the_better_ones(worker: Worker) -> None:
    first = worker(most_hosts=4)
    push(first, *((f"h{n}/1", float(n)) for n in range(8)))
    until(lambda: first.pending() and sorted(first._tops.owned) == ["h4", "h5", "h6", "h7"])
    order: list[str] = []
    until(lambda: order.extend(drain(first)) or len(order) == 8)
    assert order[:4] == ["h7/1", "h6/1", "h5/1", "h4/1"]


def test_scores_are_made_anew_where_no_other_has_the_host(worker: Worker) -> None:
    first, second = worker(), worker()
    push(first, ("a/1", 0.5), ("a/2", 0.4))
    first.commit()
    first.look().counts()  # it is there now
    second.rescore([Score("http://a/2", 9.0)])
    second.commit()
    assert [row.score for row in second.look().rows()] == [0.5, 0.4]
    assert first.rescore([Score("http://a/2", 9.0)]) == 1
    assert lease(first) == "a/2"


def test_the_pages_of_all_workers_are_summed_up_when_the_first_has_none(redis_server: RedisServer) -> None:
    job = uuid4().hex
    workers = [RedisFrontier(join(Client(redis_server.url, job))) for _ in range(4)]
    for worker in (workers[1], workers[3]):
        worker.notes.put("harvest", '{"pages": 2, "kept": 1}')
        worker.notes.put("waits", '[["a", "robots", 1.0]]')
    for worker in workers:
        worker.close()
    view = RedisView(redis_server.url, job)
    notes = {name: json.loads(text) for name, text in view.summed_notes().items()}
    view.close()
    assert notes == {"harvest": {"pages": 4, "kept": 2}, "waits": [["a", "robots", 1.0]] * 2}


def test_another_recipe_is_refused_in_one_line(redis_server: RedisServer) -> None:
    job = uuid4().hex
    RedisFrontier(join(Client(redis_server.url, job), {"topic": "finance"})).close()
    with pytest.raises(StateError, match=r"'finance'.*'sport'"):
        join(Client(redis_server.url, job), {"topic": "sport"})


def test_no_server_and_a_wrong_password_are_one_line_without_the_password(redis_server: RedisServer) -> None:
    with pytest.raises(StateError, match="/nowhere/socket"):
        clients_of("unix:///nowhere/socket", "x")
    client = redis.Redis.from_url(redis_server.url)
    client.acl_setuser("reader", enabled=True, passwords=["+right"], commands=["+@all"], keys=["*"])
    with pytest.raises(StateError, match="password") as failed:
        clients_of(redis_server.url.replace("unix://", "unix://reader:secret@"), "x")
    assert "secret" not in str(failed.value)
    assert redacted("rediss://me:secret@redis.example:6380/2?x=1") == "rediss://redis.example:6380/2"


def test_a_process_that_was_killed_on_this_machine_is_not_waited_for(redis_server: RedisServer) -> None:
    job = uuid4().hex
    program = "import sys; from topiccrawler.cluster.redis.joining import Client, join; print(join(Client(*sys.argv[1:])).slot, flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", program, redis_server.url, job]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "0\n"
        beside = join(Client(redis_server.url, job))
        other.kill()
        other.wait()
    assert (beside.slot, join(Client(redis_server.url, job)).slot) == (1, 0)


@pytest.mark.parametrize("who", ["", "another/machine 1 2", "nonsense"])
def test_what_is_not_known_to_have_ended_counts_as_alive(who: str) -> None:
    assert not has_ended(who)
    assert not has_ended(identity())
