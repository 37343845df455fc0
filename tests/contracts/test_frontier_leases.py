"""How leases begin and end in every frontier, and what rows say of them: the same suite on each implementation."""

from math import inf

import pytest
from frontier_calls import Make, drain, lease, lease_target, link, name, push, states, waits

from topiccrawler.frontier.base import Frontier, Leased, Postpone, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Score


def test_an_acknowledged_url_is_known_and_never_comes_again(frontier: Frontier) -> None:
    push(frontier, ("a/1", 1.0), ("a/2", 1.0), ("a/3", 1.0))
    for url, state in (("a/1", State.COMPLETED), ("a/2", State.DISCARDED), ("a/3", State.ERROR)):
        assert lease(frontier) == url
        assert push(frontier, (url, 9.0)) == {"known": 1}
        frontier.end(f"http://{url}", state, "why", 4.0)
    assert push(frontier, ("a/1", 9.0), ("a/2", 9.0), ("a/3", 9.0)) == {"known": 3}
    assert lease(frontier) is None
    assert states(frontier) == {"completed": 1, "discarded": 1, "error": 1}


def test_a_push_again_queues_what_has_ended_but_not_what_is_leased(frontier: Frontier) -> None:
    push(frontier, ("a/1", 1.0), ("b/1", 0.5))
    frontier.lease(0.0)
    frontier.end("http://a/1", State.COMPLETED, "", 0.0)
    assert lease(frontier) == "b/1"
    assert push(frontier, ("a/1", 0.2), ("b/1", 3.0), now=7.0, again=True) == {"new": 1, "known": 1}
    row = frontier.look().row("http://a/1")
    assert (row.score, row.state, row.added, row.changed) == (0.2, State.WAITING, 0.0, 7.0)
    assert drain(frontier) == ["a/1"]


def test_an_end_reported_twice_or_for_an_unknown_url_changes_nothing(frontier: Frontier) -> None:
    push(frontier, ("a/1", 1.0), ("a/2", 0.5))
    assert lease(frontier) == "a/1"
    frontier.end("http://a/1", State.COMPLETED, "", 1.0)
    frontier.end("http://a/1", State.ERROR, "late", 2.0)
    frontier.end("http://a/2", State.ERROR, "not leased", 2.0)
    frontier.end("http://z/1", State.ERROR, "unknown", 2.0)
    assert states(frontier) == {"waiting": 1, "completed": 1}
    assert frontier.hosts.leases("a") == 0


@pytest.mark.parametrize("state", [State.WAITING, State.PROCESSING])
def test_a_lease_cannot_end_as_waiting_or_processing(frontier: Frontier, state: State) -> None:
    with pytest.raises(ValueError, match="cannot end"):
        frontier.end("http://a/1", state, "", 0.0)


def test_named_leases_go_back_with_their_score(frontier: Frontier) -> None:
    hosts = frontier.hosts
    push(frontier, ("a/1", 3.0), ("b/1", 2.0), ("c/1", 1.0))
    assert [lease(frontier), lease(frontier)] == ["a/1", "b/1"]
    assert frontier.release(1.0, ["http://b/1", "http://c/1", "http://z/1"]) == 1
    assert (hosts.leases("a"), hosts.leases("b")) == (1, 0)
    assert drain(frontier, now=1.0) == ["b/1", "c/1"]
    assert states(frontier) == {"processing": 1, "completed": 2}


def test_a_target_that_waits_or_is_new_is_leased_without_a_slot_of_its_host(make: Make) -> None:
    frontier = make(Hosts(delay_seconds=10.0))
    push(frontier, ("a/1", 3.0), ("a/2", 2.0))
    shares = {"a/1": b"", "b/9": b"\x01"}
    for url, expected in (("a/1", "a/1"), ("a/1", None), ("b/9", "b/9")):
        target = (link(url), Score(f"http://{url}", 5.0, shares=shares[url]))
        assert name(frontier.lease(1.0, target=target)) == expected
    assert (frontier.hosts.leases("a"), frontier.hosts.ready("b", 1.0)) == (0, True)
    assert lease(frontier, now=1.0) == "a/2"
    for url in ("a/1", "b/9", "a/2"):
        frontier.end(f"http://{url}", State.COMPLETED, "", 2.0)
    assert lease_target(frontier, "a/2", 5.0, 2.0) is None
    assert (states(frontier), frontier.hosts.leases("a")) == ({"completed": 3}, 0)
    row = frontier.look().row("http://b/9")
    assert (row.score, row.shares, row.added, row.changed) == (5.0, b"\x01", 1.0, 2.0)


