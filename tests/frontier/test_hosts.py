"""Whom politeness lets us ask, and when to ask again."""

from heapq import heappop, heapreplace
from math import exp, inf, nan

import pytest
from frontier_calls import waits

from topiccrawler.frontier import host_ranking
from topiccrawler.frontier.hosts import Hosts


def test_a_slot_given_back_restores_the_clock() -> None:
    hosts = Hosts(delay_seconds=5.0)
    hosts.occupy("a", 0.0)
    hosts.done("a", 1.0)
    hosts.occupy("a", 6.0)
    hosts.release("a", 7.0)
    assert (hosts.ready_at("a"), hosts.leases("a"), hosts.ready("a", 7.0)) == (5.0, 0, True)


def test_the_longest_delay_counts_and_each_reason_may_change_its_mind() -> None:
    hosts = Hosts(delay_seconds=1.0)
    hosts.occupy("a", 0.0)
    hosts.done("a", 0.0)
    hosts.set_delay("a", 10.0, "robots")
    hosts.set_delay("a", 4.0, "autothrottle")
    assert (hosts.delay("a"), hosts.ready_at("a"), hosts.waiting_reason("a", 3.0)) == (10.0, 10.0, "robots")
    hosts.set_delay("a", 2.0, "robots")
    assert (hosts.delay("a"), hosts.ready_at("a"), hosts.waiting_reason("a", 3.0)) == (
        4.0,
        4.0,
        "autothrottle",
    )
    hosts.set_delay("a", 0.0, "autothrottle")
    hosts.set_delay("a", nan, "robots")
    assert (hosts.delay("a"), hosts.ready_at("a")) == (1.0, 1.0)
    assert hosts.delay("b") == 1.0


@pytest.mark.parametrize("closed_at", [0, 1, 2])
def test_a_reopened_host_waits_as_long_as_its_server_has_asked_meanwhile(closed_at: int) -> None:
    hosts = Hosts()
    calls = [(30.0, "retry-after"), (20.0, "back-off")]
    calls.insert(closed_at, (inf, "unproven site"))
    for until, reason in calls:
        hosts.back_off("a", until, reason)
    assert (hosts.ready_at("a"), hosts.waiting_reason("a", 0.0)) == (inf, "unproven site")
    hosts.reopen("a")
    assert (hosts.ready_at("a"), hosts.waiting_reason("a", 0.0)) == (30.0, "retry-after")
    hosts.reopen("a")
    assert hosts.ready("a", 0.0)


def test_a_back_off_is_lengthened_never_shortened() -> None:
    hosts = Hosts(delay_seconds=1.0)
    hosts.occupy("a", 0.0)
    hosts.done("a", 0.0)
    hosts.back_off("a", 30.0, "retry-after")
    hosts.back_off("a", 20.0, "back-off")
    assert (hosts.ready_at("a"), hosts.waiting_reason("a", 25.0)) == (30.0, "retry-after")
    assert hosts.ready("a", 30.0)


def test_jitter_only_stretches_and_repeats_under_its_seed() -> None:
    def gaps(seed: int) -> list[float]:
        hosts = Hosts(delay_seconds=1.0, jitter=0.5, seed=seed)
        found = []
        for step in range(50):
            now = 100.0 * step
            hosts.occupy("a", now)
            hosts.done("a", now)
            found.append(hosts.ready_at("a") - now)
        return found

    assert gaps(1) == gaps(1)
    assert gaps(1) != gaps(2)
    assert all(1.0 <= gap <= 1.5 for gap in gaps(1))
    assert max(gaps(1)) - min(gaps(1)) > 0.2


def test_the_best_ready_host_is_the_one_with_the_smallest_key() -> None:
    hosts = Hosts(delay_seconds=1.0)
    for host, key in (("a", (-0.5, 0)), ("b", (-0.9, 2)), ("c", (-0.9, 1))):
        hosts.want(host, key)
    assert hosts.best(0.0) == "c"
    hosts.occupy("c", 0.0)
    assert hosts.best(0.5) == "b"
    hosts.want("b", None)
    assert hosts.best(0.5) == "a"
    hosts.want("a", None)
    assert (hosts.best(0.5), hosts.next_ready(0.5), waits(hosts, 0.5)) == (None, None, {"delay": 1})
    hosts.done("c", 0.5)
    assert (hosts.next_ready(0.5), hosts.best(1.0), hosts.next_ready(1.0)) == (1.0, "c", 1.0)


def test_a_clock_that_goes_back_breaks_no_promise() -> None:
    hosts = Hosts(delay_seconds=5.0)
    hosts.want("a", (-1.0, 0))
    hosts.occupy("a", 0.0)
    hosts.done("a", 0.0)
    assert hosts.best(5.0) == "a"
    assert (hosts.best(1.0), hosts.next_ready(1.0)) == (None, 5.0)


