import time

import pytest
from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.http import Response
from scrapy.robotstxt import ProtegoRobotParser
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.outages import Outages, Patience
from topiccrawler.engine.politeness import Politeness, host_key, retry_after_seconds
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.urls.canonical import canonical, host_of

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.fixture
def hosts() -> Hosts:
    return Hosts(delay_seconds=1.0)


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def politeness(hosts: Hosts, clock: Clock) -> Politeness:
    return Politeness(
        hosts,
        Outages(hosts, patience=Patience(host_failures=2_000, first_seconds=10.0, most_seconds=100.0)),
        clock,
        StatsCollector(get_crawler()),
        slots={"slow.example": Slot(concurrency=1, delay=7.0)},
        user_agent="topiccrawler",
    )


def answer(status: int, **headers: str) -> tuple[Response, Request]:
    request = Request("http://a.example/page")
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(request.url, status=status, headers=names, request=request), request


@pytest.mark.parametrize(("asked", "kept"), [("5", 5.0), ("0.5", 1.0), ("86400", 60.0)])
def test_crawl_delay_lengthens_the_hosts_delay_up_to_the_limit(
    politeness: Politeness, hosts: Hosts, asked: str, kept: float
) -> None:
    robots = ProtegoRobotParser(f"User-agent: *\nCrawl-delay: {asked}\n".encode(), spider=None)
    politeness.robots_parsed(robots, Request("http://a.example/x"))
    assert hosts.delay("a.example") == kept


def test_busy_answers_without_retry_after_back_off_ever_longer(
    politeness: Politeness, hosts: Hosts, clock: Clock
) -> None:
    rests = []
    for _ in range(5):
        politeness.response_downloaded(*answer(503))
        rests.append(hosts.ready_at("a.example") - clock.now)
        clock.now = hosts.ready_at("a.example")
    assert rests == [10.0, 20.0, 40.0, 80.0, 100.0]


def test_busy_answers_to_requests_that_were_under_way_together_back_off_once(
    politeness: Politeness, hosts: Hosts
) -> None:
    for _ in range(5):
        politeness.response_downloaded(*answer(429))
    assert hosts.ready_at("a.example") - NOW == 10.0


def test_a_good_answer_ends_the_doubling(politeness: Politeness, hosts: Hosts, clock: Clock) -> None:
    politeness.response_downloaded(*answer(429))
    clock.now = NOW + 10.0
    politeness.response_downloaded(*answer(200))
    politeness.response_downloaded(*answer(429))
    assert hosts.ready_at("a.example") - clock.now == 10.0


def test_a_host_is_asked_as_seldom_as_the_downloader_found_best(politeness: Politeness, hosts: Hosts) -> None:
    request = Request("http://slow.example/", meta={"download_slot": "slow.example"})
    politeness.response_downloaded(Response(request.url, request=request), request)
    politeness.response_downloaded(*answer(200))
    assert (hosts.delay("slow.example"), hosts.delay("a.example")) == (7.0, 1.0)


def test_retry_after_backs_off_as_long_as_it_asks_and_no_longer_than_the_limit(
    politeness: Politeness, hosts: Hosts
) -> None:
    politeness.response_downloaded(*answer(429, Retry_After="30"))
    assert hosts.waiting_reason("a.example", NOW) == "retry-after"
    assert hosts.ready_at("a.example") - NOW == 30.0
    politeness.response_downloaded(*answer(503, Retry_After="999999999999999"))
    assert hosts.ready_at("a.example") - NOW == 100.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60.0),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0.0),
        ("soon", None),
        ("Thu, 01 Jan 1970 00:00:00 +99999999999999", None),
        ("", None),
        ("٣", None),
        ("-5", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(text: str, seconds: float | None) -> None:
    response = Response("http://a.example/", headers={"Retry-After": text.encode()})
    assert retry_after_seconds(response, NOW) == seconds


@pytest.mark.parametrize(
    "text", ["Tue Nov 14 22:14:20 2023", "Tue, 14 Nov 2023 22:14:20", "Tue, 14 Nov 2023 22:14:20 -0000"]
)
@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York"])
def test_a_date_without_a_zone_is_in_utc_wherever_the_crawl_runs(
    monkeypatch: pytest.MonkeyPatch, text: str, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        response = Response("http://a.example/", headers={"Retry-After": text.encode()})
        assert retry_after_seconds(response, NOW) == 60.0
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://A.example/", "a.example"),
        ("http://a.example:80/", "a.example"),
        ("https://a.example:443/", "a.example"),
        ("http://a.example:8080/", "a.example:8080"),
        ("http://a.example./", "a.example"),
        ("http://a.example.:8080/", "a.example:8080"),
        ("http://[2001:DB8::1]/", "[2001:db8::1]"),
        ("http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"),
    ],
)
def test_hosts_are_spelled_as_links_spell_them(url: str, key: str) -> None:
    assert host_key(Request(url)) == key == host_of(str(canonical(url)))
