from collections.abc import Callable, Iterator
from typing import Any

import pytest
from drawn_crawls import Crawl
from drawn_web import answer
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler
from twisted.internet.error import DNSLookupError

from topiccrawler.crawling.admission import PRIVATE_ADDRESS
from topiccrawler.engine.private_network import (
    PrivateNetworkMiddleware,
    PrivateNetworkResolver,
    inside,
    resolved_address,
    strangers,
)
from topiccrawler.model import Link
from topiccrawler.urls.canonical import host_of


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    """What the process has learned of names, no other test shall know."""
    yield
    strangers.clear()
    inside.clear()


@pytest.fixture
def guard() -> PrivateNetworkMiddleware:
    return PrivateNetworkMiddleware(["127.0.0.1:8000", "intranet.example"], StatsCollector(get_crawler()))


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9000/",
        "http://127.1/",
        "http://a@10.0.0.7/x",
        "https://[::1]/",
        "http:///127.0.0.1/",
        "http://nas/",
    ],
)
@pytest.mark.parametrize("meta", [{}, {"proxy": "http://127.0.0.1:3128"}], ids=["direct", "proxy"])
def test_a_host_spelt_as_one_of_our_own_network_is_refused(
    guard: PrivateNetworkMiddleware, url: str, meta: dict[str, str]
) -> None:
    with pytest.raises(IgnoreRequest, match=PRIVATE_ADDRESS):
        guard.process_request(Request(url, meta={**meta}))
    assert guard.stats.get_value("topic/private_addresses/refused") == 1


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://127.0.0.1:8000/seed"),
        Request("http://127.0.0.1:8000/robots.txt", meta={"proxy": "http://127.0.0.1:3128"}),
        Request("http://a.example/", meta={"proxy": "http://127.0.0.1:3128"}),
        Request("http://114.114.114.114/"),
        Request("data:,x"),
    ],
    ids=["seed", "proxied seed", "name for the proxy", "open", "no host"],
)
def test_seeds_proxied_requests_and_open_addresses_pass(
    guard: PrivateNetworkMiddleware, request_: Request
) -> None:
    guard.process_request(request_)
    assert strangers == set()


def test_a_seed_with_an_ipv6_address_of_our_own_passes_and_another_port_does_not() -> None:
    guard = PrivateNetworkMiddleware([host_of("http://[::1]:8000/")], StatsCollector(get_crawler()))
    guard.process_request(Request("http://[::1]:8000/page"))
    with pytest.raises(IgnoreRequest, match=PRIVATE_ADDRESS):
        guard.process_request(Request("http://[::1]:9000/"))


def test_a_name_is_refused_once_it_was_seen_to_lead_inside(guard: PrivateNetworkMiddleware) -> None:
    stranger, other_port = Request("http://trap.example/"), Request("http://intranet.example:81/")
    guard.process_request(stranger)
    guard.process_request(other_port)
    assert strangers == {"trap.example"}
    inside.update({"trap.example": "10.0.0.1", "intranet.example": "10.0.0.2"})
    with pytest.raises(IgnoreRequest, match=r"trap\.example = 10\.0\.0\.1"):
        guard.process_exception(stranger, OSError("lookup failed"))
    with pytest.raises(IgnoreRequest, match=r"intranet\.example = 10\.0\.0\.2"):
        guard.process_request(other_port)
    guard.process_request(Request("http://intranet.example/"))


def test_an_explanation_is_told_the_private_address_that_a_name_was_seen_to_have() -> None:
    inside.update({"trap.example": "10.0.0.1", "intranet.example": "10.0.0.2"})
    known = resolved_address({"intranet.example"}).known
    said = [
        known(Link(f"http://{host}/", host)) for host in ("trap.example:81", "intranet.example", "a.example")
    ]
    assert [None if one is None else (one.passed, one.reason) for one in said] == [
        (False, f"{PRIVATE_ADDRESS}: trap.example = 10.0.0.1"),
        None,
        None,
    ]


def hostile(seed_port: str, port: str) -> str:
    """A page whose links lead to another port of this machine, spelt in five ways, and one to its own host."""
    names = ["127.0.0.1", "localhost", "2130706433", "127.1", "[::ffff:127.0.0.1]"]
    own = f"http://127.0.0.1:{seed_port}/own"
    hrefs = [*(f"http://{name}:{port}/secret" for name in names), own, "/jump"]
    return "".join(f'<a href="{href}">基金</a>' for href in hrefs)


