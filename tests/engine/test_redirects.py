"""Where a leased request goes on to, and what it leaves behind."""

from __future__ import annotations

import pytest
from scrapy import Request

from topiccrawler.engine.leases import Lease
from topiccrawler.engine.link_rules import KNOWN, NO_PAGE, follow
from topiccrawler.frontier.base import State
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Score

START, KNOWN_URL = "http://a.cn/1", "http://b.cn/known"


@pytest.fixture
def frontier() -> MemoryFrontier:
    made = MemoryFrontier()
    urls = [START, KNOWN_URL]
    made.push([(Link(url, url[7:11], "基金", depth=2), Score(url, 1.0)) for url in urls], now=0.0)
    return made


@pytest.fixture
def lease(frontier: MemoryFrontier) -> Lease:
    leased = frontier.lease(0.0)
    assert leased is not None
    return Lease(1, leased, leased.link.host)


def states(frontier: MemoryFrontier) -> dict[str, State]:
    return {row.link.url: row.state for row in frontier.look().rows()}


def test_a_retry_stays_where_it_is_and_gives_its_slot_back(frontier: MemoryFrontier, lease: Lease) -> None:
    assert frontier.hosts.leases("a.cn") == 1
    assert follow(lease, Request(START), frontier, 1.0) is None
    assert (lease.host, lease.redirect_targets, frontier.hosts.leases("a.cn")) == ("a.cn", [], 0)


def test_a_redirect_leases_its_target_along(frontier: MemoryFrontier, lease: Lease) -> None:
    for target in ("http://c.cn/2", "https://d.cn:8443/3", "http://c.cn/2"):
        assert follow(lease, Request(target), frontier, 1.0) is None
    assert (lease.host, lease.redirect_targets) == ("c.cn", ["http://c.cn/2", "https://d.cn:8443/3"])
    row = frontier.look().row("http://c.cn/2")
    assert row is not None
    assert (row.state, row.score, row.link.anchor, row.link.depth) == (State.PROCESSING, 1.0, "基金", 2)


def test_a_slot_that_the_request_queue_took_is_given_back_once(
    frontier: MemoryFrontier, lease: Lease
) -> None:
    follow(lease, Request("http://c.cn/2"), frontier, 1.0)
    frontier.hosts.take("c.cn", 1.0)
    lease.holds_slot = True
    for _ in range(2):
        follow(lease, Request("http://d.cn/3"), frontier, 2.0)
    assert (frontier.hosts.leases("c.cn"), lease.holds_slot, lease.host) == (0, False, "d.cn")


@pytest.mark.parametrize(("target", "reason"), [(KNOWN_URL, KNOWN), ("ftp://a.cn/1", NO_PAGE)])
def test_a_redirect_to_a_known_page_or_to_none_goes_no_further(
    frontier: MemoryFrontier, lease: Lease, target: str, reason: str
) -> None:
    if reason == KNOWN:
        frontier.lease(0.0)
    before = states(frontier)
    assert follow(lease, Request(target), frontier, 1.0) == reason
    assert (states(frontier), lease.host, frontier.hosts.leases("a.cn")) == (before, "a.cn", 1)
