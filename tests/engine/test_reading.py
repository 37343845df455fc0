"""Only what was read of this very answer, for this very topic, is used in place of reading it in the callback."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.engine.reading import DocumentMiddleware, content_with_refresh, forget_content, read_ahead
from topiccrawler.frontier.memory import MemoryFrontier

HTML = {"Content-Type": "text/html; charset=utf-8"}
NEXT = '<title>基金</title><meta http-equiv="refresh" content="0;url=/next"><p>净值</p>'.encode()


@pytest.fixture
def crawl() -> Crawl:
    return Crawl(assemble(Recipe("finance")), MemoryFrontier())


def answer(body: bytes = NEXT, **more: Any) -> tuple[Request, Response]:
    request = Request("http://a.example/p")
    return request, HtmlResponse(request.url, 200, HTML | more, body, request=request)


@pytest.mark.parametrize(("body", "header", "target"), [
    (NEXT, {}, "http://a.example/next"), (b"<p>x", {"Refresh": "1; url=http://b.example/"}, "http://b.example/"),
    (NEXT, {"Refresh": "1; url=/首页".encode("gbk")}, "http://a.example/%E9%A6%96%E9%A1%B5"),
    (NEXT.decode().replace("http-equiv", "HTTP-EQUIV").replace("refresh", "REFRESH").encode("utf-16"), {}, "http://a.example/next"),
    (b"q" * 5_000 + NEXT, {}, "http://a.example/next"),
    (b"<p>equiv refresh</p>", {}, None),
])  # fmt: skip
def test_a_page_with_a_refresh_is_read_once(
    crawl: Crawl, body: bytes, header: dict[str, Any], target: str | None
) -> None:
    request, response = answer(body, **header)
    content = content_with_refresh(crawl, request, response)
    assert (content.refresh.href if content.refresh is not None else None) == target
    assert read_ahead(crawl, response) == {"content": content, "extract": None}
    assert read_ahead(crawl, response) == {"content": None, "extract": None}


def test_a_page_without_a_refresh_is_left_to_the_callback(crawl: Crawl) -> None:
    for body in (b"<p>x", b"<p>refresh</p>", b'<meta http-equiv="content-type" content="text/html">'):
        request, response = answer(body)
        assert content_with_refresh(crawl, request, response) is None
        assert request.meta == {}


def test_what_was_read_of_another_answer_or_for_another_topic_is_not_used(crawl: Crawl) -> None:
    others: list[dict[str, Any]] = [{"body": b"<p>b"}, {"url": "http://a.example/q"}, {"headers": {}}]
    for change in ({}, *others):
        request, response = answer()
        content_with_refresh(crawl, request, response)
        changed = response.replace(request=request, **change)
        assert (read_ahead(crawl, changed)["content"] is None) == bool(change), change
    request, response = answer()
    content_with_refresh(crawl, request, response)
    crawl.change_topic(assemble(Recipe("travel")), 1.0)
    assert read_ahead(crawl, response)["content"] is None
    request, response = answer()
    content_with_refresh(crawl, request, response)
    forget_content(request)
    assert request.meta == {}


def test_the_extract_of_another_file_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another middleware exchanged the body; a callback made its next request with the meta of a file."""

    async def at_once(function: Any, *arguments: Any) -> Any:
        return function(*arguments)

    monkeypatch.setattr("topiccrawler.engine.reading.run_in_thread", at_once)
    crawl: Any = SimpleNamespace(
        reader=SimpleNamespace(extract=lambda kind, body, charset: f"{kind} {len(body)} {charset}")
    )
    middleware = DocumentMiddleware(crawl)
    body = b"%PDF-1.4 a"

    def come(request: Request, body: bytes, kind: str) -> Response:
        response = Response(request.url, headers={"Content-Type": kind}, body=body, request=request)
        return asyncio.run(middleware.process_response(request, response))

    same = come(Request("http://a.example/1"), body, "application/pdf; charset=gbk")
    assert read_ahead(crawl, same.replace(headers={}))["extract"] == "pdf 10 gb18030"
    other = come(Request("http://a.example/2"), body, "application/pdf").replace(body=b"%PDF-1.4 other")
    assert read_ahead(crawl, other)["extract"] is None
    file = come(Request("http://a.example/3"), body, "application/pdf")
    behind = come(Request("http://a.example/4", meta=file.meta), b"plain words", "text/plain")
    assert read_ahead(crawl, behind)["extract"] is None
