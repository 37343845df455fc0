"""A worker's place in a crawl in Redis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from topiccrawler.frontier.redis.client import Client
from topiccrawler.frontier.redis.connection import Connection

NUMBERS = 10_000  # for URLs to come, asked for at a time


@dataclass(slots=True)
class Membership:
    """A worker's place in a crawl. `renew()` joins again, after it was taken for dead."""

    client: Client
    session: str
    slot: int
    numbers: range
    live: int
    worker_seconds: float
    server_time: float
    call_seconds: float  # that the reactor waits for an answer
    renew: Callable[[Connection], Membership]
    notes: dict[str, str] = field(default_factory=dict)
    begun: bool = False  # others told of the seeds before
    harvest: tuple[int, int] = (0, 0)  # pages fetched and kept by all
    learned: Sequence[bytes | None] = ()  # the newest state, as scripts/learned.lua gives it
