"""Answers that are read before their callback go on in the order they came, and only what was read of this very answer is used."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings

from topiccrawler.crawling.contents import Answer, ContentPlan, Read
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.reading_processes import ReadingProcesses
from topiccrawler.engine.leases import META
from topiccrawler.engine.reading import DocumentMiddleware, read_ahead, reading_processes
from topiccrawler.pages.read import Content, PageWords

HTML = {"Content-Type": "text/html; charset=utf-8"}


class FakeCrawl:
    content_plan = cast("ContentPlan", object())

    def reads(self, url: str, body: bytes, content_type: str = "") -> bool:
        return "unread" not in url


class FakeProcesses:
    """The later a page came, the sooner it is read."""

    def __init__(self, crawl: FakeCrawl) -> None:
        self.crawl, self.done = crawl, list[str]()

    async def read(self, answer: Answer) -> Read:
        await asyncio.sleep(0.05 - 0.01 * int(answer.url[-1]))
        self.done.append(answer.url)
        content = Content(answer.url, "html", "utf-8", "", "", PageWords())
        return Read(answer, self.crawl.content_plan, content)


def leased(url: str, status: int = 200, **more: Any) -> tuple[Request, Response]:
    request = Request(url, meta={META: 1, "depth": 2}, **more)
    return request, HtmlResponse(url, status, HTML, b"<p>a</p>", request=request)


@pytest.fixture(autouse=True)
def under_asyncio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topiccrawler.engine.reading.is_asyncio_available", lambda: True)


def test_answers_go_on_in_the_order_they_came() -> None:
    crawl = FakeCrawl()
    processes = FakeProcesses(crawl)
    middleware = DocumentMiddleware(cast("Crawl", crawl), cast("ReadingProcesses", processes))
    urls = [f"http://a.example/{number}" for number in range(4)]
    pairs = [leased(url) for url in urls]
    pairs.insert(2, leased("http://a.example/missing", 404))
    pairs.insert(3, leased("http://a.example/unread"))
    gone: list[str] = []

    async def pass_on(request: Request, response: Response) -> None:
        gone.append((await middleware.process_response(request, response)).url)

    async def all_at_once() -> None:
        await asyncio.gather(*(pass_on(*pair) for pair in pairs))

    asyncio.run(all_at_once())
    assert processes.done == urls[::-1]
    assert gone == [response.url for _, response in pairs]
    known = [read_ahead(cast("Crawl", crawl), response) for _, response in pairs]
    assert ["content" in one for one in known] == [True, True, False, False, True, True]
    assert not any(read_ahead(cast("Crawl", crawl), response).get("content") for _, response in pairs)


def test_what_was_read_of_another_body_or_for_another_topic_is_not_used() -> None:
    crawl = FakeCrawl()
    middleware = DocumentMiddleware(cast("Crawl", crawl), cast("ReadingProcesses", FakeProcesses(crawl)))
    for number in range(3):
        request, response = leased(f"http://a.example/{number}")
        asyncio.run(middleware.process_response(request, response))
        if number == 1:
            response = response.replace(body=b"<p>b</p>")
        if number == 2:
            crawl.content_plan = cast("ContentPlan", object())
        assert ("content" in read_ahead(cast("Crawl", crawl), response)) == (number == 0)


def test_the_extract_of_another_file_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another middleware exchanged the body; a callback made its next request with the meta of a file."""

    async def at_once(function: Any, *arguments: Any) -> Any:
        return function(*arguments)

    monkeypatch.setattr("topiccrawler.engine.reading.run_in_thread", at_once)
    crawl: Any = SimpleNamespace(
        content_plan=None,
        reader=SimpleNamespace(extract=lambda kind, body, charset: f"{kind} {len(body)} {charset}"),
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


@pytest.mark.parametrize(("value", "available", "count"), [
    (0, 2, None), ("0", 2, None), (3, 1, 3), ("2", 1, 2), ("auto", 1, None), ("auto", 2, 1), ("auto", 16, 2),
])  # fmt: skip
def test_the_setting_says_how_many(
    monkeypatch: pytest.MonkeyPatch, value: object, available: int, count: int | None
) -> None:
    monkeypatch.setattr("topiccrawler.crawling.reading_processes.cores", lambda: available)
    settings = Settings({"TOPIC_READERS": value, "TOPIC_READER_SECONDS": 3.5})
    found = reading_processes(cast("Crawl", FakeCrawl()), settings)
    assert (None if found is None else found.count) == count
    assert found is None or found.seconds == 3.5