def test_waits_counts_hosts_with_waiting_urls_by_reason() -> None:
    hosts = Hosts(delay_seconds=1.0)
    for number, host in enumerate("abcde"):
        hosts.want(host, (0.0, number))
    hosts.want("e", None)
    for host in "abe":
        hosts.occupy(host, 0.0)
    hosts.done("a", 0.0)
    hosts.back_off("c", 9.0, "retry-after")
    assert waits(hosts, 0.5) == {"delay": 2, "retry-after": 1}
    assert waits(hosts, 2.0) == {"busy": 1, "retry-after": 1}


@pytest.mark.parametrize(
    ("patience", "better", "expected"),
    [
        (0.0, 0.9, "poor"),  # off
        (2.0, 0.9, None),  # due in 2 s and much better
        (2.0, 0.15, "poor"),  # better by half a margin only
        (1.0, 0.9, "poor"),  # due too late
    ],
)
def test_patience_waits_for_a_much_better_host_that_is_due_soon(
    patience: float, better: float, expected: str | None
) -> None:
    hosts = Hosts(delay_seconds=10.0, patience_seconds=patience, patience_margin=0.1)
    hosts.want("poor", (-0.1, 0))
    hosts.want("good", (-better, 1))
    hosts.occupy("good", 0.0)
    hosts.done("good", 0.0)
    assert hosts.best(8.0) == expected
    assert hosts.next_ready(8.0) == (10.0 if expected is None else 8.0)
    assert hosts.best(10.0) == "good"


def test_patience_waits_for_a_busy_host_only_so_long_after_its_slot_began() -> None:
    hosts = Hosts(delay_seconds=1.0, patience_seconds=5.0)
    hosts.want("poor", (-0.1, 0))
    hosts.want("good", (-0.9, 1))
    hosts.occupy("good", 0.0)
    assert (hosts.best(0.5), hosts.next_ready(0.5)) == (None, 5.0)
    assert (hosts.best(5.0), hosts.next_ready(5.0)) == ("poor", 5.0)
    hosts.done("good", 6.0)
    assert hosts.best(6.0) == "good"


def test_patience_waits_only_while_few_slots_are_idle() -> None:
    hosts = Hosts(delay_seconds=10.0, patience_seconds=5.0, idle_share=0.25, slots=4)
    for number, host in enumerate(("good", "a", "b", "c")):
        hosts.want(host, (-0.9 if host == "good" else -0.1, number))
    hosts.occupy("good", 0.0)
    hosts.done("good", 0.0)
    asked = []
    while (host := hosts.best(8.0)) is not None:
        hosts.occupy(host, 8.0)
        asked.append(host)
    assert asked == ["a", "b", "c"]
    hosts.done("c", 8.0)
    hosts.want("d", (-0.1, 9))
    assert hosts.best(8.0) == "d"
    hosts.occupy("d", 8.0)
    hosts.want("e", (-0.1, 10))
    assert hosts.best(8.0) is None


def test_much_better_is_measured_by_what_scores_are_worth() -> None:
    """Log-odds 20 promises no more than 10; from even odds on a page never waits."""

    def probability(log_odds: float) -> float:
        return 1 / (1 + exp(-log_odds))

    def asked(ready_score: float) -> str | None:
        hosts = Hosts(delay_seconds=10.0, patience_seconds=5.0, patience_margin=0.25, worth=probability)
        hosts.want("ready", (-ready_score, 0))
        hosts.want("better", (-20.0, 1))
        hosts.occupy("better", 0.0)
        hosts.done("better", 0.0)
        return hosts.best(8.0)

    assert [asked(score) for score in (10.0, 0.0, -0.1, -5.0)] == ["ready", "ready", None, None]


def test_a_lease_looks_at_few_entries_of_a_site_with_many_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts, names = Hosts(delay_seconds=1.0), [f"h{number}.example.com" for number in range(300)]
    for number, name in enumerate(names):
        hosts.want(name, (-float(number), number))
    moved = []
    monkeypatch.setattr(host_ranking, "heappop", lambda heap: moved.append(1) or heappop(heap))
    monkeypatch.setattr(
        host_ranking, "heapreplace", lambda heap, one: moved.append(1) or heapreplace(heap, one)
    )
    leases = 2_000
    for turn in range(leases):
        now = turn / 100
        best = hosts.best(now)
        assert best is not None
        hosts.occupy(best, now)
        hosts.want(best, (-float(turn % 307), 300 + turn))
        hosts.done(best, now)
    assert len(moved) < 4 * leases
