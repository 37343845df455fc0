"""The frontier of a crawl in Redis, on one server or on several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.redis.frontier import RedisFrontier
from topiccrawler.frontier.redis.joining import join
from topiccrawler.frontier.redis.sharded import ShardedFrontier


def open_shared(
    urls: Sequence[str],
    job: str,
    hosts: Hosts | None = None,
    recipe: Mapping[str, Any] | None = None,
    *,
    worker_seconds: float = 30.0,
    made_of: Mapping[str, Any] | None = None,
    call_seconds: float | None = None,
    **options: Any,
) -> RedisFrontier | ShardedFrontier:
    """Join the crawl on each of its servers (joining.join; `options`: as RedisFrontier takes them). StateError when one of them cannot be used,
    or the crawl was begun with another recipe, or with other servers or in another order.
    """
    hosts = Hosts() if hosts is None else hosts
    seconds = {} if call_seconds is None else {"call_seconds": call_seconds}
    parts = []
    for number, url in enumerate(urls, 1):
        place = {"Redis server": f"{number} of {len(urls)}"} if len(urls) > 1 else {}
        joined = join(
            url, job, {**(recipe or {}), **place}, worker_seconds=worker_seconds, made_of=made_of, **seconds
        )
        parts.append(RedisFrontier(joined, hosts, **options))
    return ShardedFrontier(parts) if len(parts) > 1 else parts[0]
