"""In which order every frontier hands out URLs: the same suite on each implementation."""

import time

import pytest
from frontier_calls import PATIENCE_SECONDS, Make, drain, lease, link, push, states, waits

from topiccrawler.frontier.base import Frontier, Leased, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link, Score


def test_the_larger_score_goes_first_and_equal_scores_in_order_of_arrival(frontier: Frontier) -> None:
    assert push(frontier, ("a/1", 0.2), ("b/1", 0.9), ("a/2", 0.9), ("c/1", -3.0)) == {"new": 4}
    assert drain(frontier) == ["b/1", "a/2", "a/1", "c/1"]
    assert states(frontier) == {"completed": 4}


def test_a_push_raises_but_never_lowers(frontier: Frontier) -> None:
    push(frontier, ("a/1", 0.5), ("a/2", 0.4), ("a/3", 0.3))
    assert push(frontier, ("a/1", 0.1), ("a/3", 0.45), ("a/2", 0.4)) == {"raised": 1, "kept": 2}
    assert drain(frontier) == ["a/1", "a/3", "a/2"]


def test_a_url_twice_in_one_push_keeps_the_larger_score(frontier: Frontier) -> None:
    assert push(frontier, ("a/1", 0.1), ("a/2", 0.5), ("a/1", 0.9)) == {"new": 2, "raised": 1}
    assert drain(frontier) == ["a/1", "a/2"]


def test_a_raise_among_equals_keeps_the_place_of_the_first_arrival(frontier: Frontier) -> None:
    push(frontier, ("a/1", 0.1), ("a/2", 0.5), ("a/3", 0.5))
    push(frontier, ("a/1", 0.5))
    assert drain(frontier) == ["a/1", "a/2", "a/3"]


def test_the_raising_push_brings_its_link_text_carry_and_tunnel(frontier: Frontier) -> None:
    def offer(value: float, text: str, carry: float, tunnel: int) -> None:
        score = Score("http://a/1", value, carry, text.encode())
        frontier.push(
            [(link("a/1", anchor=text, source_url=f"http://s/{text}"), score)], now=0.0, tunnel=tunnel
        )

    offer(0.2, "first", 1.5, 0)
    offer(0.7, "raising", 2.5, 3)
    offer(0.6, "lower", 3.5, 1)
    leased = frontier.lease(5.0)
    assert leased == Leased(
        link("a/1", anchor="raising", source_url="http://s/raising"),
        0.7,
        carry=2.5,
        tunnel=3,
        shares=b"raising",
        deadline=105.0,
    )


def test_every_field_of_a_link_returns(frontier: Frontier) -> None:
    full = Link(
        url="http://a.cn:8080/基金?x=1", host="a.cn:8080", anchor="基金 定投\x00\U0001f600", before="前", after="后",
        title="t", heading="h", region="body", path="div.list>ul>li", kind="down", position=7, depth=3,
        source_url="http://a.cn/", nofollow=True,
    )  # fmt: skip
    frontier.push([(full, Score(full.url, 1.0))], now=0.0)
    leased = frontier.lease(0.0)
    assert leased is not None
    assert leased.link == full
    row = frontier.look().row(full.url)
    assert row is not None
    assert row.link == full


def test_rescoring_replaces_up_and_down_and_passes_over_what_does_not_wait(frontier: Frontier) -> None:
    push(frontier, ("a/1", 0.9), ("a/2", 0.8), ("b/1", 0.7), ("b/2", 0.6), ("c/1", 0.95))
    assert lease(frontier) == "c/1"
    changes = {"a/1": 0.1, "b/2": 1.0, "c/1": 5.0, "d/1": 5.0, "a/2": 0.8}
    assert frontier.rescore([Score(f"http://{url}", value) for url, value in changes.items()]) == 2
    assert drain(frontier) == ["b/2", "a/2", "b/1", "a/1"]


def test_rescoring_replaces_the_carry_and_keeps_the_tunnel(frontier: Frontier) -> None:
    frontier.push([(link("a/1"), Score("http://a/1", 1.0, 0.5))], now=0.0, tunnel=2)
    assert frontier.rescore([Score("http://a/1", 1.0, 0.25)]) == 0
    leased = frontier.lease(0.0)
    assert leased is not None
    assert (leased.score, leased.carry, leased.tunnel) == (1.0, 0.25, 2)


def test_scores_may_be_rewritten_while_the_queue_is_read(frontier: Frontier) -> None:
    push(frontier, *((f"a/{n}", float(n)) for n in range(1200)))
    assert (
        frontier.rescore(Score(waiting.url, -float(n)) for n, waiting in enumerate(frontier.look().queued()))
        == 1199
    )
    assert drain(frontier)[:3] == ["a/0", "a/1", "a/2"]


def test_a_score_that_is_not_finite_is_refused(frontier: Frontier) -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match=str(value)):
            push(frontier, ("a/1", value))
    assert states(frontier) == {}


def test_the_best_url_of_a_ready_host_goes_before_a_better_one_of_a_cooling_host(make: Make) -> None:
    frontier = make(Hosts(delay_seconds=10.0))
    push(frontier, ("a/1", 0.9), ("a/2", 0.8), ("b/1", 0.5), ("c/1", 0.6))
    assert [lease(frontier, now=0.0) for _ in range(4)] == ["a/1", "c/1", "b/1", None]
    for url in ("a/1", "b/1", "c/1"):
        frontier.end(f"http://{url}", State.COMPLETED, "", 1.0)
    assert (frontier.lease(9.9), frontier.hosts.next_ready(9.9)) == (None, 10.0)
    assert lease(frontier, now=10.0) == "a/2"
    assert frontier.hosts.next_ready(10.0) is None


def test_a_host_gives_no_more_leases_than_its_concurrency(make: Make) -> None:
    frontier = make(Hosts(concurrency=2))
    push(frontier, ("a/1", 3.0), ("a/2", 2.0), ("a/3", 1.0))
    assert [lease(frontier) for _ in range(3)] == ["a/1", "a/2", None]
    assert (frontier.hosts.next_ready(0.0), waits(frontier.hosts, 0.0)) == (None, {"busy": 1})
    frontier.end("http://a/2", State.ERROR, "timeout", 1.0)
    assert [lease(frontier, now=1.0) for _ in range(2)] == ["a/3", None]


def sampled(frontier: Frontier, count: int, fewest: int) -> list[float]:
    """A sample of at least so many; a server answers a while after it was asked."""
    end = time.monotonic() + PATIENCE_SECONDS
    while len(found := frontier.look().sample(count)) < fewest and time.monotonic() < end:
        time.sleep(0.01)
    return list(found)


def test_a_sample_is_of_the_scores_of_all_that_waits_and_a_larger_queue_is_drawn_from(
    frontier: Frontier,
) -> None:
    push(frontier, *((f"{number % 7}/{number}", number / 10) for number in range(40)))
    assert [lease(frontier), lease(frontier)] == ["4/39", "3/38"]
    frontier.commit()
    assert sorted(sampled(frontier, 50, 38)) == [number / 10 for number in range(38)]
    push(frontier, *((f"{number % 7}/{number}", float(number)) for number in range(40, 3000)))
    frontier.commit()
    found = sampled(frontier, 300, 100)
    assert len(found) <= 900
    assert set(found) <= {number / 10 for number in range(38)} | {float(number) for number in range(40, 3000)}
    assert 1200 < sum(found) / len(found) < 1800
