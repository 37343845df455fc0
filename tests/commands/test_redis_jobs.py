"""A crawl in Redis looked at by commands, while its workers go on."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from frontier_calls import lease, link, push
from redis_server import RedisServer

from topiccrawler.cluster.redis.client import Client
from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import join
from topiccrawler.cluster.redis.server import RedisView, open_shared
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.past_crawl import SharedCrawl
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.model import Score
from topiccrawler.strategies import build

PATIENCE_SECONDS = 20.0


@pytest.fixture(params=["redis_server", "redis_nodes"])
def url(request: pytest.FixtureRequest) -> str:
    """REDIS_URL, of a server or of a cluster."""
    return str(request.getfixturevalue(request.param).url)


@pytest.fixture
def job(url: str) -> Iterator[str]:
    """A crawl of two workers, each with a page."""
    name = uuid4().hex
    made_of = Recipe("finance", strategy="best_first").as_json()
    workers = [open_shared(url, name, made_of=made_of, call_seconds=60.0) for _ in range(2)]
    first, second = workers
    push(first, ("a.example/1", 0.9), ("a.example/2", 0.8), ("b.example/1", 0.3))
    found = link("b.example/2", anchor="基金净值", source_url="http://a.example/1", depth=1)
    first.push([(found, Score(found.url, 0.6))], now=1.0)
    assert lease(first) == "a.example/1"
    first.end("http://a.example/1", State.ERROR, "http 404", 2.0)
    for frontier, kept in ((first, 1), (second, 2)):
        frontier.notes.put("harvest", json.dumps({"pages": 3, "kept": kept}))
        frontier.commit()
        frontier.look().counts()  # it is there now
    yield name
    for frontier in workers:
        frontier.close()


def test_frontier_shows_a_crawl_in_redis(job: str, url: str, command: Callable[..., Any]) -> None:
    found = command("frontier", "--job", job, "--json", "-s", f"REDIS_URL={url}")
    assert found.code == 0, found.err
    report = json.loads(found.out)
    assert (report["topic"], report["strategy"], report["pages"], report["kept"]) == (
        "finance",
        "best_first",
        6,
        3,
    )
    assert (report["states"]["waiting"], report["states"]["error"]) == (3, 1)
    assert [row["url"][7:] for row in report["top"]] == ["a.example/2", "b.example/2", "b.example/1"]
    assert report["failures"] == {"http 404": 1}
    assert {row["host"]: row["waiting"] for row in report["top_hosts"]} == {"b.example": 2, "a.example": 1}


def test_explain_knows_a_url_of_a_crawl_in_redis(job: str, url: str, command: Callable[..., Any]) -> None:
    found = command("explain", "http://b.example/2", "--job", job, "-s", f"REDIS_URL={url}")
    assert found.code == 0, found.err
    assert "+0.600" in found.out
    assert "http 404" in command(
        "explain", "http://a.example/1", "--job", job, "-s", f"REDIS_URL={url}"
    ).out  # fmt: skip


def test_explain_knows_what_the_learner_published_last(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topiccrawler.cluster.redis.shared_learning.EVERY_PAGES", 1)
    name, strategy = uuid4().hex, build("pagerank")
    place = join(Client(redis_server.url, name), {}, made_of=Recipe("finance", strategy="pagerank").as_json())
    frontier = RedisFrontier(place)
    ordering = Ordering(strategy, frontier, shared=frontier)
    ordering.seed([link("a.example/1"), link("a.example/2")], 0.0)
    end = time.monotonic() + PATIENCE_SECONDS
    while strategy.save() == build("pagerank").save():
        assert time.monotonic() < end
        ordering.learn(0.0)
        frontier.pending()
    ordering.learn(0.0)
    frontier.close()
    assert SharedCrawl(RedisView(redis_server.url, name), name).parts.strategy.save() == strategy.save()
    Client(redis_server.url, name).read("HSET", "learned", "state", "{}")
    with pytest.raises(StateError, match="KeyError: 'state'"):
        _ = SharedCrawl(RedisView(redis_server.url, name), name).parts


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["frontier", "--job", "nosuch"], "nosuch"),
        (["frontier", "load", "--job", "nosuch"], "load"),
        (["explain", "http://a.example/", "--job", "nosuch"], "nosuch"),
    ],
)
def test_what_is_not_there_is_one_line(
    words: list[str], fault: str, redis_server: RedisServer, command: Callable[..., Any]
) -> None:
    found = command(*words, "-s", f"REDIS_URL={redis_server.url}")
    assert found.code == 1
    assert fault in found.err
    assert len(found.err.strip().splitlines()) == 1
