"""What a failed request says: of its URL, of its host, or of the network."""

from math import inf

import pytest

from topiccrawler.crawling.outages import Outages, Patience, Sign, passes
from topiccrawler.frontier.hosts import Hosts

REFUSED, TIMEOUT = Sign(network=True, host=True), Sign(network=True, host=False)
TLS = Sign(network=False, host=True)
PROXY = "http://proxy.cn:3128"


class Seen:
    """Outages over hosts, with what they had counted and recalled."""

    def __init__(self, **patience: float) -> None:
        self.counted: list[str] = []
        self.recalled: list[str] = []
        self.hosts = Hosts()
        self.outages = Outages(
            self.hosts, count=self.counted.append, recall=self.recalled.extend, patience=Patience(**patience)
        )

    def answers(
        self, *hosts: str, now: float = 0.0, status: int = 200, way: str = "", is_probe: bool = False
    ) -> None:
        for host in hosts:
            self.outages.answered(f"http://{host}", host, status, now, way=way, is_probe=is_probe)

    def fails(self, *hosts: str, now: float, sign: Sign = REFUSED, way: str = "") -> None:
        for host in hosts:
            self.outages.failed(host, "connection refused", sign, now, way=way)

    def waits(self, *hosts: str, now: float) -> list[tuple[str | None, float]]:
        return [
            (self.hosts.waiting_reason(host, now), max(0.0, self.hosts.ready_at(host) - now))
            for host in hosts
        ]


@pytest.fixture
def seen() -> Seen:
    return Seen()


def healthy(seen: Seen, pages: int = 60) -> None:
    for _ in range(pages):
        seen.answers("a.cn", "b.cn")


@pytest.mark.parametrize(
    ("status", "may_pass"),
    [
        (200, False),
        (404, False),
        (403, False),
        (408, True),
        (425, True),
        (429, True),
        (500, True),
        (599, True),
    ],
)
def test_statuses_that_may_be_others_later(status: int, may_pass: bool) -> None:
    assert passes(status) is may_pass


def test_a_host_that_refuses_waits_ever_longer_and_is_closed_at_last() -> None:
    seen, now, gaps = Seen(host_failures=5, most_seconds=30.0), 0.0, []
    for _ in range(5):
        seen.fails("dead.cn", now=now)
        gaps.append(seen.waits("dead.cn", now=now)[0])
        now += gaps[-1][1]
    assert gaps == [("failing: connection refused", gap) for gap in (10.0, 20.0, 30.0, 30.0)] + [
        ("closed: connection refused", inf)
    ]


def test_requests_that_fail_together_are_one_failure(seen: Seen) -> None:
    seen.fails("dead.cn", "dead.cn", "dead.cn", now=0.0)
    assert seen.waits("dead.cn", now=0.0) == [("failing: connection refused", 10.0)]


def test_one_time_out_is_of_its_url_and_a_second_in_a_row_of_the_host(seen: Seen) -> None:
    seen.fails("slow.cn", now=0.0, sign=TIMEOUT)
    assert seen.waits("slow.cn", now=0.0) == [(None, 0.0)]
    seen.answers("slow.cn")
    seen.fails("slow.cn", now=1.0, sign=TIMEOUT)
    assert seen.waits("slow.cn", now=1.0) == [(None, 0.0)]
    seen.answers("slow.cn", now=2.0, status=500)
    assert seen.waits("slow.cn", now=2.0) == [("failing: http 500", 20.0)]


def test_a_url_of_a_busy_server_is_tried_when_the_server_said_and_later_like_any_other(seen: Seen) -> None:
    seen.outages.answered("http://a.cn", "a.cn", 429, 0.0, retry_after=3.0)
    for tries, due in ((0, 3.0), (1, 80.0)):
        seen.outages.set_aside("http://a.cn/1", "a.cn", tries, 0.0, counts=True)
        assert seen.outages.next_due() == due
        seen.outages.recall_due(due)


def test_the_network_is_away_when_hosts_fail_and_so_does_one_that_has_answered(seen: Seen) -> None:
    healthy(seen)
    outages = seen.outages
    seen.fails("c.cn", now=100.0)
    outages.set_aside("http://c.cn/1", "c.cn", 0, 100.0)
    assert not outages.stops
    seen.fails("d.cn", now=101.0)
    assert (outages.stops, outages.line(101.0), outages.next_probe()) == (True, "", 101.0)
    assert outages.probe(101.0) == ("", "http://b.cn")
    assert outages.next_probe() is None
    seen.fails("b.cn", now=102.0)
    outages.probed("", 102.0)
    assert (outages.stops, outages.is_settled, seen.recalled) == (True, True, ["http://c.cn/1"])
    assert not outages.set_aside("http://d.cn/1", "d.cn", 0, 102.0)  # it fails now: unharmed
    assert outages.line(112.0) == "the network is away for 10 s, tried again in 0 s"
    assert seen.waits("c.cn", "d.cn", now=102.0) == [("network away", 1.0), ("network away", 1.0)]


