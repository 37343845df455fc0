"""What a crawl gets from a recording, Scrapy's own objects on both sides."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from topiccrawler.engine.archives import ReplayDownloadHandler

GBK_PAGE = "<html><title>股票</title>".encode("gbk")
BLOCKS = {
    "http://a.cn/": b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gb2312\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"
    + GBK_PAGE,
    "http://a.cn/dir/": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>dir",
    "http://a.cn/old": b"HTTP/1.1 302 Found\r\nLocation: /dir/\r\n\r\n",
    "http://a.cn/data": b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n\x00\x01\x02",
}

Ask = Callable[..., Response]


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    path = tmp_path / "web.warc"
    path.write_bytes(b"".join(response_record(url, block) for url, block in BLOCKS.items()))
    return path


@pytest.fixture
def ask(warc: Path) -> Ask:
    handler = ReplayDownloadHandler.from_crawler(get_crawler(settings_dict={"REPLAY_WARC": str(warc)}))

    def download(url: str, method: str = "GET") -> Response:
        request = Request(url, method=method)
        response = asyncio.run(handler.download_request(request))
        response.request = request
        return response

    return download


def response_record(url: str, block: bytes) -> bytes:
    head = f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(block)}\r\n"
    return f"{head}Content-Type: application/http; msgtype=response\r\n\r\n".encode() + block + b"\r\n\r\n"


def test_a_page_is_an_html_response_in_its_own_encoding_with_all_its_headers(ask: Ask) -> None:
    response = ask("http://a.cn/")
    assert isinstance(response, HtmlResponse)
    assert (response.url, response.status, response.body) == ("http://a.cn/", 200, GBK_PAGE)
    assert response.css("title::text").get() == "股票"
    assert response.headers.getlist("Set-Cookie") == [b"a=1", b"b=2"]


def test_paced_pages_of_both_schemes_wait_in_one_line_and_what_is_no_page_does_not(
    warc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReplayDownloadHandler, "_still", lambda _: True)  # no engine here
    crawler = get_crawler(
        settings_dict={"REPLAY_WARC": str(warc), "REPLAY_PACED": "True", "CONCURRENT_REQUESTS": 3}
    )
    http, https = (ReplayDownloadHandler.from_crawler(crawler) for _ in range(2))

    async def crawl() -> list[str]:
        answered = []

        async def ask(handler: ReplayDownloadHandler, url: str) -> None:
            answered.append((await handler.download_request(Request(url))).url)

        tasks = []
        for handler, url in (
            (http, "http://a.cn/"),
            (https, "https://a.cn/data"),
            (http, "http://a.cn/old"),
            (http, "http://a.cn/dir/"),
        ):
            tasks.append(asyncio.create_task(ask(handler, url)))
            await asyncio.sleep(0)
        async with asyncio.timeout(10):
            await asyncio.gather(*tasks)
        return answered

    assert asyncio.run(crawl()) == [
        "http://a.cn/old",
        "http://a.cn/",
        "https://a.cn/data",
        "http://a.cn/dir/",
    ]


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("http://a.cn/no", 404),
        ("http://a.cn/robots.txt", 404),
        ("http://b.cn/", 502),
        ("https://b.cn/robots.txt", 502),
    ],
)
def test_what_was_not_recorded_is_404_and_an_unknown_host_502(ask: Ask, url: str, status: int) -> None:
    response = ask(url)
    assert isinstance(response, HtmlResponse)
    assert (response.url, response.status, response.css("title::text").get()) == (url, status, str(status))
