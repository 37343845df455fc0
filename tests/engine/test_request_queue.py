from math import inf

from scrapy import Request
from scrapy.utils.request import fingerprint

from topiccrawler.engine.leases import META
from topiccrawler.engine.scheduler import RequestQueue
from topiccrawler.frontier.hosts import Hosts


def test_the_highest_priority_of_a_ready_host_goes_first_and_equals_in_order() -> None:
    hosts = Hosts(delay_seconds=5.0)
    side = RequestQueue(hosts, fingerprint)
    for host, path, priority in [("a", "1", 0), ("b", "2", 7), ("a", "3", 9), ("b", "4", 7), ("c", "5", 7)]:
        side.push(Request(f"http://{host}.example/{path}", priority=priority), host)
    first = [popped[0].url[-1] for _ in range(5) if (popped := side.pop(0.0)) is not None]
    assert first == ["3", "2", "5"]
    assert (len(side), side.next_ready(0.0)) == (2, None)
    hosts.done("a", 1.0)
    assert side.next_ready(1.0) == 5.0
    assert side.pop(4.9) is None
    assert side.pop(5.0)[0].url.endswith("1")  # type: ignore[index]


def test_what_was_asked_for_before_is_a_repeat_unless_it_may_come_again() -> None:
    side = RequestQueue(Hosts(), fingerprint)
    first, other = Request("http://a.example/?x=1&y=2"), Request("http://a.example/", method="POST")
    same = Request("http://a.example/?y=2&x=1")
    again = same.replace(dont_filter=True)
    assert [side.is_repeat(request) for request in (first, other, same, again)] == [False, False, True, False]


def test_what_waits_long_is_taken_out_if_it_is_leased_and_a_closed_host_is_none_to_wait_for() -> None:
    hosts = Hosts()
    side = RequestQueue(hosts, fingerprint)
    for host, path, meta in [
        ("a", "1", {}),
        ("a", "2", {META: 1}),
        ("b", "3", {META: 2}),
        ("c", "4", {META: 3}),
    ]:
        side.push(Request(f"http://{host}.example/{path}", meta=meta), host)
    hosts.back_off("a", inf, "closed")
    hosts.back_off("b", 30.0, "retry-after")
    hosts.back_off("c", 90.0, "retry-after")
    assert side.hosts() == ["b", "c"]
    assert sorted(request.url[-1] for request in side.take_leased(60.0)) == ["2", "4"]
    assert (len(side), side.hosts(), side.take_leased(60.0)) == (2, ["b"], [])
    hosts.reopen("a")
    assert side.pop(0.0)[0].url.endswith("1")  # type: ignore[index]
