"""Crawls in Redis, as crawling.servers knows a queue server."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from topiccrawler.cluster.redis.records import check_address, prefix_of, redacted
from topiccrawler.cluster.redis.view import RedisView, open_shared
from topiccrawler.crawling.servers import Times
from topiccrawler.crawling.sharing import SharedQueue
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.hosts import Hosts

public, open_view = redacted, RedisView
EXAMPLE = "redis://HOST:6379/0"


def check(address: str, job: str) -> None:
    """ArgumentError for what is no address, and for no plain name."""
    prefix_of(job)
    check_address(address)


def open_queue(
    address: str, job: str, hosts: Hosts, recipe: Mapping[str, str], made_of: Mapping[str, Any], times: Times
) -> tuple[Frontier, SharedQueue]:
    """Join the crawl."""
    how: dict[str, Any] = {"worker_seconds": times.worker, "lease_seconds": times.lease}
    how |= {
        "outage_seconds": times.outage,
        "acknowledgements_per_commit": sys.maxsize,
    }  # the scheduler commits
    frontier = open_shared(address, job, hosts, recipe, made_of=made_of, **how)
    return frontier, frontier