def test_probes_go_to_hosts_that_answered_in_turn_with_growing_gaps(seen: Seen) -> None:
    healthy(seen)
    seen.fails("c.cn", "d.cn", now=0.0)
    now, asked, gaps = 0.0, [], []
    for _ in range(9):
        found = seen.outages.probe(now)
        asked.append(found[1])
        seen.outages.probed("", now)
        due = seen.outages.next_probe()
        assert due is not None
        gaps.append(due - now)
        now = due
    assert asked[:4] == ["http://b.cn", "http://a.cn", "http://b.cn", "http://a.cn"]
    assert gaps == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


def test_the_crawl_goes_on_with_the_first_success_and_nothing_was_counted(seen: Seen) -> None:
    healthy(seen)
    seen.fails("c.cn", "d.cn", now=0.0)
    seen.outages.probe(0.0)
    seen.outages.probed("", 0.0)
    seen.answers("a.cn", now=60.0, status=404, is_probe=True)  # any response shows that the network is there
    seen.outages.probed("", 60.0)
    assert (seen.outages.stops, seen.outages.line(60.0), seen.outages.next_probe()) == (False, "", None)
    assert seen.waits("c.cn", "d.cn", now=60.0) == [(None, 0.0), (None, 0.0)]
    assert (seen.outages.outages, seen.counted) == (1, [])
    seen.fails("c.cn", now=61.0)
    assert seen.waits("c.cn", now=61.0) == [("failing: connection refused", 10.0)]  # the first failure again


def test_an_answer_says_nothing_of_what_failed_after_its_request_was_sent(seen: Seen) -> None:
    healthy(seen)
    seen.fails("c.cn", now=10.0)
    seen.outages.set_aside("http://c.cn/1", "c.cn", 0, 10.0)
    seen.outages.answered("http://a.cn", "a.cn", 200, 11.0, begun=9.0)  # it was late
    assert seen.counted == []
    seen.fails("d.cn", now=11.0)
    assert seen.outages.stops  # two hosts, and no success since
    seen.answers("b.cn", now=11.5)
    assert seen.outages.stops  # only a probe decides
    seen.outages.probe(12.0)
    seen.outages.probed("", 12.0)
    assert seen.outages.next_probe() == 13.0
    seen.answers("b.cn", now=12.5)
    assert (seen.outages.stops, seen.outages.next_probe()) == (True, 12.5)  # a good sign: ask at once


def test_among_many_dead_hosts_a_short_run_of_failures_is_no_sign(seen: Seen) -> None:
    healthy(seen)
    for number in range(200):  # two of three hosts are dead
        seen.fails(f"dead{number}.cn", f"gone{number}.cn", now=0.0)
        seen.answers("a.cn" if number % 2 else "b.cn", is_probe=True)
        assert not seen.outages.stops or number < 20
    for number in range(10):
        seen.fails(f"late{number}.cn", now=0.0)
        assert not seen.outages.stops
    for number in range(10, 30):
        seen.fails(f"late{number}.cn", now=0.0)
    assert seen.outages.stops


def test_failures_of_one_host_or_of_tls_are_not_of_the_network(seen: Seen) -> None:
    healthy(seen)
    seen.fails(*["c.cn"] * 50, now=0.0)
    seen.fails(*[f"tls{number}.cn" for number in range(50)], now=0.0, sign=TLS)
    assert not seen.outages.stops


def test_a_crawl_that_nothing_has_answered_tries_on(seen: Seen) -> None:
    seen.fails(*[f"dead{number}.cn" for number in range(100)], now=0.0)
    assert not seen.outages.stops


