"""The synthetic web over real HTTP: proxy and plain, kept connections, a record of every request."""

import http.client
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from topiccrawler.demo.answers import answer
from topiccrawler.demo.plan import Web
from topiccrawler.demo.running import RunningServer
from topiccrawler.errors import CrawlerError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def running() -> Iterator[RunningServer]:
    with RunningServer(seed=1) as server:
        yield server


@pytest.fixture
def server(running: RunningServer) -> RunningServer:
    running.forget()
    return running


@pytest.fixture
def connection(server: RunningServer) -> Iterator[http.client.HTTPConnection]:
    opened = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    yield opened
    opened.close()


def test_any_client_sees_the_hosts_through_http_proxy(server: RunningServer) -> None:
    assert server.environment()["http_proxy"] == server.address
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": server.address}))
    with opener.open("http://www.nanpu.example/caijing/", timeout=20) as reply:
        body = reply.read()
    assert body == answer(Web(seed=1), "http://www.nanpu.example/caijing/").body
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
    noted = server.requests()
    assert [request.url for request in noted] == asked
    assert [request.status for request in noted] == [200, 200, 200, 404, 301, 200]
    assert [request.topic for request in noted] == [None, "finance", "travel", None, None, "finance"]
    assert all(first.time <= second.time for first, second in pairwise(noted))
    assert server.pages_served() == 3
    assert server.requests_by_host() == {
        "finance.yunting.example": 3,
        "www.zoubian.example": 2,
        "old-licai.example": 1,
    }
    server.forget()
    assert server.requests() == []


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


@pytest.mark.parametrize(
    "sent",
    [b"\x16\x03\x01\r\n\r\n", b"GET\r\n\r\n", b"GET http://[x/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n"],
)
def test_junk_on_the_wire_ends_that_connection_only(server: RunningServer, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire:
        wire.sendall(sent)
        wire.shutdown(socket.SHUT_WR)
        while wire.recv(4096):
            pass
    assert server.pages_served() == 0


def test_the_server_ends_with_its_owner() -> None:
    with RunningServer(seed=3) as server:
        port = server.port
        assert server.pages_served() == 0
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
        pass


def test_a_web_that_is_gone_is_named_in_one_line() -> None:
    with RunningServer(seed=3) as server:
        pass
    with pytest.raises(CrawlerError, match=rf"{server.address}: does not answer"):
        server.pages_served()


def test_the_program_prints_its_address_and_serves_until_stdin_closes() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "topiccrawler.demo.server", "--seed", "5"],
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": address}))
        with opener.open("http://daohang.example/", timeout=20) as reply:
            assert reply.read() == answer(Web(seed=5), "http://daohang.example/").body
        process.stdin.close()
        assert process.wait(20) == 0