def test_a_leased_url_that_is_released_waits_like_any_other(frontier: Frontier) -> None:
    push(frontier, ("a/1", 3.0), ("a/2", 2.0))
    assert lease_target(frontier, "b/1", 2.5, 0.0) == "b/1"
    assert frontier.release(0.0, ["http://b/1"]) == 1
    assert drain(frontier) == ["a/1", "b/1", "a/2"]


def test_a_lease_whose_slot_was_released_goes_on_and_ends_without_it(make: Make) -> None:
    frontier = make(Hosts(concurrency=1))
    push(frontier, ("a/1", 3.0), ("a/2", 2.0))
    assert (lease(frontier), lease(frontier)) == ("a/1", None)
    named = ["http://a/1", "http://z/1"]
    assert [frontier.release(1.0, named, slots_only=True) for _ in range(2)] == [1, 0]
    assert (frontier.hosts.leases("a"), states(frontier)) == (0, {"waiting": 1, "processing": 1})
    assert lease(frontier, now=1.0) == "a/2"
    frontier.end("http://a/1", State.ERROR, "timeout", 2.0)
    assert frontier.hosts.leases("a") == 1


def test_a_url_set_aside_waits_and_is_leased_only_once_it_is_recalled(frontier: Frontier) -> None:
    push(frontier, ("a/1", 3.0), ("a/2", 2.0), ("b/1", 1.0))
    assert lease(frontier) == "a/1"
    assert frontier.release(5.0, ["http://a/1", "http://z/1"], reason="timeout") == 1
    row = frontier.look().row("http://a/1")
    assert (row.state, row.reason, row.changed, row.score) == (State.WAITING, "timeout", 5.0, 3.0)
    assert frontier.hosts.leases("a") == 0
    assert push(frontier, ("a/1", 4.0)) == {"raised": 1}
    assert frontier.rescore([Score("http://a/1", 5.0)]) == 1
    assert [lease(frontier), lease(frontier), lease(frontier)] == ["a/2", "b/1", None]
    frontier.end("http://a/2", State.COMPLETED, "", 5.0)
    assert lease(frontier) is None
    frontier.recall(["http://a/1", "http://a/2", "http://z/1"])
    assert (lease(frontier), states(frontier)) == ("a/1", {"processing": 2, "completed": 1})


def test_a_host_whose_urls_are_all_set_aside_is_not_ready(frontier: Frontier) -> None:
    push(frontier, ("a/1", 3.0))
    assert lease(frontier) == "a/1"
    frontier.release(0.0, ["http://a/1"], reason="timeout")
    assert (lease(frontier), frontier.hosts.next_ready(0.0)) == (None, None)
    assert frontier.look().waiting() == 1
    push(frontier, ("a/2", 1.0))
    frontier.recall(["http://a/1"])
    frontier.commit()
    assert drain(frontier) == ["a/1", "a/2"]


def test_a_url_set_aside_can_be_the_target_of_a_redirect(frontier: Frontier) -> None:
    push(frontier, ("a/1", 3.0))
    lease(frontier)
    frontier.release(0.0, ["http://a/1"], reason="timeout")
    assert lease_target(frontier, "a/1", 5.0, 1.0) == "a/1"
    frontier.release(1.0, ["http://a/1"])
    assert drain(frontier) == ["a/1"]


def test_failed_tries_are_counted_while_a_url_waits_or_is_leased(frontier: Frontier) -> None:
    push(frontier, ("a/1", 3.0))
    assert frontier.count_try("http://z/1") == 0
    leased = frontier.lease(0.0)
    assert leased.tries == 0
    assert frontier.count_try("http://a/1") == 1
    frontier.release(0.0, ["http://a/1"], reason="timeout")
    frontier.commit()
    assert frontier.count_try("http://a/1") == 2
    push(frontier, ("a/1", 6.0))
    frontier.recall(["http://a/1"])
    frontier.commit()
    again = frontier.lease(0.0)
    assert (again.score, again.tries) == (6.0, 2)
    row = frontier.look().row("http://a/1")
    assert row.tries == 2
    frontier.end("http://a/1", State.ERROR, "timeout", 1.0)
    assert frontier.count_try("http://a/1") == 0
    push(frontier, ("a/1", 1.0), again=True)
    begun = frontier.lease(2.0)
    assert begun.tries == 0


def test_leases_past_their_deadline_go_back(make: Make) -> None:
    frontier = make(lease_seconds=30.0)
    push(frontier, ("a/1", 3.0), ("b/1", 2.0))
    assert (lease(frontier, now=0.0), lease(frontier, now=10.0)) == ("a/1", "b/1")
    assert [frontier.release(now) for now in (29.9, 30.0, 30.0)] == [0, 1, 0]
    assert frontier.look().counts()[State.PROCESSING] == 1
    frontier.end("http://a/1", State.COMPLETED, "too late", 31.0)
    assert drain(frontier, now=31.0) == ["a/1"]


