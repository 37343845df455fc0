"""The hosts of a long list of seeds share a bounded part of the slots until they have given a page."""

import pytest

from topiccrawler.frontier.base import State
from topiccrawler.frontier.host_ranking import SeedShare
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Score

SLOTS = 16


def frontier_of(seeds: int, *, patience_seconds: float = 0.0, bounded: bool = True) -> MemoryFrontier:
    hosts = Hosts(delay_seconds=1.0, slots=SLOTS, patience_seconds=patience_seconds)
    if bounded:
        hosts.bound_seeds({f"s{number}.cn" for number in range(seeds)})
    frontier = MemoryFrontier(hosts)
    queue(frontier, 1.0, *(f"s{number}.cn/" for number in range(seeds)))
    return frontier


def queue(frontier: MemoryFrontier, score: float, *places: str) -> None:
    links = [Link(f"http://{place}", place.partition("/")[0]) for place in places]
    frontier.push([(link, Score(link.url, score)) for link in links], now=0.0)


def leased(frontier: MemoryFrontier, now: float = 0.0, most: int = SLOTS) -> list[str]:
    """The hosts leased until all slots are in use, or none is to be."""
    found = []
    while len(found) < most and (one := frontier.lease(now)) is not None:
        found.append(one.link.host)
    return found


def test_seeds_keep_the_order_until_they_have_half_of_the_slots_and_then_ready_links_go_first() -> None:
    frontier = frontier_of(200)
    queue(frontier, 0.4, *(f"found{number}.cn/" for number in range(20)))
    found = leased(frontier)
    assert [host[0] for host in found] == ["s"] * 8 + ["f"] * 8


def test_links_that_promise_less_than_half_of_what_seeds_yield_do_not_go_first() -> None:
    frontier = frontier_of(200)
    queue(frontier, 0.2, *(f"found{number}.cn/" for number in range(20)))
    assert [host[0] for host in leased(frontier)] == ["s"] * SLOTS


def test_dead_seeds_get_an_eighth_of_the_slots() -> None:
    frontier = frontier_of(400)
    for _ in range(200):  # all of them fail
        hosts = leased(frontier, most=1)
        frontier.end(f"http://{hosts[0]}/", State.ERROR, "timeout", 0.0)
    queue(frontier, 0.1, *(f"found{number}.cn/" for number in range(20)))
    assert [host[0] for host in leased(frontier)] == ["s"] * 2 + ["f"] * 14


def test_a_part_of_the_slots_stays_free_for_links_that_are_soon_ready() -> None:
    frontier = frontier_of(200, patience_seconds=2.0)
    queue(frontier, 0.9, "found.cn/1", "found.cn/2")
    found = leased(frontier)
    assert (found.count("found.cn"), len(found)) == (1, 15)  # 14 seeds; the last two slots are for links
    frontier.end("http://found.cn/1", State.COMPLETED, "kept", 0.5)
    assert leased(frontier, 1.0, most=1) == ["found.cn"]


def test_a_host_that_gave_a_page_is_like_any_other() -> None:
    frontier = frontier_of(200)
    hosts = frontier.hosts
    queue(frontier, 0.9, *(f"s0.cn/{number}" for number in range(3)))
    assert leased(frontier, most=8) == [f"s{number}.cn" for number in range(8)]
    hosts.gave_page("s0.cn")
    frontier.end("http://s0.cn/", State.COMPLETED, "kept", 0.5)
    assert hosts.seeds.under_way == 7
    assert leased(frontier, 1.0, most=3) == ["s8.cn", "s0.cn", "s9.cn"]


def test_hosts_that_were_queued_before_a_job_was_resumed_are_bounded_too() -> None:
    frontier = frontier_of(200, bounded=False)
    queue(frontier, 0.4, *(f"found{number}.cn/" for number in range(20)))
    frontier.hosts.bound_seeds({f"s{number}.cn" for number in range(200)})
    assert [host[0] for host in leased(frontier)] == ["s"] * 8 + ["f"] * 8


@pytest.mark.parametrize(
    ("kept_seeds", "kept_links", "most"), [(0, 0, 8), (0, 50, 2), (50, 0, 8), (10, 50, 3), (30, 50, 7)]
)
def test_the_share_follows_what_both_yield(kept_seeds: int, kept_links: int, most: int) -> None:
    share = SeedShare(set())
    for _ in range(60):
        share.end(seed=True)
        share.end(seed=False)
    share.under_way = 0
    for _ in range(kept_seeds):
        share.keep(seed=True)
    for _ in range(kept_links):
        share.keep(seed=False)
    while not share.is_over(SLOTS):
        share.under_way += 1
    assert share.under_way == most
