"""One host's clock."""

from __future__ import annotations

from math import inf

from topiccrawler.frontier.host_ranking import Pace
from topiccrawler.frontier.hosts import HostClock


def test_a_new_clock_is_free_at_once() -> None:
    clock = HostClock("a")
    assert (clock.time(), clock.reason(0.0, Pace(1.0, 1))) == (-inf, None)


def test_the_later_of_delay_and_back_off_gives_time_and_reason() -> None:
    clock = HostClock("a")
    clock.begin(0.0, 5.0)
    clock.back_off(3.0, "retry-after")
    assert (clock.time(), clock.reason(2.0, Pace(5.0, 2))) == (5.0, "delay")
    clock.back_off(7.0, "retry-after")
    assert (clock.time(), clock.reason(2.0, Pace(5.0, 2))) == (7.0, "retry-after")
    assert (clock.reason(7.0, Pace(5.0, 2)), clock.reason(7.0, Pace(5.0, 1))) == (None, "busy")


def test_a_slot_comes_back_only_once() -> None:
    clock = HostClock("a")
    clock.begin(0.0, 5.0)
    clock.end()
    clock.begin(10.0, 5.0)
    clock.release()
    clock.release()
    assert (clock.time(), clock.leases) == (5.0, 0)