def test_a_refusal_discards_and_costs_the_host_nothing(make: Make) -> None:
    frontier = make(Hosts(delay_seconds=10.0))
    push(frontier, ("a/1", 4.0), ("a/2", 3.0), ("b/1", 2.0), ("a/3", 1.0))
    seen: list[str | None] = []

    def accept(leased: Leased) -> str | None:
        seen.append(name(leased))
        return "refused" if leased.score > 2.5 else None

    assert name(frontier.lease(3.0, accept)) == "b/1"
    assert name(frontier.lease(3.0, accept)) == "a/3"
    assert frontier.lease(3.0, accept) is None
    assert seen == ["a/1", "a/2", "b/1", "a/3"]
    row = frontier.look().row("http://a/2")
    assert (row.state, row.reason, row.changed) == (State.DISCARDED, "refused", 3.0)
    assert states(frontier) == {"processing": 2, "discarded": 2}


def test_rows_have_state_reason_and_times_in_order_of_arrival(frontier: Frontier) -> None:
    push(frontier, ("a/1", 1.0), ("b/1", 2.0), now=10.0)
    push(frontier, ("c/1", 3.0), now=11.0)
    assert lease(frontier, now=12.0) == "c/1"
    assert lease(frontier, now=13.0) == "b/1"
    frontier.end("http://c/1", State.ERROR, "404", 14.0)
    rows = [
        (row.link.host, row.score, row.state.value, row.reason, row.added, row.changed)
        for row in frontier.look().rows()
    ]
    assert rows == [
        ("a", 1.0, "waiting", "", 10.0, 10.0),
        ("b", 2.0, "processing", "", 10.0, 13.0),
        ("c", 3.0, "error", "404", 11.0, 14.0),
    ]
    assert [row.link.host for row in frontier.look().rows(State.PROCESSING)] == ["b"]
    assert [waiting.host for waiting in frontier.look().queued()] == ["a"]
    assert (frontier.look().waiting(), frontier.look().row("http://z/1")) == (1, None)


def test_a_host_whose_last_url_left_no_longer_asks_to_be_woken(make: Make) -> None:
    frontier = make(Hosts(delay_seconds=5.0))
    push(frontier, ("a/1", 1.0))
    assert lease(frontier) == "a/1"
    assert (frontier.hosts.next_ready(0.0), waits(frontier.hosts, 0.0)) == (None, {})
    push(frontier, ("a/2", 1.0))
    assert frontier.hosts.next_ready(0.0) is None
    frontier.end("http://a/1", State.COMPLETED, "", 1.0)
    assert (frontier.hosts.next_ready(1.0), waits(frontier.hosts, 1.0)) == (5.0, {"delay": 1})


def test_notes_are_kept_by_name(frontier: Frontier) -> None:
    assert frontier.notes.get("strategy") is None
    frontier.notes.put("strategy", "{}")
    frontier.notes.put("strategy", '{"词": 1}')
    assert frontier.notes.get("strategy") == '{"词": 1}'
    frontier.commit()
    assert frontier.notes.get("strategy") == '{"词": 1}'


def test_a_thousand_urls_of_one_host_leave_in_order(frontier: Frontier) -> None:
    scores = [float(n * 7919 % 1001) for n in range(1000)]
    push(frontier, *((f"a/{n}", score) for n, score in enumerate(scores)))
    push(frontier, *((f"a/{n}", scores[n] + 500) for n in range(0, 1000, 3)))
    final = [score + 500 * (n % 3 == 0) for n, score in enumerate(scores)]
    assert drain(frontier) == [f"a/{n}" for n in sorted(range(1000), key=lambda n: (-final[n], n))]


def test_the_last_look_may_leave_a_url_waiting_and_skip_its_host_or_stop(frontier: Frontier) -> None:
    push(frontier, ("a/1", 0.9), ("a/2", 0.8), ("b/1", 0.7), ("c/1", 0.6))

    def look(leased: Leased) -> Postpone | str | None:
        if leased.link.host == "a":
            frontier.hosts.back_off("a", inf, "host budget")
            return Postpone.SKIP_HOST
        return "poor" if leased.link.host == "b" else None

    assert name(frontier.lease(0.0, look)) == "c/1"
    assert states(frontier) == {"waiting": 2, "processing": 1, "discarded": 1}
    assert frontier.hosts.next_ready(0.0) is None
    assert waits(frontier.hosts, 1e9) == {"host budget": 1}
    push(frontier, ("d/1", 0.5))
    assert frontier.lease(0.0, lambda _: Postpone.STOP) is None
    assert frontier.hosts.next_ready(0.0) == 0.0
    assert lease(frontier) == "d/1"
    assert [frontier.look().waiting_in(hosts) for hosts in ({"a"}, {"a", "c"}, set())] == [2, 2, 0]


