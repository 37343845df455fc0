from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.engine.private_network import (
    PrivateNetworkMiddleware,
    inside,
    is_private,
    literal,
    strangers,
)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f.0.0.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("0", "0.0.0.0"),  # noqa: S104 an address to refuse
        ("[::1]", "::1"),
        ("::ffff:10.0.0.1", str(ipaddress.ip_address("::ffff:10.0.0.1"))),
        ("a.example", None),
        ("163.com", None),
        ("", None),
    ],
)
def test_an_address_is_read_in_every_way_it_may_be_spelt(name: str, address: str | None) -> None:
    assert literal(name) == address


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200",  # noqa: S104
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "::ffff:127.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::",
    ],
)  # fmt: skip
def test_what_leads_into_this_machine_or_its_network_is_private(address: str) -> None:
    assert is_private(address)


@pytest.mark.parametrize(
    "address", ["114.114.114.114", "2400:3200::1", "64:ff9b::7272:7272", "198.18.0.7", "a.example"]
)
def test_what_lies_in_the_open_is_not_nor_what_a_local_proxy_answers_for_every_name(address: str) -> None:
    assert not is_private(address)


@pytest.fixture
def guard() -> Iterator[PrivateNetworkMiddleware]:
    yield PrivateNetworkMiddleware(["127.0.0.1:8000", "intranet.example"], StatsCollector(get_crawler()))
    strangers.clear()
    inside.clear()


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9000/", "http://127.1/", "http://10.0.0.7/x", "https://[::1]/"]
)
def test_a_spelt_address_in_our_own_network_is_refused(guard: PrivateNetworkMiddleware, url: str) -> None:
    with pytest.raises(IgnoreRequest, match="private address"):
        guard.process_request(Request(url))
    assert guard.stats.get_value("topic/private_addresses/refused") == 1


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://127.0.0.1:8000/seed"),
        Request("http://127.0.0.1:9000/", meta={"proxy": "http://127.0.0.1:3128"}),
        Request("http://114.114.114.114/"),
        Request("data:,x"),
    ],
    ids=["seed", "proxy", "open", "no host"],
)
def test_seeds_proxied_requests_and_open_addresses_pass(
    guard: PrivateNetworkMiddleware, request_: Request
) -> None:
    guard.process_request(request_)
    assert strangers == set()


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


@pytest.fixture
def crawl(warm_scrapy: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Crawl without a proxy, straight from the sockets on loopback."""

    def run(seed: str, *args: str, **options: Any) -> Any:
        return warm_scrapy(
            "crawl", "topic", "-a", "topic=finance", "-a", f"seeds={seed}", "-a", "strategy=breadth_first",
            "-s", f"TOPIC_DATA_DIR={tmp_path / 'data'}", "-s", "TOPIC_JOB=job", "-s", "ROBOTSTXT_OBEY=False",
            "-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", *args, **options,
        )  # fmt: skip

    return run


def hostile(seed_port: str, port: str) -> str:
    """A page whose links lead to another port of this machine, spelt in five ways, and one to its own host."""
    names = ["127.0.0.1", "localhost", "2130706433", "127.1", "[::ffff:127.0.0.1]"]
    hrefs = [f"http://{name}:{port}/secret" for name in names] + [
        f"http://127.0.0.1:{seed_port}/own",
        "/jump",
    ]
    return "".join(f'<a href="{href}">基金</a>' for href in hrefs)


def port_of(web: Any) -> str:
    return str(web.proxy.rpartition(":")[2])


def test_a_hostile_page_cannot_make_the_crawler_fetch_this_machine_but_a_seed_on_it_is_crawled(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], answer: Callable[..., Any]
) -> None:
    secret = draw_web({"/secret": "<p>secret"})
    web = draw_web({"/own": "<p>own"})
    web.pages["/"] = hostile(port_of(web), port_of(secret))
    web.pages["/jump"] = answer(302, Location=f"http://127.0.0.1:{port_of(secret)}/secret")
    ran = crawl(web.proxy + "/")
    assert ran.code == 0, ran.err
    assert secret.asked == []
    assert sorted(web.asked) == ["/", "/jump", "/own"]
    # five links and the redirect; 127.1 and 2130706433 may be one URL or two, the redirect may lead to a known one
    assert "'topic/private_addresses/refused': " in ran.err
    assert "'frontier/ended/error'" not in ran.err
    assert "Traceback" not in ran.err


def test_a_name_that_leads_to_this_machine_is_refused_by_the_resolver(
    draw_web: Callable[..., Any], crawl: Callable[..., Any]
) -> None:
    secret = draw_web({"/secret": "<p>secret"})
    web = draw_web({"/": f'<a href="http://localhost:{port_of(secret)}/secret">基金</a>'})
    ran = crawl(web.proxy + "/")
    assert secret.asked == []
    assert "'topic/private_addresses/refused': 1" in ran.err
    assert "'frontier/ended/error'" not in ran.err  # discarded, with its reason
    assert "'retry/count'" not in ran.err


def test_a_setting_opens_the_private_network_and_a_proxy_is_trusted(
    draw_web: Callable[..., Any], crawl: Callable[..., Any]
) -> None:
    secret = draw_web({"/secret": "<p>secret"})
    web = draw_web({"/": f'<a href="http://localhost:{port_of(secret)}/secret">基金</a>'})
    crawl(web.proxy + "/", "-s", "TOPIC_PRIVATE_NETWORK=True")
    assert secret.asked == ["/secret"]
    proxied = draw_web(
        {"http://hub.example/": '<a href="http://127.0.0.1/x">基金</a>', "http://127.0.0.1/x": "<p>x"}
    )
    crawl("http://hub.example/", proxy=f"http://localhost:{port_of(proxied)}")
    assert proxied.asked == ["http://hub.example/", "http://127.0.0.1/x"]


def test_another_port_of_a_seed_named_by_the_user_is_refused_too(
    draw_web: Callable[..., Any], crawl: Callable[..., Any]
) -> None:
    secret = draw_web({"/secret": "<p>secret"})
    web = draw_web({"/own": "<p>own"})
    web.pages["/"] = f'<a href="http://localhost:{port_of(secret)}/secret">基金</a><a href="/own">自</a>'
    crawl(f"http://localhost:{port_of(web)}/")
    assert secret.asked == []
    assert web.asked == ["/", "/own"]
