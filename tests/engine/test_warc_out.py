"""What of a request and a response goes into the WARC file, and what becomes of a file that fails."""

import gzip
from ipaddress import ip_address
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.engine.archives import WARC_FAILED, WarcOutMiddleware, exchange_of, writer_of


def test_heads_are_those_of_the_wire_without_credentials() -> None:
    headers = {
        "Authorization": "Basic x",
        "Proxy-Authorization": "Basic y",
        "Cookie": "session=z",
        "User-Agent": "ours",
        "X": "a\r\nb",
    }
    request = Request("http://a.cn/p?q=1", headers=headers)
    answer = Response("http://a.cn/p", 404, headers={"Set-Cookie": ["a=1", "b=2"]}, body=b"none")
    found = exchange_of(request, answer.replace(ip_address=ip_address("10.0.0.1"), protocol="HTTP/1.0"), 1.0)
    assert found.request == b"GET /p?q=1 HTTP/1.1\r\nHost: a.cn\r\nUser-Agent: ours\r\nX: a b\r\n\r\n"
    assert found.head == b"HTTP/1.0 404 Not Found\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"
    assert (found.body, found.status, found.ip_address, found.is_cut_off) == (b"none", 404, "10.0.0.1", False)


def test_odd_answers_are_written_too() -> None:
    request = Request("http://a.cn", meta={"proxy": "http://proxy.cn"})
    answer = Response(
        "http://a.cn", 999, flags=["dataloss"], ip_address=ip_address("10.0.0.1"), protocol="h2"
    )
    found = exchange_of(request, answer, 1.0)
    assert found.request.startswith(b"GET / HTTP/1.1\r\nHost: a.cn\r\n")
    assert found.head == b"HTTP/1.1 999 Unknown\r\n\r\n"
    assert (found.ip_address, found.is_cut_off) == ("", True)


def middleware(path: Path) -> WarcOutMiddleware:
    crawler = get_crawler()
    crawler.stats = StatsCollector(crawler)
    return WarcOutMiddleware(writer_of(Settings({"WARC_OUT": str(path), "USER_AGENT": "ours"})), crawler)


def test_only_what_a_recorded_web_can_answer_is_written(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured):
        writer_of(Settings())
    out = middleware(tmp_path / "a.warc.gz")
    response = HtmlResponse("http://a.cn/", body=b"page")
    for request in (
        Request("http://a.cn/", method="POST"),
        Request("data:,x"),
        Request("http://a.cn/", method="HEAD"),
    ):
        assert out.process_response(request, response) is response
    assert not (tmp_path / "a.warc.gz").exists()  # made with the first response
    assert out.process_response(Request("http://a.cn/"), response) is response
    out.close()
    text = gzip.decompress((tmp_path / "a.warc.gz").read_bytes())
    assert b"http-header-user-agent: ours" in text
    assert text.count(b"WARC-Type: response") == 1


def test_a_file_that_cannot_be_written_ends_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    reasons: list[str] = []

    def close(*, reason: str) -> None:
        reasons.append(reason)

    monkeypatch.setattr(Crawler, "engine", SimpleNamespace(close_spider_async=close))
    out = middleware(tmp_path / "folder" / "a.warc.gz")
    (tmp_path / "folder").rmdir()
    for _ in range(2):
        out.process_response(Request("http://a.cn/"), Response("http://a.cn/"))
    out.close()
    assert reasons == [WARC_FAILED]  # said once
    assert len(caplog.records) == 1
