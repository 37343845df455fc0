"""The synthetic web over real HTTP: proxy and plain, kept connections, a record of every request."""

import http.client
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.server import RunningServer, answer


@pytest.fixture(scope="module")
def running(web: Web) -> Iterator[RunningServer]:
    with RunningServer(web) as server:
        yield server


@pytest.fixture
def server(running: RunningServer) -> RunningServer:
    running.requests.clear()
    return running


@pytest.fixture
def connection(server: RunningServer) -> Iterator[http.client.HTTPConnection]:
    opened = http.client.HTTPConnection("127.0.0.1", urlsplit(server.address).port, timeout=20)
    yield opened
    opened.close()


def test_any_client_sees_the_hosts_through_http_proxy(web: Web, server: RunningServer) -> None:
    assert server.environment()["http_proxy"] == server.address
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": server.address}))
    with opener.open("http://www.nanpu.example/caijing/", timeout=20) as reply:
        body = reply.read()
    assert body == answer(web, "http://www.nanpu.example/caijing/").body
    assert "财经_南浦在线" in body.decode("gb18030")


@pytest.mark.parametrize(
    ("method", "target", "status", "length"),
    [
        ("CONNECT", "a.example:443", 502, None),
        ("POST", "http://daohang.example/", 405, 0),
        ("HEAD", "/", 200, None),
    ],
)
def test_what_is_no_get_gets_a_clear_answer(
    connection: http.client.HTTPConnection, method: str, target: str, status: int, length: int | None
) -> None:
    connection.request(method, target, headers={"Host": "daohang.example"})
    reply = connection.getresponse()
    assert reply.status == status
    if method == "HEAD":
        assert int(reply.headers["Content-Length"]) > 1_000
        assert reply.read() == b""
    elif length is not None:
        assert len(reply.read()) == length
