"""Every implementation of a frontier."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from frontier_calls import Make

from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier


@pytest.fixture(params=["memory", "sqlite", "sqlite_bounded"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Builds a frontier of each kind over the hosts given."""
    made: list[Frontier] = []

    def build(hosts: Hosts | None = None, lease_seconds: float = 100.0) -> Frontier:
        if request.param == "memory":
            made.append(MemoryFrontier(hosts, lease_seconds=lease_seconds))
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
