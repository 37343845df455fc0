"""A site's proxy and password, as Scrapy's own middlewares take them."""

import base64
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.httpauth import HttpAuthMiddleware
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.utils.test import get_crawler

from topiccrawler.engine.site_access import SiteAccessMiddleware
from topiccrawler.errors import ArgumentError
from topiccrawler.topics.topic import SiteRule

RULES = {
    "a.cn": SiteRule(proxy="http://proxy.cn:8080", user="me", password="$A_CN"),  # noqa: S106
    "b.cn": SiteRule(title="h1"),
}


def made(sites: dict[str, SiteRule]) -> SiteAccessMiddleware:
    crawler = get_crawler()
    crawler.spider = SimpleNamespace(crawl=SimpleNamespace(topic=SimpleNamespace(sites=sites)))  # type: ignore[assignment]
    return SiteAccessMiddleware.from_crawler(crawler)


def test_scrapys_middlewares_send_what_the_sites_rule_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_CN", "secret")
    ours = made(RULES)
    request = Request("http://www.a.cn/1")
    for middleware in (ours, HttpAuthMiddleware(), HttpProxyMiddleware()):
        middleware.process_request(request)
    assert request.meta["proxy"] == "http://proxy.cn:8080"
    assert request.headers["Authorization"] == b"Basic " + base64.b64encode(b"me:secret")


def test_a_redirect_to_another_site_gets_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_CN", "secret")
    ours = made(RULES)
    request = Request("http://a.cn/")
    ours.process_request(request)
    elsewhere = Request("http://c.cn/", meta=dict(request.meta))
    ours.process_request(elsewhere)
    assert elsewhere.meta == {}
    own = Request("http://a.cn/", meta={"proxy": "http://mine.cn:1"})
    ours.process_request(own)
    assert own.meta["proxy"] == "http://mine.cn:1"


def test_a_redirect_to_a_site_with_a_proxy_leaves_the_one_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_CN", "secret")
    monkeypatch.setenv("http_proxy", "http://office.cn:3128")
    ours, scrapys = made(RULES), HttpProxyMiddleware()

    def sent(url: str, meta: dict[str, Any]) -> dict[str, Any]:
        request = Request(url, meta=meta)
        for middleware in (ours, scrapys):
            middleware.process_request(request)
        return request.meta

    there = sent("http://c.cn/", {})
    assert there["proxy"] == "http://office.cn:3128"
    ruled = sent("http://a.cn/", dict(there))
    assert ruled["proxy"] == "http://proxy.cn:8080"
    assert sent("http://a.cn/again", dict(ruled))["proxy"] == "http://proxy.cn:8080"
    assert sent("http://c.cn/", dict(ruled))["proxy"] == "http://office.cn:3128"


def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("A_CN", raising=False)
    with pytest.raises(ArgumentError, match=r"sites\.a\.cn\.password: is \$A_CN.*export A_CN="):
        made(RULES)
