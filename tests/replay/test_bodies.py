"""Bodies as they were on the wire, and as careless writers left them."""

import gzip
import zlib

import pytest

from topiccrawler.replay.warc_file import MAX_BODY_BYTES, plain

PAGE = "<title>基金</title>".encode() * 20
GZIP, CHUNKED, DEFLATE = (
    (b"Content-Encoding", b"gzip"),
    (b"transfer-encoding", b"Chunked"),
    (b"Content-Encoding", b"deflate"),
)
BROTLI_OF_HELLO = bytes.fromhex("0b028068656c6c6f03")


def chunks(body: bytes) -> bytes:
    return b"5;name=x\r\n" + body[:5] + b"\r\n%x\r\n" % (len(body) - 5) + body[5:] + b"\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("headers", "stored"),
    [
        ([], PAGE),
        ([GZIP], gzip.compress(PAGE, mtime=0)),
        ([GZIP], gzip.compress(PAGE[:9], mtime=0) + gzip.compress(PAGE[9:], mtime=0)),
        ([GZIP], gzip.compress(PAGE, mtime=0) + b"\0\0more"),
        ([(b"content-encoding", b"x-gzip")], gzip.compress(PAGE, mtime=0)),
        ([DEFLATE], zlib.compress(PAGE)),
        ([DEFLATE], zlib.compress(PAGE)[2:-4]),
        ([CHUNKED], chunks(PAGE)),
        ([GZIP, CHUNKED], chunks(gzip.compress(PAGE, mtime=0))),
        ([(b"Content-Encoding", b"deflate, gzip")], gzip.compress(zlib.compress(PAGE), mtime=0)),
        ([(b"Content-Encoding", b"identity")], PAGE),
        ([(b"Content-Encoding", b"utf-8")], PAGE),
        ([GZIP], PAGE),
        ([DEFLATE], PAGE),
        ([(b"Content-Encoding", b"br")], PAGE),
        ([(b"Content-Encoding", b"zstd")], PAGE),
        ([CHUNKED], PAGE),
        ([GZIP, CHUNKED], gzip.compress(PAGE, mtime=0)),
    ],
)
def test_a_body_is_unpacked_when_it_is_packed_and_left_alone_when_it_is_not(
    headers: list[tuple[bytes, bytes]], stored: bytes
) -> None:
    kept, body = plain([(b"Content-Type", b"text/html"), (b"Content-Length", b"1"), *headers], stored)
    assert body == PAGE
    assert kept == [(b"Content-Type", b"text/html"), (b"Content-Length", b"%d" % len(PAGE))]


def test_brotli_is_unpacked() -> None:
    assert plain([(b"Content-Encoding", b"br")], BROTLI_OF_HELLO)[1] == b"hello"


def test_a_body_cut_off_gives_what_it_has() -> None:
    assert plain([GZIP], gzip.compress(PAGE)[:-8])[1] == PAGE
    assert 0 < len(plain([GZIP], gzip.compress(PAGE)[:-12])[1]) < len(PAGE)
    two = gzip.compress(PAGE[:9], mtime=0) + gzip.compress(PAGE[9:], mtime=0)
    assert plain([GZIP], two[:-8])[1] == PAGE
    assert plain([CHUNKED], chunks(PAGE)[:-7])[1] == PAGE
    assert plain([CHUNKED], chunks(PAGE)[:60])[1] == PAGE[:43]


def test_a_bomb_unfolds_to_the_limit_and_no_further() -> None:
    bomb = gzip.compress(bytes(MAX_BODY_BYTES + 1000), 1)
    assert len(plain([GZIP], bomb)[1]) == MAX_BODY_BYTES
    assert len(plain([GZIP], gzip.compress(b"x") + bomb)[1]) == MAX_BODY_BYTES


def test_lines_that_are_no_chunk_sizes_are_left_alone() -> None:
    assert plain([CHUNKED], b"<p>\r\nno size\r\n")[1] == b"<p>\r\nno size\r\n"
