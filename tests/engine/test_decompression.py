"""Bodies are decompressed by what they are."""

import gzip
import random
import zlib
from collections.abc import Callable
from time import process_time
from typing import Any

import brotli
import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from topiccrawler.engine.decompression import DecompressionMiddleware, decompressed
from topiccrawler.engine.download_failures import reason_of
from topiccrawler.zstandard import zstd

PAGE = "<html><title>基金</title>" + "".join(
    f"<p>第{n}讲：基金定投之前先看费率{n * 7919}。</p>" for n in range(3_000)
)
BODY = PAGE.encode()


def raw_deflate(body: bytes) -> bytes:
    made = zlib.compressobj(9, zlib.DEFLATED, -15)
    return made.compress(body) + made.flush()


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw": raw_deflate,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def read(body: bytes, *codings: str, **more: Any) -> Response:
    """The response behind the middleware; `codings`: one header Content-Encoding each."""
    headers = {"Content-Type": "text/html", **more, "Content-Encoding": list(codings)}
    if not codings:
        del headers["Content-Encoding"]
    middleware = DecompressionMiddleware.from_crawler(
        get_crawler(settings_dict={"DOWNLOAD_MAXSIZE": 1_000_000})
    )
    found = middleware.process_response(
        Request("http://a.cn/"), Response("http://a.cn/", headers=headers, body=body)
    )
    assert isinstance(found, Response)
    assert "Content-Encoding" not in found.headers
    return found


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize(
    "declared", ["gzip", "deflate", "br", "zstd", "GZIP", "x-gzip", "utf-8", "gzip, gzip", ""]
)
def test_a_coding_is_undone_whatever_is_declared(coding: str, declared: str) -> None:
    found = read(PACK[coding](BODY), *[declared] if declared else [])
    assert isinstance(found, HtmlResponse)
    assert found.body == BODY


@pytest.mark.parametrize("inner", PACK)
@pytest.mark.parametrize("outer", PACK)
def test_two_layers_are_undone(inner: str, outer: str) -> None:
    body = PACK[outer](PACK[inner](BODY))
    assert read(body, "gzip").body == BODY
    assert read(body, inner, outer).body == BODY


@pytest.mark.parametrize("declared", ["gzip", "deflate", "br", "zstd", "compress", "gzip,br", ""])
@pytest.mark.parametrize("charset", ["utf-8", "gb18030", "big5", "utf-16"])
@pytest.mark.parametrize(
    "text", ["<p>基金", "基金淨值上漲" * 50, "x^2", "{}", PAGE.replace("费", "費").replace("讲", "講")]
)
def test_a_plain_body_stays(text: str, charset: str, declared: str) -> None:
    body = text.encode(charset, "ignore")
    assert read(body, *[declared] if declared else []).body == body


@pytest.mark.parametrize("coding", [name for name in PACK if name != "zstd"])
def test_what_came_of_a_stream_that_is_cut_off_counts(coding: str) -> None:
    whole = PACK[coding](BODY)
    found = read(whole[: len(whole) // 2], coding.replace("raw", "deflate")).body
    assert BODY.startswith(found)
    assert len(found) > len(BODY) // 4


@pytest.mark.parametrize("coding", PACK)
def test_junk_behind_a_stream_is_ignored(coding: str) -> None:
    assert read(PACK[coding](BODY) + b"<!-- 1 ms -->\r\n", coding.replace("raw", "deflate")).body == BODY


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize("outer", ["gzip", "br", ""])
def test_a_bomb_is_refused(coding: str, outer: str) -> None:
    bomb = PACK[coding](bytes(30_000_000))
    with pytest.raises(IgnoreRequest) as refused:
        read(PACK[outer](bomb) if outer else bomb, "br" if coding == "br" or outer == "br" else "deflate")
    assert reason_of(refused.value) == "too large"


def test_random_bytes_are_left_as_they_are() -> None:
    draw = random.Random(3)
    for length in (1, 2, 7, 40, 600, 100_000):
        for _ in range(100 if length < 1000 else 3):
            body = draw.randbytes(length)
            if body[:2] not in (b"\x78\x9c", b"\x1f\x8b"):
                assert len(decompressed(body)) >= len(body) // 2 - 64


def test_a_file_that_is_compressed_itself_stays() -> None:
    body = gzip.compress(BODY)
    assert read(body, **{"Content-Type": "application/gzip"}).body is body
    large = gzip.compress(bytes(2_000_000))
    assert read(large, **{"Content-Type": "application/octet-stream"}).body is large


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_body_of_empty_members_costs_time_by_its_length(coding: str) -> None:
    def seconds(members: int) -> float:
        body = PACK[coding](b"") * members
        began = process_time()
        assert read(body, coding).body == body  # nothing was in it
        return process_time() - began

    assert seconds(80_000) < 8 * seconds(20_000)  # 16 times as long when each member copies the rest
