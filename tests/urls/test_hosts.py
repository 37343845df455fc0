"""What is derived from a canonical URL: host, registered domain, and how a link runs through its site."""

import pytest

from topiccrawler.urls.canonical import directory_of, host_of, kind_between, registered_domain

HEX32 = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://a.cn/", "a.cn"),
        ("https://a.cn:8443/x/y?z", "a.cn:8443"),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("http://a.cn", "a.cn"),
        ("a.cn", ""),
    ],
)
def test_a_host_carries_its_port_when_it_is_not_the_default_one(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("http://finance.sina.com.cn/x", "sina.com.cn"),
        ("http://www.a.cn:8080/", "a.cn"),
        ("http://me.github.io/", "me.github.io"),
        ("http://a.b.gov.cn/", "b.gov.cn"),
        ("http://127.0.0.1:99/", "127.0.0.1"),
        ("http://[::1]:99/", "[::1]"),
        ("http://localhost/", "localhost"),
        ("http://com.cn/", "com.cn"),
        ("http://x.xn--fiqs8s/", "x.xn--fiqs8s"),
    ],
)
def test_a_registered_domain_is_the_name_somebody_registered(url: str, domain: str) -> None:
    assert registered_domain(url) == domain


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("http://a.cn/news/2.html", "level"),
        ("http://a.cn/news/", "level"),
        ("http://a.cn/news/?p=/x/", "level"),
        ("https://a.cn/news/2.html", "level"),
        ("http://a.cn/news/2024/2.html", "down"),
        ("http://a.cn/", "up"),
        ("http://a.cn/top.html", "up"),
        ("http://a.cn/fund/1.html", "cross"),
        ("http://a.cn/newsletter/", "cross"),
        ("http://b.a.cn/news/2.html", "out"),
        ("http://a.cn:8080/news/2.html", "out"),
        ("http://a.cn.com/", "out"),
    ],
)
def test_the_kind_of_a_link_follows_the_directories(target: str, kind: str) -> None:
    here = directory_of("http://a.cn/news/1.html?from=/x/y/")
    assert kind_between(here, directory_of(target)) == kind
