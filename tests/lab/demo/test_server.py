"""The synthetic web over real HTTP: proxy and plain, kept connections, a record of every request."""

import http.client
import socket
import urllib.request
from collections.abc import Iterator
from itertools import pairwise
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


def test_proxy_form_and_host_form_share_one_kept_connection(connection: http.client.HTTPConnection) -> None:
    bodies, sockets = [], set()
    for target in ("http://daohang.example/", "/", "/gone.html", "/"):
        connection.request("GET", target, headers={"Host": "daohang.example"})
        reply = connection.getresponse()
        bodies.append((reply.status, reply.read()))
        sockets.add(connection.sock)
    assert [status for status, _ in bodies] == [200, 200, 404, 200]
    assert bodies[0] == bodies[1] == bodies[3]
    assert len(sockets) == 1
    assert None not in sockets


def test_every_request_is_noted_in_order_with_its_host_status_and_topic(
    server: RunningServer, connection: http.client.HTTPConnection
) -> None:
    asked = [
        "http://www.zoubian.example/robots.txt",
        "http://finance.yunting.example/",
        "http://www.zoubian.example/",
        "http://finance.yunting.example/nothing",
        "http://old-licai.example/",
        "http://finance.yunting.example/",
    ]
    for url in asked:
        connection.request("GET", url)
        connection.getresponse().read()
    noted = list(server.requests)
    assert [request.url for request in noted] == asked
    assert [request.status for request in noted] == [200, 200, 200, 404, 301, 200]
    assert [request.topic for request in noted] == [None, "finance", "travel", None, None, "finance"]
    assert all(first.time <= second.time for first, second in pairwise(noted))
    assert server.pages_served == 3
    assert [request.host for request in noted] == [url.split("/")[2] for url in asked]


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


def test_the_server_ends_with_its_owner() -> None:
    with RunningServer(Web(seed=3)) as server:
        port = urlsplit(server.address).port
        assert server.pages_served == 0
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
        pass
