"""What the browser is asked for, and what it is not allowed."""

import asyncio
from dataclasses import dataclass

import pytest
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.engine.rendering import RENDER_META, RenderingMiddleware, Unwanted, needs_rendering

SHELL = b"<html><title>x</title><div id=app></div><script src=/app.js></script></html>"


def page(body: bytes, status: int = 200, kind: str = "text/html; charset=utf-8") -> Response:
    return HtmlResponse("http://a.test/", status=status, headers={"Content-Type": kind}, body=body)


@pytest.mark.parametrize(
    ("response", "needed"),
    [
        (page(SHELL), True),
        (page(SHELL, status=404), False),
        (page(SHELL.replace(b"<script src=/app.js></script>", b"")), False),
        (page(SHELL + "基金净值上涨。".encode() * 30), False),
        (page(SHELL + b"<a href=1>1</a><a href=2>2</a><a href=3>3</a>"), False),
        (page(b"%PDF-1.4 <script", kind="application/pdf"), False),
        (page(b""), False),
    ],
    ids=["shell", "error", "no script", "text", "links", "pdf", "empty"],
)
def test_only_a_good_page_with_scripts_and_next_to_nothing_else_needs_rendering(
    response: Response, needed: bool
) -> None:
    assert needs_rendering(response) is needed


@pytest.fixture
def stats() -> StatsCollector:
    return StatsCollector(get_crawler())


def test_without_settings_the_middleware_is_not_there() -> None:
    with pytest.raises(NotConfigured):
        RenderingMiddleware.from_crawler(get_crawler())


def test_an_empty_page_comes_again_once_with_its_lease_and_only_where_that_is_asked_for(
    stats: StatsCollector,
) -> None:
    asked = Request("http://a.test/", meta={"topic_lease": 7})
    middleware = RenderingMiddleware(stats, empty_pages=True)
    again = middleware.process_response(asked, page(SHELL))
    assert isinstance(again, Request)
    assert (again.url, again.meta, again.dont_filter) == (
        "http://a.test/",
        {"topic_lease": 7, RENDER_META: "http://a.test/"},
        True,
    )
    drawn = Request("http://a.test/", meta={"playwright": True})
    assert isinstance(middleware.process_response(drawn, page(SHELL)), Response)
    named_only = RenderingMiddleware(stats, hosts=["b.test"])
    assert isinstance(named_only.process_response(asked, page(SHELL)), Response)


def test_a_redirect_away_from_the_named_hosts_is_fetched_plainly(stats: StatsCollector) -> None:
    middleware = RenderingMiddleware(stats, hosts=["a.test"])
    redirected = Request("http://b.test/", meta={"playwright": True, RENDER_META: "http://a.test/"})
    middleware.process_request(redirected)
    assert redirected.meta == {}
    robots = Request("http://a.test/robots.txt")
    middleware.process_request(robots)
    assert robots.meta == {}


@pytest.mark.parametrize(
    ("named", "url"),
    [
        ("中国.cn", "http://www.中国.cn/"),
        ("Ｓhop.example", "http://shop.example/1"),
        ("http://shop.example/", "http://shop.example/1"),
        ("shop.example.", "http://shop.example/1"),
        (".shop.example", "http://shop.example/1"),
        ("shop.example:8080", "http://shop.example:8080/1"),
        ("[2001:DB8::1]", "http://[2001:db8::1]/"),
    ],
)
def test_a_host_may_be_named_as_a_person_writes_it(stats: StatsCollector, named: str, url: str) -> None:
    middleware = RenderingMiddleware(stats, hosts=[named])
    assert middleware._is_named(Request(url).url)
    assert not middleware._is_named(Request("http://other.example/").url)


@dataclass
class Asked:
    """A browser's request, as far as it is looked at."""

    url: str
    resource_type: str = "document"


@pytest.mark.parametrize(
    ("asked", "private", "behind_proxy", "refused"),
    [
        (Asked("http://93.184.215.14/"), False, False, False),
        (Asked("http://93.184.215.14/x.png", "image"), False, False, True),
        (Asked("wss://93.184.215.14/x", "websocket"), False, False, True),
        (Asked("http://127.0.0.1:8000/", "xhr"), False, False, True),
        (Asked("http://2130706433/", "fetch"), False, True, True),
        (Asked("http://169.254.169.254/latest", "fetch"), False, True, True),
        (Asked("http://localhost/", "script"), False, False, True),
        (Asked("http://localhost/", "script"), True, False, False),
        (Asked("http://name.invalid/", "script"), False, True, False),
        (Asked("data:text/javascript,1", "script"), False, False, False),
    ],
)
def test_the_browser_gets_no_pictures_and_no_private_addresses(
    asked: Asked, private: bool, behind_proxy: bool, refused: bool
) -> None:
    unwanted = Unwanted(private=private, behind_proxy=behind_proxy)
    assert asyncio.run(unwanted(asked)) is refused
