"""Hosts with a pace of their own."""

from topiccrawler.frontier.host_ranking import Pace, Paces
from topiccrawler.frontier.hosts import Hosts


def test_a_host_has_its_own_pace_and_its_ports_share_it_unless_they_have_one() -> None:
    slow, port = Pace(9.0, 1), Pace(0.0, 3)
    paces = Paces(Pace(1.0, 2), {"a.example": slow, "a.example:81": port})
    assert [paces.of(host) for host in ("a.example", "a.example:8080", "a.example:81")] == [slow, slow, port]
    assert paces.of("b.example") == Pace(1.0, 2)
    assert [paces.key(host) for host in ("a.example:8080", "a.example:81", "b.example:81")] == [
        "a.example", "a.example:81", "b.example:81",
    ]  # fmt: skip


def test_a_host_is_asked_at_its_own_pace() -> None:
    hosts = Hosts(delay_seconds=1.0)
    hosts.paces = Paces(hosts.paces.usual, {"fast": Pace(0.0, 2)})
    for host in ("fast", "usual"):
        hosts.occupy(host, 0.0)
        hosts.want(host, (-1.0, 0))
    assert (hosts.ready("fast", 0.0), hosts.ready("usual", 0.0)) == (True, False)
    assert (hosts.delay("fast"), hosts.delay("usual"), hosts.delay("fast:81")) == (0.0, 1.0, 0.0)
    hosts.occupy("fast", 0.0)
    assert (hosts.waiting_reason("fast", 0.0), hosts.waiting_reason("usual", 0.5)) == ("busy", "delay")
    hosts.done("usual", 0.5)
    assert hosts.best(1.0) == "usual"
    hosts.done("fast", 1.0)
    assert hosts.waiting_reason("fast", 1.0) is None