def port_of(web: Any) -> str:
    return str(web.proxy.rpartition(":")[2])


def test_a_hostile_page_cannot_make_the_crawler_fetch_this_machine_but_a_seed_on_it_is_crawled(
    draw_web: Callable[..., Any], crawl: Crawl
) -> None:
    secret = draw_web({"/secret": "<p>secret"})
    web = draw_web({"/own": "<p>own"})
    web.pages["/"] = hostile(port_of(web), port_of(secret))
    web.pages["/jump"] = answer(302, Location=f"http://127.0.0.1:{port_of(secret)}/secret")
    ran = crawl(None, seeds=f"{web.proxy}/", ROBOTSTXT_OBEY=False)
    assert secret.asked == []
    assert sorted(web.asked) == ["/", "/jump", "/own"]
    # five links and the redirect; 127.1 and 2130706433 may be one URL or two, the redirect may lead to a known one
    assert "'topic/private_addresses/refused': " in ran.err
    assert "'frontier/ended/error'" not in ran.err
    assert "Traceback" not in ran.err


def test_the_resolver_lets_no_strangers_name_lead_inside() -> None:
    resolver = PrivateNetworkResolver(None, 0, 1.0)
    strangers.add("trap.example")
    assert resolver._check("114.114.114.114", "trap.example") == "114.114.114.114"
    assert resolver._check("127.0.0.1", "mine.example") == "127.0.0.1"
    with pytest.raises(DNSLookupError, match=r"trap\.example leads to 127\.0\.0\.1"):
        resolver._check("127.0.0.1", "trap.example")
    assert inside == {"mine.example": "127.0.0.1", "trap.example": "127.0.0.1"}


@pytest.mark.parametrize("is_open", [None, True])
def test_a_setting_opens_the_private_network(
    draw_web: Callable[..., Any], crawl: Crawl, is_open: bool | None
) -> None:
    secret = draw_web({"/secret": "<p>secret"})
    web = draw_web({"/": f'<a href="http://localhost:{port_of(secret)}/secret">基金</a>'})
    crawl(None, seeds=f"{web.proxy}/", ROBOTSTXT_OBEY=False, TOPIC_PRIVATE_NETWORK=is_open)
    assert secret.asked == (["/secret"] if is_open else [])


SPELT = (
    "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "１２７。０。０。１", "127.0.0.1.", "%31%32%37.0.0.1", "[::1]",
    "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[fe80::1%25eth0]", "a@127.0.0.1", "163.com@127.0.0.1:81", "169.254.169.254",
    "10.0.0.1", "localhost", "localhost.", "app.localhost", "localhost.localdomain", "ip6-localhost",
)  # fmt: skip


def test_no_request_for_a_host_spelt_as_private_reaches_a_proxy_and_names_are_its_business(
    crawl: Crawl,
) -> None:
    links = "".join(f'<a href="http://{name}/x">基金</a>' for name in SPELT)
    jumps = "".join(f'<a href="/jump{number}">基金</a>' for number in range(len(SPELT)))
    places = [f"http://{name}/y".encode().decode("latin-1") for name in SPELT]
    seed = "http://127.0.0.1:8000/"
    pages = {
        "http://hub.example/": f'{links}{jumps}<a href="http://named.example/">基金</a>',
        "http://named.example/": "<p>open",
        seed: '<a href="/own">基金</a>',
        f"{seed}own": "<p>own",
        **{f"http://hub.example/jump{at}": answer(302, Location=place) for at, place in enumerate(places)},
    }
    ran = crawl(pages, seeds=f"http://hub.example/,{seed}")
    proxied = ran.web
    robots = {f"http://{host}/robots.txt" for host in ("hub.example", "named.example", "127.0.0.1:8000")}
    assert {*proxied.fetched(), *robots} == {*proxied.pages, *robots}
    assert robots <= set(proxied.asked)
    assert "Traceback" not in ran.err


def test_another_port_of_a_seed_named_by_the_user_is_refused_too(
    draw_web: Callable[..., Any], crawl: Crawl
) -> None:
    secret = draw_web({"/secret": "<p>secret"})
    web = draw_web({"/own": "<p>own"})
    web.pages["/"] = f'<a href="http://localhost:{port_of(secret)}/secret">基金</a><a href="/own">自</a>'
    crawl(None, seeds=f"http://localhost:{port_of(web)}/", ROBOTSTXT_OBEY=False)
    assert secret.asked == []
    assert web.asked == ["/", "/own"]
