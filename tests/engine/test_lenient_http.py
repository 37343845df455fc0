"""Answers as broken servers send them, in pieces of every size, are read as browsers read them."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from twisted.internet.error import ConnectionDone
from twisted.internet.protocol import Protocol
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.web._newclient import Request, ResponseDone, ResponseFailed
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers

from topiccrawler.engine.lenient_http import MOST_HEAD_BYTES, _Factory

BODY = "<p>基金净值上涨，股票市场成交量放大。</p>".encode()
TYPE = b"Content-Type: text/html\r\n"


@dataclass
class Got(Protocol):
    """What came of an answer."""

    status: int = 0
    headers: dict[bytes, list[bytes]] = field(default_factory=dict)
    body: bytes = b""
    end: str = ""  # whole, up to the end of the connection, cut off, failed

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 Twisted's name
        self.body += data

    def connectionLost(self, reason: Failure = Failure(ConnectionDone())) -> None:  # noqa: N802, B008
        ends = {ResponseDone: "whole", PotentialDataLoss: "up to the end", ResponseFailed: "cut off"}
        self.end = ends[reason.type]


def answer(sent: bytes, step: int = 1 << 16, method: bytes = b"GET") -> Got:
    """The answer in pieces of `step` bytes, then the end of the connection."""
    protocol: Any = _Factory(lambda _: None, "").buildProtocol(None)
    transport = StringTransport()
    protocol.makeConnection(transport)
    got = Got()

    def received(response: Any) -> None:
        got.status = response.code
        got.headers = dict(response.headers.getAllRawHeaders())
        if response.length == 0:
            got.end = "whole"
        else:
            response.deliverBody(got)

    def failed(_: Failure) -> None:
        got.end = "failed"

    request = Request(method, b"/", Headers({"host": ["a.cn"]}), None, persistent=False)
    protocol.request(request).addCallbacks(received, failed)
    for at in range(0, len(sent), step):
        if not transport.disconnecting:
            protocol.dataReceived(sent[at : at + step])
    protocol.connectionLost(Failure(ConnectionDone()))
    return got


def head(*lines: str, status: str = "HTTP/1.1 200 OK") -> bytes:
    return "".join(f"{line}\r\n" for line in (status, *lines, "")).encode()


def chunks(*parts: bytes, last: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + last


LENGTH = f"Content-Length: {len(BODY)}"
CHUNKED = "Transfer-Encoding: chunked"
CLOSE = "Connection: close"


@pytest.mark.parametrize("step", [1, 2, 7, 1 << 16])
@pytest.mark.parametrize(
    ("sent", "end"),
    [
        (head(LENGTH) + BODY, "whole"),
        (head(CHUNKED) + chunks(BODY[:9], BODY[9:]), "whole"),
        (head() + BODY, "up to the end"),
        (head(status="HTTP/1.0 200 OK") + BODY, "up to the end"),
        (head("Content-Length: -1") + BODY, "up to the end"),
        (head("Content-Length: many") + BODY, "up to the end"),
        (head("Content-Length:") + BODY, "up to the end"),
        (head("Content-Length: 1", "Content-Length: 2") + BODY, "up to the end"),
        (head(LENGTH, LENGTH) + BODY, "whole"),
        (head(f"{LENGTH}, {len(BODY)}") + BODY, "whole"),
        (head("Content-Length: 9999") + BODY, "cut off"),
        (head("Transfer-Encoding: identity", LENGTH) + BODY, "whole"),
        (head("Transfer-Encoding: none") + BODY, "up to the end"),
        (head("Transfer-Encoding: gzip, Chunked") + chunks(BODY), "whole"),
        (head(CHUNKED, CHUNKED) + chunks(BODY), "whole"),
        (head(CHUNKED, "Content-Length: 3") + chunks(BODY), "whole"),
        (head(CHUNKED) + chunks(BODY, last=b"0\r\n"), "whole"),
        (head(CHUNKED) + chunks(BODY, last=b""), "cut off"),
        (head(CHUNKED) + chunks(BODY, last=b"zz\r\n"), "cut off"),
        (head(CHUNKED) + b"fff\r\n" + BODY, "cut off"),
        (head(CHUNKED) + chunks(BODY, last=b"0;last\r\nX-Sum: 1\r\n\r\n"), "whole"),
        (head(CHUNKED) + b"%x   \r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY), "whole"),
        (head(CHUNKED) + b"00%X ; a=b\n%b\n0\n\n" % (len(BODY), BODY), "whole"),
        (head(CHUNKED) + b"%x\r\n%b0\r\n\r\n" % (len(BODY), BODY), "whole"),
        (head(CHUNKED) + BODY, "up to the end"),
        (head(CHUNKED, LENGTH) + BODY, "whole"),
    ],
)
def test_a_body_is_what_the_server_sent(sent: bytes, end: str, step: int) -> None:
    got = answer(sent, step)
    assert (got.status, got.body, got.end) == (200, BODY, end)


@pytest.mark.parametrize("length", [0, 1, 10])
def test_bytes_behind_a_length_that_is_too_short_count_when_the_connection_closes(length: int) -> None:
    sent = head(f"Content-Length: {length}", CLOSE) + BODY
    assert (answer(sent).body, answer(sent).end) == (BODY, "up to the end")
    assert answer(head(f"Content-Length: {length}") + BODY).body == BODY[:length]
    assert answer(head(f"Content-Length: {len(BODY)}", CLOSE) + BODY + b"\r\n").end == "whole"


@pytest.mark.parametrize("step", [1, 1 << 16])
@pytest.mark.parametrize(
    ("first", "status"),
    [
        ("HTTP/1.1 200", 200),
        ("HTTP/1.1  200 OK", 200),
        ("HTTP/1.1\t404\tGone", 404),
        ("http/1.1 200 ok", 200),
        ("HTTP/2 200", 200),
        ("HTTP 200 OK", 200),
        ("HTTP/1.1 200OK", 200),
        ("HTTP/1.1 200 成功", 200),
        ("ICY 200 OK", 200),
        ("\r\n\r\nHTTP/1.1 503 x", 503),
        ("\ufeffHTTP/1.1 200 OK", 200),
        ("  HTTP/1.1 200 OK  ", 200),
        ("HTTP/1.1 OK", 200),
        ("HTTP/1.1", 200),
        ("HTTP/1.1 ", 200),
    ],
)
def test_odd_status_lines(first: str, status: int, step: int) -> None:
    got = answer(head(LENGTH, status=first) + BODY, step)
    assert (got.status, got.body) == (status, BODY)


@pytest.mark.parametrize("step", [1, 1 << 16])
@pytest.mark.parametrize(
    "sent",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"<html><p>HTTP/0.9\r\n\r\n",
        bytes(range(1, 256)) * 4,
        head(status="HTTP/1.1 2000 OK") + BODY,
        head(status="HTTP/1.1 099 OK") + BODY,
        head(status="HTTP/1.1 20 OK") + BODY,
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 5_000,
    ],
)
def test_what_is_no_answer_fails(sent: bytes, step: int) -> None:
    assert answer(sent, step).end == "failed"


def test_header_lines_that_are_none_are_passed_over() -> None:
    lines = (
        " folded into nothing", "X-One: 1", "no colon", ": no name", "‘x-cache’: hit", "名称: 值", "X Bad: 1", "X-Blank : 2",
        "X-Long: " + "x" * 70_000, "X-Folded: a", " b", "\tc", "Set-Cookie: 词=值", "<b>: 1", "X\0: 1", LENGTH,
    )  # fmt: skip
    for step in (1_000, 1 << 16):
        got = answer(head(*lines) + BODY, step)
        assert got.body == BODY
        assert got.headers == {
            b"X-One": [b"1"],
            b"X-Blank": [b"2"],
            b"X-Long": [b"x" * 70_000],
            b"X-Folded": [b"a b c"],
            b"Set-Cookie": ["词=值".encode()],
        }


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r\r\n"])
@pytest.mark.parametrize("step", [1, 1 << 16])
def test_any_line_end_will_do(end: bytes, step: int) -> None:
    sent = end.join((b"HTTP/1.1 200 OK", b"X-A: 1", LENGTH.encode(), b"", BODY))
    got = answer(sent, step)
    assert (got.headers, got.body, got.end) == ({b"X-A": [b"1"]}, BODY, "whole")


@pytest.mark.parametrize("step", [1, 1 << 16])
def test_interim_answers_are_passed_over(step: int) -> None:
    interim = head(status="HTTP/1.1 100 Continue") + head("Link: </a.css>", status="HTTP/1.1 103 Early Hints")
    got = answer(interim + head(LENGTH) + BODY, step)
    assert (got.status, got.headers, got.body) == (200, {}, BODY)


def test_heads_have_a_bound() -> None:
    most = MOST_HEAD_BYTES
    assert answer(head("X: " + "x" * (most // 2), LENGTH) + BODY).body == BODY
    assert answer(head(*["X: y"] * most), 1 << 14).end == "failed"
    assert answer(head("X: " + "x" * 2 * most), 1 << 14).end == "failed"
    assert answer(b"\r\n" * most, 1 << 14).end == "failed"
    assert answer(head(status="HTTP/1.1 100 Continue") * most, 1 << 14).end == "failed"
