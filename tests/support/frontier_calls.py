"""A frontier in short words, for the contract suite: URLs are `host/path`, answers are lists."""

import time
from collections import Counter
from collections.abc import Callable

from topiccrawler.frontier.base import Frontier, Leased, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link, Score

Make = Callable[..., Frontier]

PATIENCE_SECONDS = 60.0


def link(url: str, **fields: object) -> Link:
    """`a/1` is a URL of host `a`."""
    return Link(f"http://{url}", url.partition("/")[0], **fields)


def push(frontier: Frontier, *rows: tuple[str, float], now: float = 0.0, **options: object) -> dict[str, int]:
    pushed = frontier.push(
        [(link(url), Score(f"http://{url}", value)) for url, value in rows], now=now, **options
    )
    return {outcome.value: count for outcome, count in pushed.items() if count}


def name(leased: Leased | None) -> str | None:
    return None if leased is None else leased.link.url.removeprefix("http://")


def lease(frontier: Frontier, now: float = 0.0) -> str | None:
    return name(frontier.lease(now))


def lease_target(frontier: Frontier, url: str, value: float, now: float) -> str | None:
    """Lease this very URL."""
    return name(frontier.lease(now, target=(link(url), Score(f"http://{url}", value))))


def drain(frontier: Frontier, now: float = 0.0) -> list[str]:
    """Lease and complete until nothing comes."""
    order = []
    while (leased := frontier.lease(now)) is not None:
        order.append(leased.link.url.removeprefix("http://"))
        frontier.end(leased.link.url, State.COMPLETED, "", now)
    return order


def states(frontier: Frontier) -> dict[str, int]:
    return {state.value: count for state, count in frontier.look().counts().items() if count}


def waits(hosts: Hosts, now: float) -> Counter[str]:
    """How many hosts with waiting URLs may not be asked now, by reason."""
    return Counter(reason for _, reason, _ in hosts.waiting(now))


def until(what: Callable[[], object]) -> None:
    """Ask again until it is so: a worker hears of the others now and then."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not what():
        assert time.monotonic() < end, "it never came"