def test_one_proxy_that_is_away_stops_only_what_goes_through_it(seen: Seen) -> None:
    healthy(seen)
    for _ in range(60):
        seen.answers("p.cn", "q.cn", way=PROXY)
    seen.fails("p.cn", "q.cn", now=0.0, way=PROXY)
    assert seen.outages.probe(0.0) == (PROXY, "http://q.cn")
    seen.fails("p.cn", now=0.0, way=PROXY)
    seen.outages.probed(PROXY, 0.0)
    assert seen.outages.line(5.0) == f"the proxy {PROXY} is away for 5 s, tried again in 0 s"
    assert not seen.outages.stops
    assert seen.waits("p.cn", "a.cn", now=0.0) == [("network away", 1.0), (None, 0.0)]
    assert seen.outages.set_aside("http://a.cn/1", "a.cn", 0, 0.0)
    assert not seen.outages.set_aside("http://p.cn/1", "p.cn", 0, 0.0, way=PROXY)
    seen.fails("r.cn", now=0.5, way=PROXY)
    assert seen.waits("r.cn", now=0.5) == [("network away", 0.5)]
    seen.answers("p.cn", now=2.0, way=PROXY, is_probe=True)
    assert seen.waits("p.cn", "r.cn", now=2.0) == [(None, 0.0), (None, 0.0)]


def test_a_resumed_job_knows_whom_to_ask(seen: Seen) -> None:
    healthy(seen)
    resumed = Seen()
    resumed.outages.restore(seen.outages.note())
    assert not resumed.outages.stops
    resumed.fails("a.cn", "b.cn", now=0.0)
    assert (resumed.outages.stops, resumed.outages.probe(0.0)) == (True, ("", "http://b.cn"))


@pytest.mark.parametrize("note", ["", "{", "[]", '{"": 1}', '{"": [[], 0]}', '{"": [3, 0, 0]}'])
def test_a_damaged_note_is_ignored(seen: Seen, note: str) -> None:
    seen.outages.restore(note)
    seen.fails("a.cn", now=0.0)
    assert not seen.outages.stops


def test_what_a_crawl_with_nothing_else_to_do_waits_for(seen: Seen) -> None:
    outages, hosts = seen.outages, seen.hosts
    hosts.want("dead.cn", (0.0, 0))
    seen.fails("dead.cn", now=0.0)
    outages.set_aside("http://dead.cn/1", "dead.cn", 0, 0.0)
    assert outages.urls_are_worth_waiting(0.0)  # nothing has answered yet
    seen.answers("a.cn")
    assert (outages.urls_are_worth_waiting(0.0), hosts.may_come(0.0)) == (False, False)
    outages.set_aside("http://a.cn/1", "a.cn", 0, 0.0)
    assert outages.urls_are_worth_waiting(0.0)
    outages.set_aside("http://a.cn/1", "a.cn", 1, 0.0)  # the third try is in 80 s
    assert not outages.urls_are_worth_waiting(0.0)
    hosts.want("a.cn", (0.0, 1))
    seen.fails("a.cn", now=0.0)
    assert hosts.may_come(0.0)  # it has answered before


def test_challenges_back_off_ever_longer_until_a_page_comes() -> None:
    hosts = Hosts()
    outages = Outages(hosts)
    now, gaps = 0.0, []
    for _ in range(3):
        outages.answered("http://a.example", "a.example", 200, now)  # a challenge is answered with 200
        outages.challenged("a.example", now)
        gaps.append(hosts.ready_at("a.example") - now)
        now = hosts.ready_at("a.example")
    assert gaps == [10.0, 20.0, 40.0]
    outages.challenged("a.example", now)
    assert hosts.waiting_reason("a.example", now) == "challenge"
    outages.recovered("a.example")
    now = hosts.ready_at("a.example")
    outages.challenged("a.example", now)
    assert hosts.ready_at("a.example") - now == 10.0


def test_a_robots_txt_that_fails_counts_for_the_network_and_not_for_its_host() -> None:
    hosts = Hosts()
    outages = Outages(hosts)
    returned: list[str] = []
    outages.returned = returned.extend
    outages.answered("http://a.example", "a.example", 200, 0.0)
    assert outages.answered("http://b.example", "b.example", 500, 0.0, is_robots=True) is None
    network = Sign(network=True, host=True)
    for n in range(20):
        outages.failed(f"h{n}.example", "timeout", network, 1.0 + n, is_robots=True)
        assert hosts.ready(f"h{n}.example", 1.0 + n) is (outages.probe(0.0) is None)
    assert outages.stops
    assert outages.probe(30.0) == ("", "http://b.example")
    outages.probed("", 31.0)
    outages.answered("http://b.example", "b.example", 200, 33.0, is_probe=True)
    assert not outages.stops
    assert "h0.example" in returned