def test_waiting_urls_are_counted_by_host(frontier: Frontier) -> None:
    push(frontier, ("a/1", 0.9), ("a/2", 0.8), ("b/1", 0.95), ("c/1", 0.6))
    assert lease(frontier) == "b/1"
    assert frontier.look().waiting_by_host() == {"a": 2, "c": 1}


def test_the_best_that_wait_are_listed_whatever_their_hosts(frontier: Frontier) -> None:
    push(frontier, ("a/1", 1.0), ("b/2", 3.0), ("a/3", 2.0), ("a/4", 3.0), ("c/5", 0.5))
    assert lease(frontier) == "b/2"
    assert [row.link.url for row in frontier.look().best(3)] == ["http://a/4", "http://a/3", "http://a/1"]
    frontier.rescore([Score("http://c/5", 9.0)])
    assert [row.score for row in frontier.look().best(9)] == [9.0, 3.0, 2.0, 1.0]


def test_the_queue_can_be_read_behind_a_url(frontier: Frontier) -> None:
    push(frontier, *((f"a/{number}", 1.0) for number in range(5)))
    lease(frontier)
    assert [link.url for link in frontier.look().queued("http://a/2")] == ["http://a/3", "http://a/4"]
    assert [link.url[-1] for link in frontier.look().queued("http://a/0")] == ["1", "2", "3", "4"]
    assert [link.url[-1] for link in frontier.look().queued("http://unknown/")] == ["1", "2", "3", "4"]


def test_a_url_leased_while_the_queue_is_read_is_not_given_any_more(frontier: Frontier) -> None:
    for now, url, score in ((0.0, "a/1", 1.0), (1.0, "b/1", 3.0), (2.0, "c/1", 2.0)):
        push(frontier, (url, score), now=now)
    reading = frontier.look().queued()
    assert next(reading).url == "http://a/1"
    assert lease(frontier) == "b/1"
    assert [link.url for link in reading] == ["http://c/1"]


def test_notes_are_found_by_the_beginning_of_their_name(frontier: Frontier) -> None:
    for note in ("budget/a", "budget/b%", "harvest", "budget"):
        frontier.notes.put(note, note.upper())
    assert frontier.notes.all("budget/") == {"budget/a": "BUDGET/A", "budget/b%": "BUDGET/B%"}
    assert sorted(frontier.notes.all()) == ["budget", "budget/a", "budget/b%", "harvest"]
    assert frontier.notes.all("x") == {}


def test_a_push_can_move_what_waits_or_was_never_met(frontier: Frontier) -> None:
    push(frontier, ("a/1", 3.0), ("b/1", 2.0), ("c/1", 1.0))
    assert [lease(frontier), lease(frontier)] == ["a/1", "b/1"]
    frontier.end("http://b/1", State.COMPLETED, "stored", 0.0)
    asked = ["a/1", "b/1", "c/1", "d/1"]
    assert [url for url in asked if frontier.look().is_open(f"http://{url}")] == ["c/1", "d/1"]
    frontier.release(0.0, ["http://a/1"])
    assert frontier.look().is_open("http://a/1")


def test_an_anchor_is_new_once_for_each_url_that_waits_or_was_never_met(frontier: Frontier) -> None:
    frontier.push([(link("a/1", anchor="基金"), Score("http://a/1", 1.0))], now=0.0)
    push(frontier, ("b/1", 0.5))
    for url, text, is_new in (
        ("a/1", "基金", False), ("a/1", "股票", True), ("a/1", "股票", False), ("b/1", "", False), ("b/1", "基金", True),
        ("c/1", "基金", True), ("c/1", "基金", True),
    ):  # fmt: skip
        assert frontier.look().is_new_anchor(f"http://{url}", text) is is_new
    assert lease(frontier) == "a/1"
    assert not frontier.look().is_new_anchor("http://a/1", "债券")
    frontier.release(0.0, ["http://a/1"])
    assert [frontier.look().is_new_anchor("http://a/1", text) for text in ("债券", "债券")] == [True, False]


def test_a_url_that_was_asked_about_before_anything_waited_is_leased_as_any_other(frontier: Frontier) -> None:
    assert frontier.rescore([Score("http://a/1", 1.0), Score("http://b/1", 1.0)]) == 0
    assert lease(frontier) is None
    assert lease_target(frontier, "a/1", 1.0, 0.0) == "a/1"
    push(frontier, ("b/1", 2.0))
    assert lease(frontier) == "b/1"
