"""Every implementation of a frontier."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from frontier_calls import Make
from synchronous_redis_frontier import PromptFrontier

from topiccrawler.cluster.redis.client import clients_of
from topiccrawler.cluster.redis.joining import join
from topiccrawler.cluster.redis.partitions import PartitionedFrontier
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier


@pytest.fixture(params=["memory", "sqlite", "sqlite_bounded", "redis", "redis_bounded", "redis_cluster"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Builds a frontier of each kind over the hosts given."""
    made: list[Frontier] = []
    if request.param.startswith("redis"):
        kind = "redis_nodes" if request.param == "redis_cluster" else "redis_server"
        url: str = request.getfixturevalue(kind).url

    def build(hosts: Hosts | None = None, lease_seconds: float = 100.0) -> Frontier:
        if request.param == "memory":
            made.append(MemoryFrontier(hosts, lease_seconds=lease_seconds))
        elif request.param.startswith("redis"):
            hosts, keep = Hosts() if hosts is None else hosts, 2 if request.param == "redis_bounded" else 16
            places = [join(client, call_seconds=60.0) for client in clients_of(url, uuid4().hex)]
            parts = [PromptFrontier(place, hosts, lease_seconds=lease_seconds, keep=keep) for place in places]
            made.append(PartitionedFrontier(parts) if len(parts) > 1 else parts[0])
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
