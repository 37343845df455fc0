"""Every implementation of a frontier."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from frontier_calls import Make
from prompt_frontier import PromptFrontier
from redis_server import RedisServer

from topiccrawler.cluster.redis.joining import join
from topiccrawler.cluster.redis.sharded import ShardedFrontier
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier


@pytest.fixture(params=["memory", "sqlite", "sqlite_bounded", "redis", "redis_bounded", "redis_sharded"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Builds a frontier of each kind over the hosts given."""
    made: list[Frontier] = []
    if request.param.startswith("redis"):
        server: RedisServer = request.getfixturevalue("redis_server")

    def build(hosts: Hosts | None = None, lease_seconds: float = 100.0) -> Frontier:
        if request.param == "memory":
            made.append(MemoryFrontier(hosts, lease_seconds=lease_seconds))
        elif request.param == "redis_sharded":
            hosts, job = Hosts() if hosts is None else hosts, uuid4().hex
            places = [join(f"{server.url}?db={number}", job, call_seconds=60.0) for number in range(3)]
            parts = [PromptFrontier(place, hosts, lease_seconds=lease_seconds) for place in places]
            made.append(ShardedFrontier(parts))
        elif request.param.startswith("redis"):
            keep = 2 if request.param == "redis_bounded" else 16
            place = join(server.url, uuid4().hex, call_seconds=60.0)
            made.append(PromptFrontier(place, hosts, lease_seconds=lease_seconds, keep=keep))
        else:
            bound = 10 if request.param == "sqlite_bounded" else 0
            path = tmp_path / f"frontier{len(made)}.db"
            made.append(SqliteFrontier(path, hosts, lease_seconds=lease_seconds, memory_urls=bound))
        return made[-1]

    yield build
    for frontier in made:
        frontier.close()


@pytest.fixture
def frontier(make: Make) -> Frontier:
    return make()
